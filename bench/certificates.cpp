// How much later a run can say how good its model is than the model is that good: CPU seconds to an error of the
// objective, and to a certificate of it. Data sets beyond those that ship come from TAMIS_DATA.
// Run: bench_certificates [ROW]: all rows, or those whose name begins like this.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "data.hpp"
#include "problem.hpp"
#include "training.hpp"

namespace {

using namespace tamis;

struct Row {
  const char* name;
  const char* path;  ///< of the samples, in TAMIS_DATA
  std::size_t samples;
  double scale;
  LossKind loss;
  PenaltyKind penalty;
  double lambda;
  bool in_float;
};

/// What is known at a certificate.
struct Seen {
  double seconds, objective, gap;
};

template <class T>
std::vector<Seen> watch(const Row& row, const cli::Table& table, const std::vector<Label>& labels, Index classes,
                        T tolerance) {
  const cli::Samples<T> samples(table);
  const Targets<T> targets{labels, classes};
  const Shape shape{targets.samples(), static_cast<Index>(table.features), classes};
  const ProblemSpec choice = cli::CommandTraining<T>::on_samples(
      ProblemSpec{row.loss, row.penalty}.of_sizes(shape, T(row.lambda)), samples.design(), shape, T(row.lambda), true);
  const std::size_t entries = table.sparse ? table.values.size() : table.samples * table.features;
  const std::size_t bytes =
      cli::CommandTraining<T>::requirement(choice, shape, {entries, cli::usual_active_limit}).bytes;
  const std::unique_ptr<std::byte[], decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(Arena::alignment, bytes)), std::free);
  std::fill_n(memory.get(), bytes, std::byte{0});  // pages are had before the clock starts
  cli::CommandTraining<T> training(choice, samples.design(), targets,
                                   {.lambda = T(row.lambda), .tolerance = tolerance});
  std::vector<Seen> seen;
  const auto started = std::clock();
  std::uint32_t certificates = 0;
  bool more = training.start({memory.get(), bytes});
  while (more) {
    more = training.step();
    if (training.certificates() == certificates) continue;
    certificates = training.certificates();
    const auto& report = training.report();
    seen.push_back(
        {double(std::clock() - started) / CLOCKS_PER_SEC, double(report.objective), double(report.relative_gap)});
  }
  return seen;
}

/// The first point of which that holds; nothing where none does.
template <class Holds>
double first(const std::vector<Seen>& seen, Holds holds) {
  const auto found = std::find_if(seen.begin(), seen.end(), holds);
  return found == seen.end() ? infinity<double> : found->seconds;
}

template <class T>
void measure(const Row& row, const cli::Table& table, const std::vector<Label>& labels, Index classes) {
  const double best = watch<double>(row, table, labels, classes, 1e-8).back().objective;
  std::vector<Seen> seen;
  for (int repetition = 0; repetition < 3; ++repetition) {  // the same points every time, each in its least time
    const auto again = watch<T>(row, table, labels, classes, T(1e-4));
    if (seen.empty()) seen = again;
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i].seconds = std::min(seen[i].seconds, again[i].seconds);
  }
  std::printf("| %s |", row.name);
  for (const double wanted : {1e-3, 1e-4}) {
    const double error = first(seen, [&](const Seen& at) { return at.objective - best <= wanted * best; });
    const double certificate = first(seen, [&](const Seen& at) { return at.gap <= wanted; });
    std::printf(" %.3f | %.3f | %.2f |", error, certificate, certificate / error);
  }
  std::printf("\n");
}

}  // namespace

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // each is shown as it is done
  const char* folder = std::getenv("TAMIS_DATA");
  if (!folder) {
    std::printf("certificates: not run: set TAMIS_DATA to the folder of the data sets\n");
    return 0;
  }
  using enum LossKind;
  using enum PenaltyKind;
  constexpr const char* mnist = "mnist/train-images-idx3-ubyte.gz,mnist/train-labels-idx1-ubyte.gz";
  constexpr const char* digits = "digits/digits.csv.gz";
  constexpr const char* news20 = "news20/news20_bydate_tfidf_train.svm.gz";
  constexpr const char* golub = "golub/golub_train.csv.gz";
  const Row rows[] = {
      {"MNIST 20,000, squared hinge, group-l2 1e-3, float", mnist, 20000, 255, squared_hinge, group_l2, 1e-3, true},
      {"MNIST 20,000, logistic, group-l2 1e-3, float", mnist, 20000, 255, logistic, group_l2, 1e-3, true},
      {"news20, squared hinge, group-l2 1e-4", news20, 0, 1, squared_hinge, group_l2, 1e-4, false},
      {"news20, logistic, l1 1e-4", news20, 0, 1, logistic, l1, 1e-4, false},
      {"digits, squared hinge, group-l2 1e-2", digits, 0, 16, squared_hinge, group_l2, 1e-2, false},
      {"digits, logistic, group-l2 1e-3", digits, 0, 16, logistic, group_l2, 1e-3, false},
      {"digits, logistic, l1 1e-3", digits, 0, 16, logistic, l1, 1e-3, false},
      {"digits, hinge, l1 1e-2", digits, 0, 16, hinge, l1, 1e-2, false},
      {"leukemia, hinge, l1 1e-2", golub, 0, 1, hinge, l1, 1e-2, false},
      {"leukemia, squared hinge, l1 1e-2", golub, 0, 1, squared_hinge, l1, 1e-2, false},
      {"leukemia, logistic, l1 1e-2", golub, 0, 1, logistic, l1, 1e-2, false},
  };
  std::printf(
      "| problem | error 1e-3 s | certified 1e-3 s | ratio | error 1e-4 s | certified 1e-4 s | ratio |\n"
      "|---|--:|--:|--:|--:|--:|--:|\n");
  for (const Row& row : rows) {
    if (count > 1 && std::string(row.name).rfind(words[1], 0) != 0) continue;
    cli::ReadOptions options;
    options.scale = row.scale;
    std::string path = std::string(folder) + "/" + row.path;
    if (const auto comma = path.find(','); comma != path.npos) path.insert(comma + 1, std::string(folder) + "/");
    cli::Table table = cli::read_table(path, options);
    if (row.samples > 0) {
      std::vector<std::size_t> chosen(row.samples);
      for (std::size_t i = 0; i < row.samples; ++i) chosen[i] = i;
      table = cli::select_rows(table, chosen);
    }
    const auto names = cli::class_names(table.labels);
    const auto labels = cli::encode(table, names);
    const auto classes = static_cast<Index>(names.size());
    if (row.in_float) measure<float>(row, table, labels, classes);
    else measure<double>(row, table, labels, classes);
  }
}
