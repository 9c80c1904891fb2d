// Figure 1 with the paper's own features and its four losses, and its remark on ridge beside figure 4.
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
#include "tamis/solver/fista.hpp"
#include "tamis/training.hpp"

namespace tamis::paper_a {

namespace {

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

/// A loss with l1-inf or ridge on features, and where its curve is looked at: α divided by the samples per class, which
/// is K·λ and of about the same size for all subsets.
struct Model {
  std::string name;
  std::size_t features;  ///< their number in the list
  bool ridge;
  std::vector<double> values;
  LossKind loss = LossKind::hinge;
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
  AlignedMemory memory(Training::bytes(
      shape, WorkspaceHint{.entries = std::size_t{shape.samples} * shape.features, .active_limit = 1500}));
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
  double limit;  ///< seconds of a solve
};

template <class Loss>
using Blocks = Training<float, Loss, GroupLinf, With<Fista>>;

/// That model with the margin 1, as all losses have in the paper.
Point solve(const Model& model, Options<float> options, Index block, const DenseDesign<float>& design,
            const Targets<float>& targets, double limit, const TestFeatures& test) {
  options.margin = 1;
  const GroupLinf penalty{Groups::blocks(block)};
  if (model.ridge) return solve(Training<float, Hinge, Ridge>(options), design, targets, limit, test);
  switch (model.loss) {
    case LossKind::squared_hinge:
      return solve(Blocks<SquaredHinge>(options, {}, penalty), design, targets, limit, test);
    case LossKind::logistic: return solve(Blocks<Logistic>(options, {}, penalty), design, targets, limit, test);
    case LossKind::one_vs_rest_squared_hinge:
      return solve(Blocks<OneVsRestSquaredHinge>(options, {}, penalty), design, targets, limit, test);
    default:
      return solve(Training<float, Hinge, GroupLinf>(options, {}, penalty), design, targets, limit, test);
  }
}

}  // namespace

void scattering(Run& run) {
  const Images images = read_images(run);
  const TrainAndTest& data = images.data;
  const std::vector<Features> features{pixels(images), scattering_features(images, 1), scattering_features(images, 0)};
  const auto name_of = [&](std::size_t kind, const char* model) { return features[kind].name + " " + model; };
  using Values = std::vector<double>;
  const Values sparse = run.quick  ? Values{0.15, 0.3}
                        : run.full ? Values{0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5}
                                   : Values{0.15, 0.25, 0.35};
  const Values on_pixels = run.quick ? Values{0.1, 0.3} : logarithmic(-2, 0, run.full ? 4 : 2);
  const Values of_ridge = run.quick ? Values{0.1} : logarithmic(-3, 1, run.full ? 2 : 1);
  const Values smooth = run.quick ? Values{0.3, 1} : logarithmic(-1.5, 0.5, run.full ? 4 : 2);
  const auto others = [&](std::size_t kind) {
    return std::vector<Model>{{name_of(kind, "square"), kind, false, smooth, LossKind::squared_hinge},
                              {name_of(kind, "logit"), kind, false, smooth, LossKind::logistic},
                              {name_of(kind, "one-vs-all"), kind, false, smooth, LossKind::one_vs_rest_squared_hinge}};
  };
  std::vector<Model> small{{name_of(0, "l1-inf"), 0, false, on_pixels},
                           {name_of(0, "ridge"), 0, true, of_ridge},
                           {name_of(1, "l1-inf"), 1, false, sparse},
                           {name_of(1, "ridge"), 1, true, of_ridge}};
  for (const Model& model : others(1)) small.push_back(model);
  const Values at_100 = run.quick ? Values{0.05} : run.full ? logarithmic(-2, -0.5, 4) : Values{0.03, 0.06, 0.12};
  const std::vector<Model> large{{name_of(0, "l1-inf"), 0, false, at_100},
                                 {name_of(0, "ridge"), 0, true, of_ridge},
                                 {name_of(2, "l1-inf"), 2, false, at_100},
                                 {name_of(2, "ridge"), 2, true, of_ridge}};
  // Weights that are counted in the paper's section 4.3: 158,214 and 42,795 of 158,760 at 500 per class.
  const std::vector<Model> counted{{name_of(1, "l1-inf"), 1, false, {0.01, 0.03}},
                                   {name_of(1, "ridge"), 1, true, {0.1}}};
  const double limit = run.full ? 300 : run.quick ? 5 : 60, gap = run.full ? 1e-3 : 1e-2;
  const std::size_t subsets = run.number(run.quick ? 1 : 10, 25);
  std::vector<Size> sizes{{3, subsets, small, limit}, {10, subsets, small, limit}};
  if (!run.quick) sizes.insert(sizes.begin() + 1, {5, subsets, small, limit});
  if (!run.quick || run.per_class == 100)
    sizes.push_back({100, run.full ? subsets : std::min<std::size_t>(subsets, 3), large, limit});
  if (run.full || run.per_class == 500) sizes.push_back({500, 1, counted, 12 * limit});
  const std::size_t tested = run.quick ? 1000 : data.test.labels.size();

  std::vector<std::unique_ptr<TestFeatures>> tests(features.size());
  Csv csv(run, "scattering.csv",
          "per_class,model,alpha,seed,status,relative_gap,error_percentage,zero_percentage,significant,seconds");
  std::printf(
      "%s: pixels in blocks of 2 x 2, scattering (J = 2, 8 orientations) in blocks of the 81 values of a position; "
      "the\n"
      "hinge (l1-inf, ridge) and the other losses. Random subsets of seeds %llu..., lambda = alpha/n (ridge 2 "
      "alpha/n),\n"
      "in float to a certified relative gap of %g or for %.0f s (500 per class: %.0f), errors on %zu test images. "
      "Alpha\n"
      "is that of the least mean test error, as in the paper. Zeros and weights beyond 1e-5 are of all weights; "
      "seconds of CPU time for a model.\n\n"
      "| per class | subsets | model | alpha | errors, %% | zeros, %% | beyond 1e-5 | weights | CPU s | unfinished |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      images.name.c_str(), static_cast<unsigned long long>(first_seed), gap, limit, 12 * limit,
      std::min(tested, data.test.labels.size()));
  std::fflush(stdout);

  for (const Size& size : sizes)
    for (const Model& model : size.models) {
      if (run.per_class && run.per_class != size.per_class) continue;
      const Features& kind = features[model.features];
      if (!tests[model.features]) tests[model.features] = std::make_unique<TestFeatures>(kind, data.test, tested);
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
            point = solve(model, options, kind.block, design, targets, size.limit, test);
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
