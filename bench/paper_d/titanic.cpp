// Section 4 and figure 2: three kernels for the Titanic, chosen to be good, bad and ugly, under six norms.
#include <algorithm>
#include <cmath>
#include <set>

#include "experiments.hpp"
#include "tamis/solver/as_printed/kernel_forward_backward.hpp"

namespace tamis::paper_d {

namespace {

/// G, B and U, and the constant kernel by which the paper has a bias (its first footnote).
const Kernels good_bad_ugly = {{KernelKind::linear}, {KernelKind::gaussian, 0.1}, {KernelKind::gaussian, 100}};
constexpr const char* characters[] = {"G", "B", "U"};
constexpr Index shown = 3, ugly = 2;
const Kernel<double> constant{KernelKind::constant};
constexpr double gap = 1e-8, fold_gap = 1e-4;  // U and the constant differ by little
constexpr Index folds = 5;

enum class Bias { constant_kernel, none, free };
constexpr Bias all_biases[] = {Bias::constant_kernel, Bias::none, Bias::free};
constexpr const char* name(Bias bias) {
  return bias == Bias::constant_kernel ? "constant kernel" : bias == Bias::none ? "none" : "free";
}

struct Split {
  std::string name;
  Parts parts;
};

/// The samples of all parts, to five digits, in an order of their own.
std::vector<std::vector<long>> sorted_people(std::initializer_list<const Samples*> parts) {
  std::vector<std::vector<long>> out;
  for (const Samples* part : parts)
    for (std::size_t i = 0; i < part->count; ++i) {
      std::vector<long>& person = out.emplace_back(1, part->labels[i]);
      for (std::size_t j = 0; j < part->features; ++j)
        person.push_back(std::lround(1e5 * part->x[i * part->features + j]));
    }
  std::sort(out.begin(), out.end());
  return out;
}

/// That of the benchmark, where there is TAMIS_DATA, and random ones of all people, as large.
std::vector<Split> splits_of(Run& run) {
  std::vector<Split> out;
  const Samples people = passengers();
  if (!run.quick) {
    Parts parts = read_parts(run, "titanic");
    if (parts.train.count) {
      if (sorted_people({&parts.train, &parts.test}) != sorted_people({&people})) {
        std::printf("titanic: the people of the benchmark are not those of the table\n");
        run.agreed = false;
      }
      out.push_back({"benchmark", std::move(parts)});
    }
  }
  const std::size_t random = run.quick ? 1 : run.number(10, 100);
  for (std::size_t s = 0; s < random; ++s)
    out.push_back({"random " + std::to_string(first_seed + s), split(people, 150, 2051, first_seed + s)});
  return out;
}

double percentage(Index wrong, const Samples& samples) { return 100.0 * wrong / samples.count; }

/// The training samples of a split, and the kernels between them and the others.
struct Setting {
  Setting(Kernels chosen, const Parts& all, Bias with = Bias::constant_kernel)
      : functions(std::move(chosen)), bias(with), parts(all) {
    if (bias == Bias::constant_kernel) functions.push_back(constant);
    train = compare(functions, all.train, all.train);
    test = compare(functions, all.train, all.test);
  }

  Task task() const { return {train, parts.train.labels, 2, bias == Bias::free}; }
  double train_error(const Model& model) const {
    return percentage(errors(model.scores(train), parts.train.labels, 1), parts.train);
  }
  double test_error(const Model& model) const {
    return percentage(errors(model.scores(test), parts.test.labels, 1), parts.test);
  }

  Kernels functions;
  Bias bias;
  const Parts& parts;
  KernelValues train, test;
};

/// How many different rows of features the samples with coefficients have.
std::size_t distinct_kept(const Model& model, const Samples& samples) {
  std::set<std::vector<double>> rows;
  for (Index l = 0; l < samples.count; ++l)
    for (Index t = 0; t < model.kernels; ++t)
      if (model.view().uses(l, t))
        rows.insert({samples.x.begin() + l * samples.features, samples.x.begin() + (l + 1) * samples.features});
  return rows.size();
}

/// The sum and the largest of |α|.
struct Weight {
  double sum = 0, largest = 0;
};
Weight weigh(const KernelCoefficients<double>& alpha, Index first, Index last) {
  Weight out;
  for (Index t = first; t < last; ++t)
    for (Index l = 0; l < alpha.samples; ++l) {
      const double size = std::abs(alpha(l, t));
      out.sum += size;
      out.largest = std::max(out.largest, size);
    }
  return out;
}

/// What the ugly kernel has of the weight of all three, and its largest relevance.
struct Influence {
  double share, largest;
};
Influence influence_of_ugly(const KernelCoefficients<double>& alpha) {
  const Weight all = weigh(alpha, 0, shown), its = weigh(alpha, ugly, ugly + 1);
  return all.sum > 0 ? Influence{its.sum / all.sum, its.largest / all.largest} : Influence{0, 0};
}

/// Each kernel alone, with the squared norm, with the constant kernel and without, and what a width of a Gaussian may
/// mean: exp(−d²/2W²), exp(−d²/W²), exp(−d²/W).
void kernels_alone(const Split& split, const std::vector<double>& lambdas, Csv& out) {
  const auto gaussian = [](double a) { return Kernel<double>{KernelKind::gaussian, a}; };
  const struct {
    const char *character, *width;
    Kernel<double> kernel;
  } all[] = {
      {"G", "-", {KernelKind::linear}},
      {"B", "2W^2", gaussian(0.1)},
      {"B", "W^2", gaussian(0.1 / std::sqrt(2.0))},
      {"B", "W", gaussian(std::sqrt(0.1 / 2))},
      {"U", "2W^2", gaussian(100)},
      {"U", "W^2", gaussian(100 / std::sqrt(2.0))},
      {"U", "W", gaussian(std::sqrt(100.0 / 2))},
  };
  for (const auto& alone : all)
    for (const Bias bias : all_biases) {
      const Setting setting({alone.kernel}, split.parts, bias);
      for (const Point& point : path(setting.task(), ridge, lambdas, gap))
        out.line("%s,%s,%s,%s,%g,%.4f,%.4f,%.3g", split.name.c_str(), alone.character, alone.width, name(bias),
                 point.lambda, setting.train_error(point.model), setting.test_error(point.model),
                 point.report.relative_gap);
    }
}

/// |α_it| over the largest of the three kernels.
void draw_map(const Norm& norm, const Model& model, Csv& out) {
  const double most = std::max(weigh(model.view(), 0, shown).largest, 1e-300);
  for (Index t = 0; t < shown; ++t)
    for (Index l = 0; l < model.samples; ++l)
      out.line("%s,%u,%s,%.6g", norm.name, l + 1, characters[t], std::abs(model.view()(l, t)) / most);
}

/// Of which norms the paper says how the ugly kernel vanishes.
bool selects_kernels(const Norm& norm) { return norm.q == 1 && (norm.p == 1 || norm.r == 2); }

/// How the ugly kernel fares at other λ than the chosen one.
void beyond(const Setting& setting, const Norm& norm, double chosen, bool quick, Csv& out) {
  std::vector<double> lambdas = descending(quick ? 0 : -3, quick ? 1 : 2, quick ? 2 : 30);
  for (double& lambda : lambdas) lambda *= chosen;
  for (const Point& point : path(setting.task(), norm, lambdas, gap)) {
    const Influence its = influence_of_ugly(point.model.view());
    if (point.report.nonzeros > 0)
      out.line("%s,%s,%.6g,%.6g,%.6g,%.6g,%.4f,%.3g", name(setting.bias), norm.name, point.lambda / chosen,
               point.lambda, its.share, its.largest, setting.test_error(point.model), point.report.relative_gap);
  }
}

/// How the ugly kernel fares in the printed algorithm, which starts from zero, before it has converged.
void before_convergence(const Setting& setting, const Norm& norm, double lambda, bool quick, Csv& out) {
  using Printed = as_printed::KernelForwardBackward<double>;
  const auto design = setting.train.design();
  const ArenaMemory memory(Printed::requirement({setting.train.trained, design.features(), 1}).bytes);
  Printed solver(design, setting.parts.train.labels, setting.train.kernels, 1,
                 MixedNorm<double>{norm.p, norm.q, norm.r},
                 {.lambda = lambda / setting.train.trained, .tolerance = gap, .intercept = false});
  std::uint32_t next = 10;
  for (bool more = solver.start(memory.span()); more && next <= (quick ? 100u : 100000u);) {
    more = solver.step();
    if (more && solver.report().iterations < next) continue;
    next *= 10;
    const Influence its = influence_of_ugly(solver.iterate());
    out.line("%s,%g,%u,%.6g,%.6g,%.3g", norm.name, lambda, solver.report().iterations, its.share, its.largest,
             solver.report().relative_gap);
  }
}

class Experiment {
 public:
  explicit Experiment(Run& run)
      : run_(run),
        chosen_(run, "titanic.csv",
                "split,bias,norm,lambda,held_out,train,test,kept_samples,distinct_samples,kept_kernels,nonzeros,"
                "relative_gap,status"),
        paths_(run, "titanic_paths.csv", "split,norm,lambda,held_out,deviation,train,test,nonzeros,relative_gap"),
        folds_(run, "titanic_folds.csv", "split,norm,seed,lambda,test"),
        maps_(run, "titanic_maps.csv", "norm,sample,kernel,relevance"),
        beyond_(run, "titanic_beyond.csv", "bias,norm,factor,lambda,share,largest,test,relative_gap"),
        printed_(run, "titanic_printed.csv", "norm,lambda,iterations,share,largest,relative_gap") {}

  /// `first`: with everything that is looked at once.
  void operator()(const Split& split, const std::vector<double>& lambdas, bool first) {
    for (const Bias bias : all_biases) {
      if (!first && bias != Bias::constant_kernel) continue;
      const Setting setting(good_bad_ugly, split.parts, bias);
      for (const Norm& norm : norms) {
        const auto points = path(setting.task(), norm, lambdas, gap);
        const auto measured = cross_validate(setting.task(), norm, lambdas, folds, first_seed, fold_gap);
        const std::size_t at = choose(measured);
        write(split, setting, norm, points[at], measured[at]);
        if (!first) continue;
        if (bias == Bias::constant_kernel) look_closer(split, setting, norm, points, measured, at);
        if (selects_kernels(norm)) beyond(setting, norm, points[at].lambda, run_.quick, beyond_);
      }
    }
  }

 private:
  void write(const Split& split, const Setting& setting, const Norm& norm, const Point& point,
             const HeldOut<double>& held_out) {
    const Model& model = point.model;
    const KernelCounts kept = count_kept<double>(model.view(), setting.functions);
    const Status status = point.report.status;
    chosen_.line("%s,%s,%s,%g,%.4f,%.4f,%.4f,%u,%zu,%u,%zu,%.3g,%s", split.name.c_str(), name(setting.bias), norm.name,
                 point.lambda, 100 * held_out.error, setting.train_error(model), setting.test_error(model),
                 kept.samples, distinct_kept(model, setting.parts.train), kept.kernels, kept.terms,
                 point.report.relative_gap, tamis::name(status));
    if (status != Status::converged && status != Status::precision_limit) run_.agreed = false;
  }

  void look_closer(const Split& split, const Setting& setting, const Norm& norm, const std::vector<Point>& points,
                   const std::vector<HeldOut<double>>& measured, std::size_t at) {
    for (std::size_t l = 0; l < points.size(); ++l) {
      const Model& model = points[l].model;
      paths_.line("%s,%s,%g,%.4f,%.4f,%.4f,%.4f,%u,%.3g", split.name.c_str(), norm.name, points[l].lambda,
                  100 * measured[l].error, 100 * measured[l].error_deviation, setting.train_error(model),
                  setting.test_error(model), points[l].report.nonzeros, points[l].report.relative_gap);
    }
    std::vector<double> lambdas;
    for (const Point& point : points) lambdas.push_back(point.lambda);
    const std::uint64_t draws = run_.quick ? 2 : 20;
    for (std::uint64_t seed = first_seed; seed < first_seed + draws; ++seed) {
      const std::size_t other = choose(cross_validate(setting.task(), norm, lambdas, folds, seed, fold_gap));
      folds_.line("%s,%s,%llu,%g,%.4f", split.name.c_str(), norm.name, static_cast<unsigned long long>(seed),
                  lambdas[other], setting.test_error(points[other].model));
    }
    draw_map(norm, points[at].model, maps_);
    if (selects_kernels(norm)) before_convergence(setting, norm, points[at].lambda, run_.quick, printed_);
  }

  Run& run_;
  Csv chosen_, paths_, folds_, maps_, beyond_, printed_;
};

}  // namespace

void titanic(Run& run) {
  const auto splits = splits_of(run);
  const std::vector<double> lambdas = descending(0, 5, run.quick ? 1 : 5);
  std::printf(
      "titanic: three kernels, six norms, %zu lambda from 1e5 to 1 in the paper's units, %u stratified folds (seed "
      "%llu)\n",
      lambdas.size(), folds, static_cast<unsigned long long>(first_seed));
  Csv alone(run, "titanic_alone.csv", "split,kernel,width,bias,lambda,train,test,relative_gap");
  Experiment experiment(run);
  for (const Split& split : splits) {
    const bool first = &split == splits.data();
    if (first) kernels_alone(split, lambdas, alone);
    experiment(split, lambdas, first);
    std::printf("  %s done\n", split.name.c_str());
    std::fflush(stdout);
  }
}

}  // namespace tamis::paper_d
