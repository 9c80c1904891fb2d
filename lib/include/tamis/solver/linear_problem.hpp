#pragma once
/// What is asked of a solver of linear scores, and the one place where it is checked.

#include "../arena.hpp"
#include "../concepts.hpp"
#include "../options.hpp"
#include "../penalty/groups.hpp"
#include "door.hpp"
#include "run_state.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A design, targets, a loss, a penalty and options, as views and small objects; scores have `shape_.classes` entries,
/// in rows of `stride_`. The first layer of Workbench.
template <class T, class Loss, class Penalty, class Design>
class LinearProblem : protected RunState<T> {
 public:
  /// The parts of the problem, for whoever makes another solver of it.
  const Design& design() const { return design_; }
  const Targets<T>& targets() const { return targets_; }
  const Loss& loss() const { return loss_; }
  const Options<T>& options() const { return options_; }
  Shape shape() const { return shape_; }
  Index stride() const { return stride_; }

 protected:
  using RunState<T>::report_, RunState<T>::shape_, RunState<T>::stride_, RunState<T>::memory_,
      RunState<T>::active_count_;

  LinearProblem(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                const Options<T>& options)
      : design_(design),
        targets_(targets),
        loss_(loss),
        penalty_(penalty),
        options_(options),
        together_(features_together(penalty)),
        dual_kind_(tamis::dual_kind<T>(penalty)) {
    shape_ = {static_cast<Index>(predicts_values(loss) ? targets.values.size() : targets.labels.size()),
              design.features(), targets.classes};
    stride_ = padded<T>(targets.classes);
    targets_.common_margin = margin_for_all(options, loss);
    if (predicts_values(loss)) {
      targets_.labels = {};
      targets_.margins = targets_.values.data();
    }
  }

  /// The status of the first thing that is wrong, with its row and column in the report, or `running`. `with_eta`: the
  /// constrained form is asked for.
  TAMIS_CALLED_ONCE Status check(Report<T>& report, bool with_eta) {
    if (shape_.samples == 0 || shape_.features == 0 || !valid_outputs(loss_, shape_.classes) ||
        shape_.classes > 65536 || design_.samples() != shape_.samples)
      return Status::invalid_shape;
    if (!detail::in_range(options_.lambda, true)) return Status::invalid_lambda;
    if (with_eta ? !(detail::in_range(options_.eta, false) && options_.lambda == T(0)) : options_.eta != T(0))
      return Status::invalid_eta;
    if (!detail::in_range(options_.tolerance, false) || options_.max_iterations == 0 || together_ == 0)
      return Status::invalid_option;
    if constexpr (requires { penalty_.valid(); })
      if (!penalty_.valid()) return Status::invalid_option;
    if constexpr (HasGrouping<Penalty>) {
      const Groups groups = penalty_.grouping();
      if (groups.is_listed && !groups.cover(shape_.features, report.column)) return Status::invalid_groups;
    }
    if (targets_.margins && has_margin(options_)) return Status::invalid_margin;
    const bool may_be_zero = default_margin<T>(loss_) == T(0);
    for (Index i = 0; i < shape_.samples; ++i) {
      report.row = i;
      if (!valid_label(loss_, label_of(loss_, targets_, i), shape_.classes)) return Status::invalid_label;
      if (!detail::in_range(targets_.raw_weight(i), true)) return Status::invalid_weight;
      if (predicts_values(loss_) ? !finite(targets_.margin(i)) : !detail::in_range(targets_.margin(i), may_be_zero))
        return predicts_values(loss_) ? Status::invalid_label : Status::invalid_margin;
    }
    report.row = 0;
    targets_.inverse_total = T(1);  // classes may be weighed
    for (Index k = 0; k < shape_.classes; ++k) {
      report.column = k;
      if (!has_samples(loss_, targets_, options_.intercept, k)) return Status::missing_class;
    }
    report.column = 0;
    targets_.normalise();
    if (!targets_.holds_shares(report.row)) return Status::invalid_weight;
    if (design_.find_bad_value(report.row, report.column)) {
      const Status failure = failure_of(design_, report.row);
      return failure == Status::running ? Status::invalid_data : failure;
    }
    return Status::running;
  }

  /// Entries of a coefficient matrix, and of the duals: what is in the arena does not overflow.
  std::size_t matrix_entries() const { return (std::size_t(shape_.features) + 1) * stride_; }
  std::size_t dual_entries() const { return std::size_t(shape_.samples) * stride_; }

  /// Whether groups whose dual norm is at most λ have coefficients zero.
  bool has_zeros() const { return dual_kind() == DualKind::norm || dual_kind() == DualKind::sparse_conjugate; }
  /// What the penalty knows of its dual; a constant unless that depends on its parameters.
  DualKind dual_kind() const {
    if constexpr (requires { penalty_.dual_kind(); }) return dual_kind_;
    else return tamis::dual_kind<T>(penalty_);
  }

  Design design_;
  Targets<T> targets_;
  Loss loss_;
  Penalty penalty_;
  Options<T> options_;
  Index together_;  ///< consecutive features that the penalty sees together
  DualKind dual_kind_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
