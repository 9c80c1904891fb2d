#include "tally.hpp"

#include <algorithm>
#include <cstdio>

namespace tamis::verifier {

std::vector<std::string> Tally::add(const Problem& problem, const std::vector<Outcome>& outcomes,
                                    const Examination& examination) {
  for (const Outcome& o : outcomes)
    for (Counts* counts : {&of_[o.solver], &all_}) {
      ++counts->cases;
      if (o.converged()) ++counts->converged;
      else if (o.status == Status::precision_limit) ++counts->precision;
      else if (o.status == Status::infeasible) ++counts->infeasible;
      else ++(o.has_model() ? counts->limits : counts->refused);
    }
  for (const Hidden& hidden : examination.hidden)
    for (Counts* counts : {&of_[hidden.solver], &all_}) {
      ++counts->hidden;
      counts->worst = std::max(counts->worst, hidden.relative_excess / hidden.tolerance);
    }
  std::vector<std::string> lines;
  for (const Finding& finding : examination.findings) {
    for (Counts* counts : {&of_[finding.solver], &all_}) ++counts->failures;
    ++rules_[finding.rule];
    lines.push_back("FALSE " + finding.rule + " (" + finding.detail + ") " + problem.describe() +
                    "\n  verifier --problem " + std::to_string(problem.seed) + " --only " + name(finding.solver));
  }
  return lines;
}

std::string Tally::line(const char* of, const Counts& c) {
  char text[300];
  std::snprintf(text, sizeof text,
                "%-42s %8llu cases, %llu converged (%llu off by rounding, at most %.3Lg tolerances), %llu precision "
                "limit, %llu iteration limit, %llu infeasible, %llu refused, %llu false\n",
                of, static_cast<unsigned long long>(c.cases), static_cast<unsigned long long>(c.converged),
                static_cast<unsigned long long>(c.hidden), c.worst, static_cast<unsigned long long>(c.precision),
                static_cast<unsigned long long>(c.limits), static_cast<unsigned long long>(c.infeasible),
                static_cast<unsigned long long>(c.refused), static_cast<unsigned long long>(c.failures));
  return text;
}

std::string Tally::summary() const {
  std::string out;
  for (const auto& [solver, counts] : of_) out += line(name(solver), counts);
  out += line("all", all_);
  for (const auto& [rule, count] : rules_) out += "false: " + rule + " " + std::to_string(count) + "\n";
  return out;
}

}  // namespace tamis::verifier
