// Table 2 and figure 10: Parkinson's disease from speech, random thirds to train, to choose and to test.
#include <algorithm>
#include <cmath>

#include "experiments.hpp"

namespace tamis::paper_c {

namespace {

/// Each feature of mean 0 and variance 1 over the training samples.
void standardise(Parts& parts) {
  const Samples& train = parts.train;
  for (std::size_t j = 0; j < train.features; ++j) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < train.count; ++i) mean += train.x[i + j * train.count] / train.count;
    for (std::size_t i = 0; i < train.count; ++i)
      square += (train.x[i + j * train.count] - mean) * (train.x[i + j * train.count] - mean) / train.count;
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (Samples* part : {&parts.train, &parts.validation, &parts.test})
      for (std::size_t i = 0; i < part->count; ++i) {
        double& x = part->x[i + j * part->count];
        x = (x - mean) * scale;
      }
  }
}

struct Approach {
  const char* name;
  Hierarchy hierarchy;
};
constexpr Approach approaches[] = {{"full", Hierarchy::full}, {"strong", Hierarchy::strong}};

}  // namespace

void table2(Run& run) {
  Samples all = run.quick ? Samples{} : read(run, "table 2: parkinson", "parkinson/parkinson_speech_train.csv.gz");
  if (all.count == 0) return;
  for (const double y : all.y) all.labels.push_back(static_cast<Label>(y));
  all.y.clear();
  all.classes = 2;
  const std::string columns =
      "approach,lambda1,lambda2,seed,train,validation,test,nonzero_rate,nonzeros,relative_gap,status,seconds";
  Csv main_effects(run, "table2.csv", "scale," + columns), products(run, "table2_products.csv", columns);
  const std::size_t splits = run.splits(3);
  const double seconds = run.full ? run.limit() : std::min(run.limit(), 2.0);
  for (std::size_t split = 0; split < splits; ++split) {
    const std::uint64_t seed = first_seed + split;
    const auto thirds = divide(all.count, 3, seed);
    Parts parts{all.select(thirds[0]), all.select(thirds[1]), all.select(thirds[2])};
    standardise(parts);
    const double n = parts.train.count;
    const auto line = [&](Csv& out, const std::string& first, double lambda1, double lambda2, const Solution& found) {
      out.line("%s,%g,%g,%llu,%.4f,%.4f,%.4f,%.4f,%u,%.3g,%s,%.6f", first.c_str(), lambda1, lambda2,
               static_cast<unsigned long long>(seed), found.model.accuracy(parts.train),
               found.model.accuracy(parts.validation), found.model.accuracy(parts.test), found.model.nonzero_rate(),
               found.model.nonzeros(), found.report.relative_gap, name(found.report.status), found.seconds);
    };
    for (int power = -1; power >= -6; --power)
      for (const bool mean : {true, false}) {
        const double lambda = std::pow(10, power), units = mean ? n : 1;
        line(main_effects, mean ? "mean,main" : "sum,main", lambda, 0,
             solve(parts.train, {Hierarchy::main, HierarchyNorm::l1, units * lambda, 0}, 1e-4, seconds));
      }
    for (const Approach& approach : approaches)
      for (int first = -1; first >= -6; --first)
        for (int second = -1; second >= -6; --second) {
          if (!run.full && (first == -3 || first == -5 || second == -5)) continue;
          const double lambda1 = std::pow(10, first), lambda2 = std::pow(10, second);
          line(products, approach.name, lambda1, lambda2,
               solve(parts.train, {approach.hierarchy, HierarchyNorm::l1, n * lambda1, n * lambda2}, 1e-3, seconds));
        }
    std::printf("parkinson, split %llu done\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
  }
}

}  // namespace tamis::paper_c
