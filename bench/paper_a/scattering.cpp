// Figure 1 with the paper's own features, and its remark on ridge beside figure 4: scattering against raw pixels.
#include "tamis/features/scattering.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "experiments.hpp"
#include "tamis/training.hpp"

namespace tamis::paper_a {

namespace {

constexpr Index side = 28, pixels = side * side;

/// What is made of an image, and how its features are grouped.
struct Features {
  std::string name;
  Index block;
  std::optional<ScatteringOptions> scattering = {};  ///< otherwise pixels, patch after patch

  std::size_t count() const { return scattering ? scattering->coefficients() : std::size_t{pixels}; }
};

/// Memory of the alignment that arenas have.
class AlignedMemory {
 public:
  explicit AlignedMemory(std::size_t bytes) : lines_((bytes + sizeof(Line) - 1) / sizeof(Line)) {}
  std::span<std::byte> span() { return {lines_.data()->bytes, lines_.size() * sizeof(Line)}; }

 private:
  struct alignas(Arena::alignment) Line {
    std::byte bytes[Arena::alignment];
  };
  std::vector<Line> lines_;
};

/// Features of the given images, column-major, in float.
std::vector<float> features_of(const Features& kind, const Labelled& images, const std::vector<std::size_t>& rows) {
  const std::size_t n = rows.size(), count = kind.count(), of = images.table.samples;
  std::vector<float> out(n * count), image(pixels), made(count);
  const ScatteringOptions options = kind.scattering.value_or(ScatteringOptions{});
  AlignedMemory memory(kind.scattering ? ScatteringTransform<float>::requirement(options).bytes : 1);
  ScatteringTransform<float> transform(options);
  if (kind.scattering) transform.start(memory.span());
  const std::vector<std::size_t> order = patches(side);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < pixels; ++p)
      image[p] = static_cast<float>(images.table.values[(kind.scattering ? p : order[p]) * of + rows[i]]);
    if (kind.scattering) transform.transform(image, made);
    for (std::size_t j = 0; j < count; ++j) out[j * n + i] = kind.scattering ? made[j] : image[j];
  }
  return out;
}

/// All test images, a few hundred at a time.
class TestFeatures {
 public:
  TestFeatures(const Features& kind, const Labelled& images) : labels_(images.labels) {
    for (std::size_t first = 0; first < labels_.size(); first += each) {
      std::vector<std::size_t> rows;
      for (std::size_t i = first; i < std::min(first + each, labels_.size()); ++i) rows.push_back(i);
      values_.push_back(features_of(kind, images, rows));
      designs_.emplace_back(values_.back().data(), static_cast<Index>(rows.size()), static_cast<Index>(kind.count()));
    }
  }
  double error_percentage(const LinearModel<float>& model) const {
    std::vector<Index> used;
    for (Index j = 0; j < model.features; ++j)
      if (model.uses(j)) used.push_back(j);
    std::vector<float> scores(each * model.stride());
    std::size_t wrong = 0, first = 0;
    for (const auto& design : designs_) {
      design.multiply(used.data(), static_cast<Index>(used.size()), model.coefficients, model.stride(),
                      row_of(model.coefficients, model.features, model.stride()), scores.data());
      for (Index i = 0; i < design.samples(); ++i) {
        const float* row = row_of(scores.data(), i, model.stride());
        wrong += static_cast<Label>(std::max_element(row, row + model.classes) - row) != labels_[first + i];
      }
      first += design.samples();
    }
    return 100 * static_cast<double>(wrong) / static_cast<double>(labels_.size());
  }

 private:
  static constexpr std::size_t each = 200;
  std::vector<Label> labels_;
  std::vector<std::vector<float>> values_;
  std::vector<DenseDesign<float>> designs_;
};

/// A penalty on features, and where its curve is looked at: α divided by the samples per class, which is K·λ and of
/// about the same size for all subsets.
struct Model {
  std::string name;
  std::size_t features;  ///< their number in the list
  bool ridge;
  std::vector<double> values;
};

struct Point {
  std::string status;
  double gap = 0, error = 0, zeros = 0, seconds = 0;
  std::size_t significant = 0;  ///< weights beyond 1e-5, as the paper counts them
};

template <class Training>
Point solve(const Training& training, const DenseDesign<float>& design, const Targets<float>& targets, double limit,
            const TestFeatures& test) {
  const Shape shape{targets.samples(), design.features(), targets.classes};
  AlignedMemory memory(
      Training::bytes(shape, Room{.entries = std::size_t{shape.samples} * shape.features, .active_limit = 1500}));
  auto solver = training.solver(design, targets);
  Point out;
  const double started = cpu_seconds();
  solver.start(memory.span());
  while (solver.step())
    if (solver.report().iterations % 16 == 0 && cpu_seconds() - started > limit) solver.stop();
  out.seconds = cpu_seconds() - started;
  out.status = name(solver.report().status);
  out.gap = static_cast<double>(solver.report().relative_gap);
  const LinearModel<float> model = solver.model();
  std::size_t zeros = 0;
  for (Index j = 0; j < model.features; ++j)
    for (Index k = 0; k < model.classes; ++k) {
      zeros += model(j, k) == 0;
      out.significant += std::abs(model(j, k)) > 1e-5f;
    }
  out.zeros = 100 * static_cast<double>(zeros) / (static_cast<double>(model.features) * model.classes);
  out.error = test.error_percentage(model);
  return out;
}

/// Models on subsets of one size.
struct Size {
  std::size_t per_class, subsets;
  std::vector<Model> models;
};

}  // namespace

void scattering(Run& run) {
  const ScatteringOptions fine{.height = side, .width = side, .oversampling = 1, .by_position = true};
  const ScatteringOptions coarse{.height = side, .width = side, .by_position = true};
  const std::vector<Features> features{
      {"pixels", 4}, {"scattering 14x14", fine.maps(), fine}, {"scattering 7x7", coarse.maps(), coarse}};
  using Values = std::vector<double>;
  const Values sparse = run.quick  ? Values{0.3}
                        : run.full ? Values{0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5}
                                   : Values{0.15, 0.25, 0.35};
  const Values on_pixels = run.quick ? Values{0.1, 0.3} : logarithmic(-2, 0, run.full ? 4 : 2);
  const Values of_ridge = logarithmic(-3, 1, run.full ? 2 : 1);
  const std::vector<Model> small{{"pixels l1-inf", 0, false, on_pixels},
                                 {"pixels ridge", 0, true, of_ridge},
                                 {"scattering 14x14 l1-inf", 1, false, sparse},
                                 {"scattering 14x14 ridge", 1, true, of_ridge}};
  const Values at_100 = run.quick ? Values{0.05} : run.full ? logarithmic(-2, -0.5, 4) : Values{0.03, 0.06, 0.12};
  const std::vector<Model> large{{"pixels l1-inf", 0, false, at_100},
                                 {"pixels ridge", 0, true, of_ridge},
                                 {"scattering 7x7 l1-inf", 2, false, at_100},
                                 {"scattering 7x7 ridge", 2, true, of_ridge}};
  const std::size_t subsets = run.quick && !run.subsets ? 2 : run.number(10, 25);
  std::vector<Size> sizes{{3, subsets, small}, {5, subsets, small}, {10, subsets, small}};
  sizes.push_back({100, run.full ? subsets : std::min<std::size_t>(subsets, 3), large});
  const double limit = run.full ? 300 : 60, gap = run.full ? 1e-3 : 1e-2;

  const auto data =
      read(run.path("mnist/train-images-idx3-ubyte.gz,") + run.path("mnist/train-labels-idx1-ubyte.gz"),
           run.path("mnist/t10k-images-idx3-ubyte.gz,") + run.path("mnist/t10k-labels-idx1-ubyte.gz"), 255);
  std::vector<std::unique_ptr<TestFeatures>> tests(features.size());
  Csv csv(run, "scattering.csv",
          "per_class,model,alpha,seed,status,relative_gap,error_percentage,zero_percentage,significant,seconds");
  std::printf(
      "MNIST, hinge: pixels / 255 in blocks of 2 x 2, scattering (J = 2, 8 orientations) in blocks of the 81 values\n"
      "of a position. Random subsets of seeds %llu..., lambda = alpha/n (ridge 2 alpha/n), in float to a certified\n"
      "relative gap of %g or for %.0f s, errors on all test images. Alpha is that of the least mean test error, as in\n"
      "the paper. Zeros and weights beyond 1e-5 are of all weights; seconds of CPU time for a model.\n\n"
      "| per class | subsets | model | alpha | errors, %% | zeros, %% | beyond 1e-5 | weights | CPU s | unfinished |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      static_cast<unsigned long long>(first_seed), gap, limit);
  std::fflush(stdout);

  for (const Size& size : sizes)
    for (const Model& model : size.models) {
      if (run.per_class && run.per_class != size.per_class) continue;
      const Features& kind = features[model.features];
      if (!tests[model.features]) tests[model.features] = std::make_unique<TestFeatures>(kind, data.test);
      const TestFeatures& test = *tests[model.features];
      std::vector<std::vector<Point>> found(size.subsets, std::vector<Point>(model.values.size()));
      std::atomic<std::size_t> next = 0;
      std::mutex writing;
      const auto work = [&] {
        for (std::size_t s; (s = next++) < size.subsets;) {
          const auto rows = draw(data.train, size.per_class, first_seed + s);
          const auto values = features_of(kind, data.train, rows);
          std::vector<Label> labels;
          for (const std::size_t row : rows) labels.push_back(data.train.labels[row]);
          const DenseDesign<float> design(values.data(), static_cast<Index>(rows.size()),
                                          static_cast<Index>(kind.count()));
          const Targets<float> targets{labels, data.train.classes};
          for (std::size_t a = 0; a < model.values.size(); ++a) {
            const double alpha = model.values[a] * static_cast<double>(size.per_class);
            const double lambda = (model.ridge ? 2 : 1) * alpha / static_cast<double>(rows.size());
            const Options<float> options{.lambda = static_cast<float>(lambda),
                                         .tolerance = static_cast<float>(gap),
                                         .max_iterations = ~std::uint32_t(0)};
            Point& point = found[s][a];
            point = model.ridge
                        ? solve(Training<float, Hinge, Ridge>(options), design, targets, limit, test)
                        : solve(TwoPhaseTraining<float, Hinge, GroupLinf>(options, {}, {Groups::blocks(kind.block)}),
                                design, targets, limit, test);
            const std::lock_guard lock(writing);
            csv.line("%zu,%s,%.6g,%llu,%s,%.3g,%.4f,%.4f,%zu,%.4f", size.per_class, model.name.c_str(), alpha,
                     static_cast<unsigned long long>(first_seed + s), point.status.c_str(), point.gap, point.error,
                     point.zeros, point.significant, point.seconds);
          }
        }
      };
      std::vector<std::thread> workers;
      for (int i = 1; i < 2; ++i) workers.emplace_back(work);
      work();
      for (auto& worker : workers) worker.join();

      const auto mean = [&](std::size_t a, auto value) {
        double total = 0;
        for (const auto& subset : found) total += value(subset[a]);
        return total / static_cast<double>(size.subsets);
      };
      const auto error = [&](std::size_t a) { return mean(a, [](const Point& p) { return p.error; }); };
      std::size_t best = 0;
      for (std::size_t a = 1; a < model.values.size(); ++a)
        if (error(a) <= error(best)) best = a;
      const double unfinished = mean(best, [](const Point& p) { return p.status == name(Status::stopped); });
      std::printf("| %zu | %zu | %s | %.3g | %.2f | %.2f | %.0f | %zu | %.2f | %.0f |\n", size.per_class, size.subsets,
                  model.name.c_str(), model.values[best] * static_cast<double>(size.per_class), error(best),
                  mean(best, [](const Point& p) { return p.zeros; }),
                  mean(best, [](const Point& p) { return static_cast<double>(p.significant); }),
                  kind.count() * data.train.classes, mean(best, [](const Point& p) { return p.seconds; }),
                  unfinished * static_cast<double>(size.subsets));
      std::fflush(stdout);
    }
}

}  // namespace tamis::paper_a
