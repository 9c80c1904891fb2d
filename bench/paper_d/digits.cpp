// Digits as histograms: chi-squared and Kullback–Leibler kernels beside a linear and a Gaussian one, alone and
// together.
#include "experiments.hpp"

namespace tamis::paper_d {

namespace {

constexpr double gap = 1e-4, fold_gap = 1e-3;
constexpr Index folds = 3;

class Experiment {
 public:
  Experiment(Run& run, const std::vector<double>& lambdas)
      : run_(run),
        lambdas_(lambdas),
        out_(run, "digits.csv",
             "features,kernels,norm,lambda,held_out,train,test,kept_samples,kept_kernels,names,nonzeros,relative_gap,"
             "status,"
             "seconds") {}

  void operator()(const char* features, const char* title, const Kernels& kernels, const Parts& parts,
                  const Norm& norm) {
    const double before = cpu_seconds();
    const KernelValues train = compare(kernels, parts.train, parts.train),
                       test = compare(kernels, parts.train, parts.test);
    const Task task{train, parts.train.labels, parts.train.classes, true};
    const auto measured = cross_validate(task, norm, lambdas_, folds, first_seed, fold_gap);
    const std::size_t at = choose(measured);
    const Point point = path(task, norm, {lambdas_[at]}, gap)[0];
    const auto percentage = [&](const KernelValues& values, const Samples& samples) {
      return 100.0 * errors(point.model.scores(values), samples.labels, point.model.outputs) / samples.count;
    };
    const KernelCounts kept = count_kept<double>(point.model.view(), kernels);
    out_.line("%s,%s,%s,%g,%.4f,%.4f,%.4f,%u,%u,%s,%zu,%.3g,%s,%.3f", features, title, norm.name, point.lambda,
              100 * measured[at].error, percentage(train, parts.train), percentage(test, parts.test), kept.samples,
              kept.kernels, kept_names(point.model, kernels).c_str(), kept.terms, point.report.relative_gap,
              name(point.report.status), cpu_seconds() - before);
    std::printf("  %s, %s, norm %s: %.1f s\n", features, title, norm.name, cpu_seconds() - before);
    std::fflush(stdout);
    if (point.report.status != Status::converged) run_.agreed = false;
  }

 private:
  Run& run_;
  std::vector<double> lambdas_;
  Csv out_;
};

}  // namespace

void digits(Run& run) {
  const Samples all = read_digits();
  const Index count = run.quick ? 60 : 500;
  const Index rest = run.quick ? 100 : all.count - count;
  const std::vector<double> lambdas = run.quick ? std::vector{10.0, 1.0} : descending(-2, 3, run.full ? 4 : 2);
  std::printf("digits: %u samples to train and %u to test, %zu lambda, %u stratified folds, free intercepts\n", count,
              rest, lambdas.size(), folds);
  Experiment experiment(run, lambdas);
  const Norm by_sample = norms[4], by_kernel = norms[2], by_entry = norms[1];
  const Kernels four = {
      {KernelKind::linear}, {KernelKind::gaussian, histogram_width}, {KernelKind::chi2}, {KernelKind::kl}};
  const auto fit = [&](const char* features, const Samples& samples, std::initializer_list<Norm> alone,
                       std::initializer_list<Norm> together) {
    const Parts parts = split(samples, count, rest, first_seed);
    for (const auto& kernel : four)
      for (const Norm& norm : alone) experiment(features, name_of(kernel).c_str(), {kernel}, parts, norm);
    for (const Norm& norm : together) experiment(features, "all", four, parts, norm);
  };
  if (run.quick) return fit("pixels", histograms(all), {ridge, by_sample}, {});
  fit("pixels", histograms(all), {ridge, by_sample}, {ridge, by_entry, by_kernel, by_sample});
  if (run.full)
    fit("projections", histograms(projections(all)), {ridge, by_sample}, {ridge, by_entry, by_kernel, by_sample});
  else fit("projections", histograms(projections(all)), {by_sample}, {});
}

}  // namespace tamis::paper_d
