// The banana benchmark: Gaussian kernels of several widths and a sigmoid, which is indefinite, together and alone.
#include "experiments.hpp"

namespace tamis::paper_d {

namespace {

constexpr double gap = 1e-6, fold_gap = 1e-4;
constexpr Index folds = 5;

}  // namespace

void banana(Run& run) {
  if (run.quick) return;
  const Parts parts = read_parts(run, "banana");
  if (parts.train.count == 0) return;
  const std::vector<double> lambdas = descending(-2, 3, run.full ? 5 : 3);
  std::printf("banana: %u samples to train and %u to test, %zu lambda, %u stratified folds, a free intercept\n",
              parts.train.count, parts.test.count, lambdas.size(), folds);
  Csv out(
      run, "banana.csv",
      "kernels,norm,lambda,held_out,train,test,kept_samples,kept_kernels,names,nonzeros,relative_gap,status,seconds");
  Csv paths(run, "banana_paths.csv", "kernels,norm,lambda,held_out,test,kept_samples,nonzeros");
  const Kernels all = {{KernelKind::gaussian, 0.1},
                       {KernelKind::gaussian, 0.3},
                       {KernelKind::gaussian, 1},
                       {KernelKind::gaussian, 3},
                       {KernelKind::sigmoid, 1, -1}};
  const auto fit = [&](const char* title, const Kernels& kernels, const Norm& norm) {
    const double before = cpu_seconds();
    const KernelValues train = compare(kernels, parts.train, parts.train),
                       test = compare(kernels, parts.train, parts.test);
    const Task task{train, parts.train.labels, 2, true};
    const auto measured = cross_validate(task, norm, lambdas, folds, first_seed, fold_gap);
    const auto points = path(task, norm, lambdas, gap);
    const double seconds = cpu_seconds() - before;
    const std::size_t at = choose(measured);
    const auto percentage = [](const Model& model, const KernelValues& values, const Samples& samples) {
      return 100.0 * errors(model.scores(values), samples.labels, 1) / samples.count;
    };
    for (std::size_t l = 0; l < points.size(); ++l) {
      const Point& point = points[l];
      const KernelCounts kept = count_kept<double>(point.model.view(), kernels);
      const double test_error = percentage(point.model, test, parts.test);
      paths.line("%s,%s,%g,%.4f,%.4f,%u,%zu", title, norm.name, point.lambda, 100 * measured[l].error, test_error,
                 kept.samples, kept.terms);
      if (l == at)
        out.line("%s,%s,%g,%.4f,%.4f,%.4f,%u,%u,%s,%zu,%.3g,%s,%.3f", title, norm.name, point.lambda,
                 100 * measured[l].error, percentage(point.model, train, parts.train), test_error, kept.samples,
                 kept.kernels, kept_names(point.model, kernels).c_str(), kept.terms, point.report.relative_gap,
                 name(point.report.status), seconds);
    }
    std::printf("  %s, norm %s: %.1f s\n", title, norm.name, seconds);
    std::fflush(stdout);
  };
  for (const Norm& norm : norms) fit("all", all, norm);
  for (const auto& kernel : all) fit(name_of(kernel).c_str(), {kernel}, ridge);
}

}  // namespace tamis::paper_d
