#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "experiments.hpp"
#include "tamis/selection/folds.hpp"

namespace tamis::paper_b {

namespace {

/// A file of a data set, or a pair of them.
struct Source {
  const char* name;
  const char* file;
  const char* labels;  ///< idx: the second file
  double scale;
  std::size_t first_rows;  ///< all that are used unless the run is full; 0: all
};

constexpr double highest_lambda = 1e-3;
constexpr Source sources[] = {
    {"news20", "news20/news20_bydate_tfidf_train.svm.gz", nullptr, 1, 0},
    {"mnist", "mnist/train-images-idx3-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz", 255, 4000},
    {"usps", "usps/usps_train.csv.gz", nullptr, 1, 0},
    {"letter", "letter/letter_train.csv.gz", nullptr, 15, 0},
    {"pendigits", "pendigits/pendigits_train.csv.gz", nullptr, 100, 0},
};

DataSet read(const std::string& name, const std::string& path, double scale, std::size_t first_rows) {
  cli::ReadOptions options;
  options.scale = scale;
  DataSet out{name, highest_lambda, {cli::read_table(path, options), {}, 0}};
  Labelled& samples = out.samples;
  if (first_rows > 0 && first_rows < samples.table.samples) {
    std::vector<std::size_t> rows(first_rows);
    for (std::size_t i = 0; i < first_rows; ++i) rows[i] = i;
    samples.table = cli::select_rows(samples.table, rows);
    out.name += "-" + std::to_string(first_rows);
  }
  const auto names = cli::class_names(samples.table.labels);
  samples.labels = cli::encode(samples.table, names);
  samples.classes = static_cast<Index>(names.size());
  return out;
}

Labelled select(const Labelled& from, const std::vector<std::size_t>& rows) {
  Labelled out{cli::select_rows(from.table, rows), {}, from.classes};
  for (const std::size_t row : rows) out.labels.push_back(from.labels[row]);
  return out;
}

cli::Split deal(const DataSet& data, std::uint64_t seed) {
  const std::vector<Label>& labels = data.samples.labels;
  std::vector<Index> fold(labels.size()), order(labels.size());
  Index rare = 0;
  if (!deal_folds(labels, data.samples.classes, 5, true, seed, fold.data(), order.data(), rare))
    throw std::runtime_error(data.name + ": class number " + std::to_string(rare) + " has fewer than 5 samples");
  cli::Split rows;
  for (std::size_t i = 0; i < labels.size(); ++i) (fold[i] == 0 ? rows.test : rows.train).push_back(i);
  return rows;
}

}  // namespace

void for_each_data_set(const Run& run, const std::function<void(const DataSet&)>& visit) {
  const auto wanted = [&](const char* name) { return run.only.empty() || run.only == name; };
  const auto show = [&](const DataSet& data) {
    std::printf("%s: %zu samples, %zu features, %u classes\n", data.name.c_str(), data.samples.table.samples,
                data.samples.table.features, data.samples.classes);
    std::fflush(stdout);
    visit(data);
  };
  if (wanted("digits") || run.quick) show(read("digits", TAMIS_TEST_DATA "/digits.csv", 16, run.quick ? 500 : 0));
  if (run.quick) return;
  for (const Source& source : sources) {
    if (!wanted(source.name)) continue;
    if (run.data.empty()) {
      std::printf("%s skipped: set TAMIS_DATA to the folder of the data sets\n", source.name);
      continue;
    }
    bool missing = false;
    for (const char* file : {source.file, source.labels})
      if (file && !std::filesystem::exists(run.path(file))) {
        std::printf("%s skipped: set TAMIS_DATA to a folder that has %s\n", source.name, file);
        missing = true;
        break;
      }
    if (missing) continue;
    const std::string path = run.path(source.file) + (source.labels ? "," + run.path(source.labels) : "");
    show(read(source.name, path, source.scale, run.full ? 0 : source.first_rows));
  }
}

Split::Split(const DataSet& data, std::uint64_t seed) : Split(data, deal(data, seed)) {}

Split::Split(const DataSet& data, const cli::Split& rows) {
  Labelled chosen = select(data.samples, rows.train);
  train = std::make_unique<Problem>(std::move(chosen.table), std::move(chosen.labels), chosen.classes);
  test = std::make_unique<TestSamples>(select(data.samples, rows.test));
}

double objective(const Problem& problem, LossKind kind, double lambda, const Coefficients& coefficients) {
  const LinearModel<double> model = coefficients.view();
  const AnyLoss<double> loss(kind);
  std::vector<Index> used;
  Sum<double> total;
  for (Index j = 0; j < model.features; ++j) {
    if (!model.uses(j)) continue;
    used.push_back(j);
    double square = 0;
    for (Index k = 0; k < model.classes; ++k) square += model(j, k) * model(j, k);
    total.add(lambda * std::sqrt(square));
  }
  const AnyDesign<double>& design = problem.samples.design();
  std::vector<double> scores(std::size_t{design.samples()} * model.stride());
  design.multiply(used.data(), static_cast<Index>(used.size()), model.coefficients, model.stride(),
                  row_of(model.coefficients, model.features, model.stride()), scores.data());
  const double margin = default_margin<double>(loss);
  for (Index i = 0; i < design.samples(); ++i)
    total.add(loss.value(row_of(scores.data(), i, model.stride()), model.classes, problem.labels[i], margin) /
              design.samples());
  return total.value();
}

double nonzero_row_percentage(const Coefficients& coefficients) {
  const LinearModel<double> model = coefficients.view();
  double used = 0;
  for (Index j = 0; j < model.features; ++j) used += model.uses(j);
  return 100 * used / model.features;
}

}  // namespace tamis::paper_b
