#include "common.hpp"

#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace tamis::papers {

TestSamples::TestSamples(const Labelled& samples) : labels_(samples.labels) {
  const cli::Table& table = samples.table;
  const std::size_t block = table.sparse ? table.samples : 200;
  for (std::size_t first = 0; first < table.samples; first += block) {
    std::vector<std::size_t> rows;
    for (std::size_t i = first; i < std::min(first + block, table.samples); ++i) rows.push_back(i);
    tables_.push_back(cli::select_rows(table, rows));
  }
  for (const cli::Table& part : tables_) {
    const auto count = static_cast<Index>(part.samples), features = static_cast<Index>(part.features);
    if (part.sparse) sparse_.emplace_back(part.values.data(), part.rows.data(), part.starts.data(), count, features);
    else dense_.emplace_back(part.values.data(), count, features);
  }
}

std::size_t TestSamples::errors(const Coefficients& coefficients) const {
  const LinearModel<double> model = coefficients.view();
  std::vector<Index> used;
  for (Index j = 0; j < model.features; ++j)
    if (model.uses(j)) used.push_back(j);
  const double* intercepts = row_of(model.coefficients, model.features, model.stride());
  std::vector<double> scores;
  std::size_t wrong = 0, first = 0;
  const auto count_errors = [&](const auto& design) {
    scores.resize(std::size_t{design.samples()} * model.stride());
    design.multiply(used.data(), static_cast<Index>(used.size()), model.coefficients, model.stride(), intercepts,
                    scores.data());
    for (Index i = 0; i < design.samples(); ++i) {
      const double* row = row_of(scores.data(), i, model.stride());
      wrong += static_cast<Label>(std::max_element(row, row + model.classes) - row) != labels_[first + i];
    }
    first += design.samples();
  };
  for (const auto& design : dense_) count_errors(design);
  for (const auto& design : sparse_) count_errors(design);
  return wrong;
}

Coefficients copy_of(const LinearModel<double>& model) {
  Coefficients out;
  out.features = model.features;
  out.classes = model.classes;
  out.values.assign(model.coefficients, model.coefficients + (std::size_t{model.features} + 1) * model.stride());
  return out;
}

std::vector<Index> Coefficients::nonzeros(double above) const {
  std::vector<Index> count(classes);
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < classes; ++k) count[k] += std::abs(view()(j, k)) > above;
  return count;
}

double Coefficients::zero_percentage() const {
  double nonzero = 0;
  for (const Index count : nonzeros()) nonzero += count;
  return 100 * (1 - nonzero / (static_cast<double>(features) * classes));
}

double Coefficients::distance(const Coefficients& other) const {
  double apart = 0, length = 0;
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < classes; ++k) {
      const double to = other.view()(j, k), away = view()(j, k) - to;
      apart += away * away;
      length += to * to;
    }
  return length > 0 ? std::sqrt(apart / length) : std::sqrt(apart);
}

Csv::Csv(const Run& run, const std::string& name, const std::string& header)
    : file_(std::fopen((run.output + "/" + name).c_str(), "w")) {
  if (!file_) throw std::runtime_error("cannot write " + run.output + "/" + name);
  std::fprintf(file_, "%s\n", header.c_str());
}

void Csv::line(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vfprintf(file_, format, arguments);
  va_end(arguments);
  std::fputc('\n', file_);
  std::fflush(file_);
}

namespace {

/// Of one minute; −1 where the system has none.
double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? std::round(100 * load) / 100 : -1;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != line.npos) return line.substr(line.find(": ") + 2);
  return "unknown processor";
}

std::string compiler() {
#if defined(__clang__)
  return "clang++ " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#endif
}

}  // namespace

std::string command_line(int count, const char* const* arguments) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--output") ++i;
    else if (argument.rfind("--output=", 0) != 0)
      out += (out.empty() ? "" : " ") + std::filesystem::path(argument).filename().string();
  }
  return out;
}

void measure(const Run& run, const std::string& name, const std::function<void()>& experiment, int threads) {
  const double load_before = load_average();
  const std::time_t now = std::time(nullptr);
  const auto started = std::chrono::steady_clock::now();
  experiment();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
  char date[11];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  const nlohmann::ordered_json record{{"command", run.command},   {"date", date},
                                      {"processor", processor()}, {"processors", std::thread::hardware_concurrency()},
                                      {"compiler", compiler()},   {"seconds", std::round(10 * taken.count()) / 10},
                                      {"threads", threads},       {"load", {load_before, load_average()}}};
  std::ofstream file(run.output + "/" + name + ".run.json");
  file << record.dump(1) << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + run.output + "/" + name + ".run.json");
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<double> logarithmic(double low, double high, int per_decade) {
  std::vector<double> values;
  const int count = static_cast<int>(std::lround((high - low) * per_decade));
  for (int i = 0; i <= count; ++i) values.push_back(std::pow(10.0, low + static_cast<double>(i) / per_decade));
  return values;
}

}  // namespace tamis::papers
