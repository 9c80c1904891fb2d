// Section 4 and figure 2: three kernels for the Titanic, chosen to be good, bad and ugly, under six norms.
#include <algorithm>
#include <cmath>
#include <set>

#include "experiments.hpp"

namespace tamis::paper_d {

namespace {

const Kernels kernels = {{KernelKind::linear}, {KernelKind::gaussian, 0.1}, {KernelKind::gaussian, 100}};
constexpr const char* characters[] = {"G", "B", "U"};
constexpr Index ugly = 2;
constexpr double gap = 1e-6, fold_gap = 1e-4;
constexpr Index folds = 5;

struct Split {
  std::string name;
  Parts parts;
};

/// That of the benchmark, where there is TAMIS_DATA, and random ones of all people, as large.
std::vector<Split> splits_of(const Run& run) {
  std::vector<Split> out;
  if (!run.quick) {
    Parts parts = read_parts(run, "titanic");
    if (parts.train.count) out.push_back({"benchmark", std::move(parts)});
  }
  const std::size_t random = run.quick ? 1 : run.number(10, 100);
  for (std::size_t s = 0; s < random; ++s)
    out.push_back({"random " + std::to_string(first_seed + s), split(passengers(), 150, 2051, first_seed + s)});
  return out;
}

double percentage(Index wrong, const Samples& samples) { return 100.0 * wrong / samples.count; }

/// The training samples of a split, and the kernels between them and the others.
struct Setting {
  Setting(const Kernels& chosen, const Parts& all)
      : functions(chosen),
        parts(all),
        train(compare(chosen, all.train, all.train)),
        test(compare(chosen, all.train, all.test)) {}

  Problem problem() const { return {train, parts.train.labels}; }
  double train_error(const Model& model) const {
    return percentage(errors(model.scores(train), parts.train.labels, 1), parts.train);
  }
  double test_error(const Model& model) const {
    return percentage(errors(model.scores(test), parts.test.labels, 1), parts.test);
  }

  Kernels functions;
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

/// Of one kernel, or of all.
struct Weight {
  double sum = 0, largest = 0;
};
Weight weigh(const Model& model, Index first, Index last) {
  Weight out;
  for (Index t = first; t < last; ++t)
    for (Index l = 0; l < model.samples; ++l) {
      const double size = std::abs(model.view()(l, t));
      out.sum += size;
      out.largest = std::max(out.largest, size);
    }
  return out;
}

/// Each kernel alone, with the squared norm, and what a width of a Gaussian may mean: exp(−d²/2W²), exp(−d²/W²),
/// exp(−d²/W).
void kernels_alone(const Split& split, const std::vector<double>& lambdas, Csv& out) {
  const auto gaussian = [](double a) { return Kernel<double>{KernelKind::gaussian, a}; };
  const struct {
    const char *character, *width;
    Kernel<double> kernel;
  } all[] = {
      {"G", "-", kernels[0]},
      {"B", "2W^2", gaussian(0.1)},
      {"B", "W^2", gaussian(0.1 / std::sqrt(2.0))},
      {"B", "W", gaussian(std::sqrt(0.1 / 2))},
      {"U", "2W^2", gaussian(100)},
      {"U", "W^2", gaussian(100 / std::sqrt(2.0))},
      {"U", "W", gaussian(std::sqrt(100.0 / 2))},
  };
  for (const auto& alone : all) {
    const Setting setting({alone.kernel}, split.parts);
    for (const Point& point : path(setting.problem(), ridge, lambdas, gap))
      out.line("%s,%s,%s,%g,%.4f,%.4f,%.3g", split.name.c_str(), alone.character, alone.width, point.lambda,
               setting.train_error(point.model), setting.test_error(point.model), point.report.relative_gap);
  }
}

/// |α_it| over the largest.
void draw_map(const Norm& norm, const Model& model, Csv& out) {
  const double most = std::max(weigh(model, 0, model.kernels).largest, 1e-300);
  for (Index t = 0; t < model.kernels; ++t)
    for (Index l = 0; l < model.samples; ++l)
      out.line("%s,%u,%s,%.6g", norm.name, l + 1, characters[t], std::abs(model.view()(l, t)) / most);
}

/// How the ugly kernel fares where λ grows beyond the chosen one.
void beyond(const Setting& setting, const Norm& norm, double chosen, Csv& out) {
  std::vector<double> lambdas = descending(0, 3, 50);
  for (double& lambda : lambdas) lambda *= chosen;
  for (const Point& point : path(setting.problem(), norm, lambdas, gap)) {
    const Weight all = weigh(point.model, 0, point.model.kernels), its = weigh(point.model, ugly, ugly + 1);
    if (all.sum > 0)
      out.line("%s,%.6g,%.6g,%.6g,%.6g,%.4f,%.3g", norm.name, point.lambda / chosen, point.lambda, its.sum / all.sum,
               its.largest / all.largest, setting.test_error(point.model), point.report.relative_gap);
  }
}

class Experiment {
 public:
  explicit Experiment(Run& run)
      : run_(run),
        chosen_(run, "titanic.csv",
                "split,constant,norm,lambda,held_out,train,test,kept_samples,distinct_samples,kept_kernels,nonzeros,"
                "relative_gap,status"),
        paths_(run, "titanic_paths.csv", "split,norm,lambda,held_out,deviation,train,test,nonzeros,relative_gap"),
        folds_(run, "titanic_folds.csv", "split,norm,seed,lambda,test"),
        maps_(run, "titanic_maps.csv", "norm,sample,kernel,relevance"),
        beyond_(run, "titanic_beyond.csv", "norm,factor,lambda,share,largest,test,relative_gap") {}

  /// `first`: with everything that is looked at once.
  void operator()(const Split& split, const std::vector<double>& lambdas, bool first) {
    const Setting setting(kernels, split.parts);
    for (const Norm& norm : norms) {
      const auto points = path(setting.problem(), norm, lambdas, gap);
      const auto measured = cross_validate(setting.problem(), norm, lambdas, folds, first_seed, fold_gap);
      const std::size_t at = choose(measured);
      write(split, setting, norm, points[at], measured[at], false);
      if (!first) continue;
      for (std::size_t l = 0; l < lambdas.size(); ++l) {
        const Model& model = points[l].model;
        paths_.line("%s,%s,%g,%.4f,%.4f,%.4f,%.4f,%u,%.3g", split.name.c_str(), norm.name, lambdas[l],
                    100 * measured[l].error, 100 * measured[l].error_deviation, setting.train_error(model),
                    setting.test_error(model), points[l].report.nonzeros, points[l].report.relative_gap);
      }
      draw_map(norm, points[at].model, maps_);
      const std::uint64_t draws = run_.quick ? 1 : 20;
      for (std::uint64_t seed = first_seed; seed < first_seed + draws; ++seed) {
        const std::size_t other = choose(cross_validate(setting.problem(), norm, lambdas, folds, seed, fold_gap));
        folds_.line("%s,%s,%llu,%g,%.4f", split.name.c_str(), norm.name, static_cast<unsigned long long>(seed),
                    lambdas[other], setting.test_error(points[other].model));
      }
      if (norm.q == 1 && norm.r != 1) beyond(setting, norm, lambdas[at], beyond_);
      if (norm.p == 1 && norm.q == 1) beyond(setting, norm, lambdas[at], beyond_);
    }
    if (!first) return;
    Kernels more = kernels;
    more.push_back({KernelKind::constant});
    const Setting with_constant(more, split.parts);
    for (const Norm& norm : norms) {
      const auto measured = cross_validate(with_constant.problem(), norm, lambdas, folds, first_seed, fold_gap);
      const std::size_t at = choose(measured);
      write(split, with_constant, norm, path(with_constant.problem(), norm, {lambdas[at]}, gap)[0], measured[at], true);
    }
  }

 private:
  void write(const Split& split, const Setting& setting, const Norm& norm, const Point& point,
             const HeldOut<double>& held_out, bool constant) {
    const Model& model = point.model;
    const KernelCounts kept = count_kept<double>(model.view(), setting.functions);
    chosen_.line("%s,%d,%s,%g,%.4f,%.4f,%.4f,%u,%zu,%u,%zu,%.3g,%s", split.name.c_str(), constant, norm.name,
                 point.lambda, 100 * held_out.error, setting.train_error(model), setting.test_error(model),
                 kept.samples, distinct_kept(model, setting.parts.train), kept.kernels, kept.terms,
                 point.report.relative_gap, name(point.report.status));
    if (point.report.status != Status::converged) run_.agreed = false;
  }

  Run& run_;
  Csv chosen_, paths_, folds_, maps_, beyond_;
};

}  // namespace

void titanic(Run& run) {
  const auto splits = splits_of(run);
  const std::vector<double> lambdas = descending(0, 5, run.quick ? 1 : 5);
  std::printf(
      "titanic: three kernels, six norms, %zu lambda from 1e5 to 1 in the paper's units, %u stratified folds (seed "
      "%llu)\n",
      lambdas.size(), folds, static_cast<unsigned long long>(first_seed));
  Csv alone(run, "titanic_alone.csv", "split,kernel,width,lambda,train,test,relative_gap");
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
