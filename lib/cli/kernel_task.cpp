#include "kernel_task.hpp"

#include <algorithm>

#include "errors.hpp"
#include "readers.hpp"

namespace tamis::cli {

void KernelBoundArguments::declare(const Command& command) {
  draws_ = command.add_option("--rademacher", draws,
                              "estimate the data-dependent bound of the error on other samples, by so many draws of "
                              "signs; that it falls with the number of samples is proved for p = q = 1, for p = 2, q = "
                              "1, r = 1 and for p = 1, q = 2, r = 2");
  delta_ = command.add_option("--delta", delta, "the bound may fail with this probability")->capture_default_str();
}

bool KernelBoundArguments::given() const { return draws_ && draws_->count() > 0; }

double KernelBoundArguments::probability() const { return parse_number("--delta", delta); }

void KernelBoundArguments::check() const {
  if (delta_ && delta_->count() > 0 && !given()) throw ArgumentError("--delta is for --rademacher: give both");
  if (given() && draws < 2)
    throw ArgumentError("--rademacher: " + in_words(draws, "draw") + (draws == 1 ? " has" : " have") +
                        " no standard error: take 2 or more");
  if (!(probability() > 0 && probability() < 1))
    throw ArgumentError("--delta: " + delta + " does not lie between 0 and 1");
}

bool KernelTask::has_matrices() const {
  return std::any_of(kernels.begin(), kernels.end(), [](const TaskKernel& k) { return !k.function; });
}

std::vector<double> KernelTask::rows() const {
  std::vector<double> out(train.values.size());
  for (std::size_t i = 0; i < train.samples; ++i)
    for (std::size_t j = 0; j < train.features; ++j) out[i * train.features + j] = train.values[i + j * train.samples];
  return out;
}

namespace {

void check_arguments(const KernelArguments& a) {
  a.check();
  a.bound.check();
  if (a.bound.given() && a.intercept)
    throw ArgumentError(
        "--rademacher: the bound is of coefficients that the norm counts: take --kernel constant in place of "
        "--intercept");
  if (a.kernels.empty() && a.matrices.empty())
    throw ArgumentError("--kernel or --kernel-matrix: at least one kernel is needed");
  for (const auto& [option, value] : {std::pair{"--p", a.p}, {"--q", a.q}, {"--r", a.r}})
    if (value != 1 && value != 2)
      throw ArgumentError(std::string(option) + ": " + std::to_string(value) + " is neither 1 nor 2");
  check_one_of("--form", a.form, {"auto", "binary", "multiclass"});
  if (a.data.empty()) {
    if (a.matrices.empty()) throw ArgumentError("DATA is missing: --kernel compares samples");
    if (a.reading.labels_file.empty())
      throw ArgumentError("--labels is missing: matrices alone do not say the classes of the samples");
    if (a.standardise || !a.reading.scale.empty())
      throw ArgumentError(std::string(a.standardise ? "--standardise" : "--scale") +
                          ": without DATA there are no features");
  }
  if (!a.matrices.empty() && !a.test.empty())
    throw ArgumentError("--test: the matrices of --kernel-matrix are of the training samples alone");
  if (!a.matrices.empty() && !a.model.empty())
    throw ArgumentError(
        "--model: a kernel that is given as a matrix has no value for new samples; --report has the "
        "coefficients");
}

/// The n × n matrix of a file, row-major.
std::vector<double> read_matrix(const std::string& path, std::size_t samples) {
  TextFile file(path);
  std::vector<double> out;
  std::string line;
  while (file.next_line(line)) {
    if (out.size() == samples * samples) file.fail_at_line("", "more rows than the " + in_words(samples, "sample"));
    std::size_t column = 0;
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = line.find(',', begin);
      const auto text = std::string_view(line).substr(begin, end == std::string::npos ? end : end - begin);
      double value = 0;
      const NumberKind kind = parse_number(text, value);
      ++column;
      if (kind != NumberKind::finite)
        file.fail_at_line(", column " + std::to_string(column), refusal(kind, trimmed(text)));
      out.push_back(value);
    }
    if (column != samples) file.fail_at_line("", found_expected(column, samples, "value") + ", one per sample");
  }
  if (out.size() != samples * samples)
    file.fail(found_expected(out.size() / samples, samples, "row") + ", one per sample");
  return out;
}

/// Samples of no features, with the labels of a file.
Table read_labels(const ReadOptions& options) {
  Table table;
  table.path = options.labels_file;
  TextFile file(table.path);
  table.labels = is_idx(file) ? read_idx_labels(file) : read_csv_column(file, options.header == Header::present, false);
  table.samples = table.labels.size();
  for (std::size_t i = 0; i < table.samples; ++i) table.lines.push_back(i + 1);
  if (table.labels.empty()) file.fail("holds no labels");
  check_size(file, table.samples, "labels");
  return table;
}

void encode_labels(const KernelArguments& a, KernelTask& task) {
  const std::string& source = a.data.empty() || !a.reading.labels_file.empty() ? a.reading.labels_file : a.data;
  task.encode_classes(source, "");
  if (a.form == "binary" && task.classes.size() != 2)
    throw DataError(source + ": " + std::to_string(task.classes.size()) +
                    " different labels, and --form binary is for two: take multiclass");
  task.binary = a.form != "multiclass" && task.classes.size() == 2;
  if (a.bound.given() && !task.binary)
    throw ArgumentError("--rademacher: the bound is of two classes with one score" +
                        (task.classes.size() == 2
                             ? std::string(": take --form binary")
                             : ", and there are " + std::to_string(task.classes.size()) + " classes"));
}

}  // namespace

KernelTask read_task(const KernelArguments& a) {
  KernelTask task;
  check_arguments(a);
  task.p = a.p;
  task.q = a.q;
  task.r = a.r;
  task.solver = a.solver_among(all_kernel_solvers);
  if (a.bound.given() && task.solver == KernelSolver::fista)
    throw ArgumentError("--rademacher takes matrices, which --solver fista does not store: take admm");
  task.options = a.options("coefficients");
  task.options.intercept = a.intercept;
  for (const auto& text : a.kernels) {
    task.kernels.push_back({text, parse_kernel("--kernel", text), {}});
    if (a.data.empty() && !task.kernels.back().is_constant())
      throw ArgumentError("DATA is missing: --kernel " + text + " compares samples");
  }

  if (a.data.empty()) task.train = read_labels(a.reading.read_options());
  else task.read(a);
  encode_labels(a, task);
  task.fill_zeros();
  task.take_self_test(task.first_of_classes());
  if (a.standardise) task.standardise();
  task.deal(a);
  check_memory(a, task);
  for (const auto& path : a.matrices) task.kernels.push_back({path, {}, read_matrix(path, task.train.samples)});
  return task;
}

}  // namespace tamis::cli
