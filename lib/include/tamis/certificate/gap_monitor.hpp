#pragma once
/// The verdict on a certificate, the same for every solver: this is where runs converge, and where they end because the
/// scalar type can do no better.

#include "../report.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Compares the gap between the best model and the best dual point with the tolerance and with its own past.
///
/// No run ends with an objective that is not a number: `conclude` refuses it as `invalid_scale`. A gap is never
/// negative: where the dual objective is above the objective, one of them is wrong by rounding. Up to `rounding` of them
/// the gap is zero then, so that much is what every gap may hide; more is reported as the gap, and the run ends.
template <class T>
class GapMonitor {
 public:
  /// Relative differences of objectives below this are noise: compensated sums have a few roundings each.
  static constexpr T rounding = T(16) * epsilon<T>;
  /// Relative gaps above this are no question of precision: a run that stalls there goes on.
  static constexpr T precision_floor = sizeof(T) == 4 ? T(1.2e-3) : T(1.5e-8);

  /// What relative gaps are relative to.
  static T size(const Report<T>& report) {
    return largest(largest(absolute(report.objective), absolute(report.dual_objective)), T(1e-12));
  }

  /// Sets gap and relative gap from the two objectives, of which `noise` is rounding. False: they contradict each other.
  [[gnu::noinline]] static bool take_gap(Report<T>& report, T noise = rounding) {
    const T gap = report.objective - report.dual_objective;
    const bool agree = !(gap < -noise * size(report));
    report.gap = !agree ? -gap : gap < T(0) ? T(0) : gap;  // one that is no number certifies nothing
    // ∞/∞ has a sign, and not everywhere the same.
    report.relative_gap = finite(report.gap) ? report.gap / size(report) : not_a_number<T>;
    return agree;
  }

  void begin() {
    stalled_gap_ = infinity<T>;
    patience_ = 0;
  }

  /// Whether the gap has not fallen for half of the iterations, and for a thousand: it is time to look closely.
  bool is_overdue(const Report<T>& report) const { return report.iterations > patience_; }

  /// Sets gap, relative gap and status from the two objectives. `may_be_infinite`: there may be no feasible point yet.
  TAMIS_CALLED_ONCE void conclude(Report<T>& report, T tolerance, bool may_be_infinite = false) {
    if (!finite(report.objective) && !(may_be_infinite && report.objective > T(0))) {
      report.status = Status::invalid_scale;
      return;
    }
    const bool agree = take_gap(report);
    if (report.relative_gap <= tolerance) {
      report.status = Status::converged;
    } else if (!agree || report.relative_gap <= rounding) {
      report.status = Status::precision_limit;
    } else if (!(report.relative_gap >= T(0.9) * stalled_gap_)) {  // or there is no gap yet
      stalled_gap_ = report.relative_gap;
      patience_ = 2 * report.iterations + 1000;
    } else if (is_overdue(report) && (report.relative_gap < precision_floor || report.kkt_residual <= rounding)) {
      report.status = Status::precision_limit;
    }
  }

  /// Ends a run that cannot go on for rounding errors.
  static void end_for_rounding(Report<T>& report) {
    report.status = finite(report.objective) ? Status::precision_limit : Status::invalid_scale;
  }

 private:
  T stalled_gap_;           ///< the last one that was a tenth below the one before
  std::uint32_t patience_;  ///< the iteration by which there should be progress
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
