#pragma once
/// Watching a run: an observer is called with the report at every certificate and says whether to go on.

#include <concepts>

#include "report.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Any callable `bool(const Report<T>&)`; false stops the run (`Status::stopped`), with the best model so far.
template <class F, class T>
concept Observer = requires(F observe, const Report<T>& report) {
  { observe(report) } -> std::convertible_to<bool>;
};

/// Lets every run go on.
struct Unobserved {
  template <class T>
  constexpr bool operator()(const Report<T>&) const {
    return true;
  }
};

/// Advances a started solver until it ends, showing `observe` every certificate, the first and the last included.
template <class Solver, class Observe>
void advance_to_end(Solver& solver, Observe&& observe) {
  std::uint32_t seen = 0;
  bool more = true;
  while (more) {
    if (solver.certificates() != seen) {
      seen = solver.certificates();
      if (!observe(solver.report())) solver.stop();
    }
    more = solver.step();
  }
  if (solver.certificates() != seen) observe(solver.report());
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
