// Figures 1 and 2: test errors and percentage of zero coefficients against α, on random subsets.
#include <string>
#include <vector>

#include "experiments.hpp"

namespace tamis::paper_a {

namespace {

struct Sweep {
  const char* figure;
  std::vector<Task> tasks;
  std::vector<std::size_t> per_class;
  std::vector<double> alphas;
  std::size_t subsets;
  double limit_seconds;
};

/// One CSV line per subset size, model, α and subset; `subset_of` makes a problem of a size and a seed, `error_of` the
/// test errors of a model in percent.
void sweep(const Run& run, const Sweep& what,
           const std::function<std::unique_ptr<Problem>(std::size_t per_class, std::uint64_t seed)>& subset_of,
           const std::function<double(const Coefficients&)>& error_of) {
  Csv csv(run, std::string(what.figure) + ".csv",
          "per_class,model,alpha,seed,status,relative_gap,error_percentage,zero_percentage,seconds");
  for (const std::size_t per_class : what.per_class) {
    if (run.per_class && run.per_class != per_class) continue;
    std::vector<std::vector<double>> errors(what.tasks.size(), std::vector<double>(what.alphas.size()));
    double seconds = 0;
    std::size_t unfinished = 0;
    for (std::size_t s = 0; s < what.subsets; ++s) {
      const auto made = subset_of(per_class, first_seed + s);
      const Problem& problem = *made;
      for (std::size_t t = 0; t < what.tasks.size(); ++t)
        for (std::size_t a = 0; a < what.alphas.size(); ++a) {
          const Solve found =
              solve(problem, what.tasks[t], what.alphas[a], {.gap = 1e-3, .seconds = what.limit_seconds});
          const double error = error_of(found.model);
          errors[t][a] += error / static_cast<double>(what.subsets);
          seconds += found.seconds;
          unfinished += found.status == "time_limit";
          csv.line("%zu,%s,%.6g,%llu,%s,%.3g,%.4f,%.4f,%.4f", per_class, what.tasks[t].name.c_str(), what.alphas[a],
                   static_cast<unsigned long long>(first_seed + s), found.status.c_str(), found.report.relative_gap,
                   error, found.model.zero_percentage(), found.seconds);
        }
    }
    for (std::size_t t = 0; t < what.tasks.size(); ++t) {
      std::size_t best = 0;
      for (std::size_t a = 1; a < what.alphas.size(); ++a)
        if (errors[t][a] <= errors[t][best]) best = a;
      std::printf("%zu per class, %-11s least mean error %.2f %% at alpha %.3g\n", per_class,
                  what.tasks[t].name.c_str(), errors[t][best], what.alphas[best]);
    }
    std::printf("%zu per class: solves took %.1f s of CPU time, %zu of them reached the limit of %.0f s\n", per_class,
                seconds, unfinished, what.limit_seconds);
    std::fflush(stdout);
  }
}

std::vector<Task> four_models(PenaltyKind penalty, Groups groups) {
  return {{"hinge", LossKind::hinge, penalty, groups},
          {"square", LossKind::squared_hinge, penalty, groups},
          {"logit", LossKind::logistic, penalty, groups},
          {"one-vs-all", LossKind::one_vs_rest_squared_hinge, penalty, groups}};
}

void announce(const char* title, std::size_t subsets, std::size_t in_the_paper, const std::vector<double>& alphas) {
  std::printf(
      "%s: %zu random subsets (paper: %zu) of seeds %llu...%llu, %zu values of alpha from %g to %g,\n"
      "lambda = alpha/n, certified relative gap 1e-3, test on all test samples.\n",
      title, subsets, in_the_paper, static_cast<unsigned long long>(first_seed),
      static_cast<unsigned long long>(first_seed + subsets - 1), alphas.size(), alphas.front(), alphas.back());
}

}  // namespace

void figure1(Run& run) {
  Sweep what{"figure1", four_models(PenaltyKind::group_linf, Groups::blocks(4)), {3, 5, 10}, {}, 0, 0};
  what.subsets = run.number(run.quick ? 1 : 3, 25);
  what.alphas = run.quick ? logarithmic(-1, 1, 1) : logarithmic(-2, 1.5, run.full ? 4 : 2);
  what.limit_seconds = run.full ? 60 : run.quick ? 1 : 5;
  if (run.quick) what.per_class = {3, 10};
  announce(
      "figure 1: raw pixels, l1,inf over blocks of 2 x 2 pixels within a class (of MNIST 196 blocks, as many as the\n"
      "paper's 14 x 14 positions; it has scattering features: see the experiment scattering)",
      what.subsets, 25, what.alphas);
  const Images images = read_images(run);
  const Features kind = pixels(images);
  const TestFeatures test(kind, images.data.test, images.data.test.labels.size());
  sweep(
      run, what,
      [&](std::size_t per_class, std::uint64_t seed) { return subset(images.data.train, kind, per_class, seed); },
      [&](const Coefficients& model) { return test.error_percentage(model); });
}

void figure2(Run& run) {
  if (!has_file(run, "news20/news20_bydate_tfidf_train.svm.gz", "figure 2")) return;
  Sweep what{"figure2", four_models(PenaltyKind::group_l2, Groups::rows()), {5, 10, 50}, {}, 0, 0};
  what.subsets = run.number(run.quick ? 1 : 2, 10);
  what.alphas = run.quick ? logarithmic(-1, 0, 2) : logarithmic(-2, 1, run.full ? 4 : 2);
  what.limit_seconds = run.full ? 120 : run.quick ? 1 : 10;
  if (run.quick) what.per_class = {5, 10};
  announce("figure 2: 20 newsgroups, tf-idf of 26,214 terms, l1,2 over the weights of a term", what.subsets, 10,
           what.alphas);
  const auto data =
      read(run.path("news20/news20_bydate_tfidf_train.svm.gz"), run.path("news20/news20_bydate_tfidf_test.svm.gz"));
  const TestSamples test(data.test);
  sweep(
      run, what,
      [&](std::size_t per_class, std::uint64_t seed) {
        const auto rows = draw(data.train, per_class, seed);
        std::vector<Label> labels;
        for (const std::size_t row : rows) labels.push_back(data.train.labels[row]);
        return std::make_unique<Problem>(cli::select_rows(data.train.table, rows), labels, data.train.classes);
      },
      [&](const Coefficients& model) { return test.error_percentage(model); });
}

}  // namespace tamis::paper_a
