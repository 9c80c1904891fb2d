#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tamis::cli {

namespace {

std::string accuracy_text(const char* where, const Evaluation& e) {
  if (e.sets)
    return format(
        "%s: %zu of %zu sets of labels right, %.2f %% of the memberships wrong, micro F1 %.3f; %.2f %% of the pairs in "
        "wrong order",
        where, e.sets->exact, e.sets->samples, 100 * e.sets->hamming_loss, e.sets->micro_f1, 100 * e.ranking->loss);
  if (e.ranking)
    return format("%s: the best class is a label of %zu of %zu (%.1f %%), %.2f %% of the pairs in wrong order", where,
                  e.right, e.total, 100 * e.accuracy(), 100 * e.ranking->loss);
  return format("%s: %zu of %zu right (%.1f %%)", where, e.right, e.total, 100 * e.accuracy());
}

}  // namespace

ProgressLine::ProgressLine(bool wanted, std::size_t parts)
    : wanted_(wanted && isatty(STDERR_FILENO)), parts_(parts), started_(wanted_ ? progress_clock() : 0) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

bool ProgressLine::due() {
  if (!wanted_) return false;
  const std::lock_guard lock(guard_);
  const double now = progress_clock();
  if (now - started_ < 2 || (shown_ && now - last_ < 0.1)) return false;
  last_ = now;
  return shown_ = true;
}

void ProgressLine::show(const std::string& place, std::uint32_t iteration, double relative_gap, Index nonzeros) {
  std::string line = place + format("iteration %u", iteration);
  if (std::isfinite(relative_gap))
    line += format(", within %.2g %% of optimal, %u weights", 100 * relative_gap, nonzeros);
  const std::lock_guard lock(guard_);
  if (const auto done = static_cast<double>(done_.load(std::memory_order_relaxed)); done > 0 && parts_) {
    const double left = (last_ - started_) * (static_cast<double>(parts_) / done - 1);
    line += left < 120 ? format("; %.0f s left", left) : format("; %.0f min left", left / 60);
  }
  ::winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && line.size() >= size.ws_col)
    line.resize(size.ws_col - 1u);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

double rounding_of(const std::string& precision) {
  return precision == "float" ? static_cast<double>(GapMonitor<float>::rounding) : GapMonitor<double>::rounding;
}
std::string certified(double relative_gap, const std::string& precision) {
  return format("certified within %.2g %% of optimal", 100 * std::max(relative_gap, rounding_of(precision)));
}

std::string summary(const RunReport& r) {
  const auto& s = r.solver;
  if (s.status == Status::infeasible)
    return format(
        "infeasible: no model has a mean loss of %.6g or less: %.6g is certified to be a lower bound, and %.6g the "
        "least "
        "that was met; raise --eta\n",
        r.eta, s.constraint_bound, s.constraint_value);
  const bool constrained = std::isfinite(r.eta);
  if (constrained && std::isinf(s.gap))
    return format(
        "%s: no model with a mean loss of %.6g or less was met, nor proved impossible; the least was %.6g, after %u "
        "iterations\n",
        name(s.status), r.eta, s.constraint_value, s.iterations);
  std::string out = format("%s: objective %.6g, ", name(s.status), s.objective);
  out += std::isfinite(s.relative_gap) ? certified(s.relative_gap, r.precision)
                                       : format("KKT residual %.2g", s.kkt_residual);
  out += format(" in %.0f ms (%u iterations)\n", 1000 * r.seconds, s.iterations);
  out += format("kept: %u of %u features, %u of %zu weights", s.nonzero_rows, r.shape.features, s.nonzeros,
                static_cast<std::size_t>(r.shape.features) * r.shape.classes);
  if (constrained)
    out += format(" (mean loss %.6g of at most %.6g; multiplier %.4g)", s.constraint_value, r.eta, s.multiplier);
  else if (std::isfinite(s.lambda_max)) out += format(" (lambda %.3g; none from %.3g on)", r.lambda, s.lambda_max);
  out += "\n" + accuracy_text("train", r.train);
  if (r.test) out += "; " + accuracy_text("test", *r.test);
  out += format("\narena: %zu bytes, data: %zu bytes (%s)\n", s.arena_bytes, r.data_bytes, r.precision.c_str());
  return out;
}

std::string weight_map(const StoredModel& model, std::size_t rows, std::size_t columns, bool colour) {
  const Coefficients& c = model.coefficients;
  double top = 0;
  for (const double w : c.weights) top = std::max(top, std::abs(w));
  const auto cell = [&](double w) -> std::string {
    const double size = top > 0 ? std::abs(w) / top : 0;
    if (colour) {
      if (size == 0) return "\033[48;5;236m  \033[0m";
      static constexpr int warm[] = {52, 88, 124, 160, 196}, cool[] = {17, 18, 19, 20, 21};
      const int shade = std::min(4, static_cast<int>(5 * std::sqrt(size)));
      return "\033[48;5;" + std::to_string(w > 0 ? warm[shade] : cool[shade]) + "m  \033[0m";
    }
    if (size == 0) return "  ";
    return w > 0 ? (size > 0.25 ? "# " : "+ ") : (size > 0.25 ? "o " : "- ");
  };

  const std::size_t width = 2 * columns + 2;
  const std::size_t per_line = std::max<std::size_t>(1, 100 / (width + 1));
  std::string out;
  for (std::size_t first = 0; first < c.classes; first += per_line) {
    const std::size_t last = std::min(c.classes, first + per_line);
    for (std::size_t k = first; k < last; ++k) {
      std::string title = " " + model.classes[k];
      title.resize(width, ' ');
      out += title + " ";
    }
    out += "\n";
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = first; k < last; ++k) {
        out += colour ? " " : "|";
        for (std::size_t q = 0; q < columns; ++q) out += cell(c.weight(r * columns + q, k));
        out += colour ? "  " : "| ";
      }
      out += "\n";
    }
  }
  if (!colour) out += "# + positive, o - negative weights; blank: zero\n";
  return out;
}

}  // namespace tamis::cli
