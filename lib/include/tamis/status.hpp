#pragma once
/// How a call ended. The first five are endings of a training run; the others are refusals that touched nothing, but
/// for the last three, which may come in the middle of one.

#include <cstdint>

#include "profile.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

enum class Status : std::uint8_t {
  converged,            ///< the certificate is below the tolerance
  precision_limit,      ///< the scalar type can certify no more than `relative_gap`
  iteration_limit,      ///< `max_iterations` reached; the model is the best so far
  stopped,              ///< the observer, or a rule other than the gap, asked for it; the model is the best so far
  running,              ///< not ended yet: call `step()` again
  infeasible,           ///< no point satisfies the constraints
  arena_too_small,      ///< `arena_bytes` of the report says what would do
  invalid_arena,        ///< null, or not aligned to Arena::alignment
  invalid_shape,        ///< no samples or features, scores that do not suit the loss, or sizes that do not fit
  invalid_data,         ///< a value that is NaN or infinite, at `row` and `column`
  invalid_label,        ///< a label ≥ classes, or a value that is not finite, at `row`
  missing_class,        ///< no sample of positive weight for class `column`
  invalid_weight,       ///< a sample weight that is negative or not finite, or too small beside the others, at `row`
  invalid_margin,       ///< a margin that is not positive (for logistic: negative) or not finite, at `row`
  invalid_lambda,       ///< negative, NaN or infinite
  invalid_option,       ///< a tolerance, a limit or a parameter of the penalty out of range
  invalid_combination,  ///< the solver does not accept this loss or this penalty
  invalid_groups,       ///< listed groups that are empty, overlap or miss a feature: `column`
  invalid_eta,          ///< not positive and finite, or given to a solver of the other form, or together with λ
  source_failed,        ///< what the samples are read from failed, at `row`: see RowReader
  short_row,            ///< it gave a row of fewer values than there are features, or of more, at `row`
  invalid_scale,        ///< samples so large or so small that their squares, or the objective, leave the range of T
};

/// Whether the run ended with a usable model.
constexpr bool has_model(Status status) { return status <= Status::running; }

/// Whether the samples could not be read. What the run had certified before stays its model.
constexpr bool is_source_failure(Status status) {
  return status == Status::source_failed || status == Status::short_row;
}

/// The name used in reports.
constexpr const char* name(Status status) {
  switch (status) {
    case Status::converged: return "converged";
    case Status::precision_limit: return "precision_limit";
    case Status::iteration_limit: return "iteration_limit";
    case Status::stopped: return "stopped";
    case Status::running: return "running";
    case Status::infeasible: return "infeasible";
    case Status::arena_too_small: return "arena_too_small";
    case Status::invalid_arena: return "invalid_arena";
    case Status::invalid_shape: return "invalid_shape";
    case Status::invalid_data: return "invalid_data";
    case Status::invalid_label: return "invalid_label";
    case Status::missing_class: return "missing_class";
    case Status::invalid_weight: return "invalid_weight";
    case Status::invalid_margin: return "invalid_margin";
    case Status::invalid_lambda: return "invalid_lambda";
    case Status::invalid_option: return "invalid_option";
    case Status::invalid_combination: return "invalid_combination";
    case Status::invalid_groups: return "invalid_groups";
    case Status::invalid_eta: return "invalid_eta";
    case Status::source_failed: return "source_failed";
    case Status::short_row: return "short_row";
    case Status::invalid_scale: return "invalid_scale";
  }
  return "unknown";
}

/// One sentence: what is wrong and what to do.
constexpr const char* describe(Status status) {
  switch (status) {
    case Status::converged: return "the duality gap is below the tolerance";
    case Status::precision_limit: return "the gap is as small as this precision can certify: use double for less";
    case Status::iteration_limit: return "the iteration limit was reached before the tolerance: raise either";
    case Status::stopped: return "the run ended when asked to";
    case Status::running: return "the run has not ended: call step()";
    case Status::infeasible: return "no coefficients satisfy the constraint: raise eta";
    case Status::arena_too_small: return "the arena is too small: give it the bytes the report asks for";
    case Status::invalid_arena: return "the arena is null or not aligned to 16 bytes";
    case Status::invalid_shape: return "training needs at least one sample, one feature and two classes";
    case Status::invalid_data: return "a sample holds a value that is not finite: remove or impute it";
    case Status::invalid_label: return "a label is not below the number of classes";
    case Status::missing_class: return "a class has no sample of positive weight: its intercept would diverge";
    case Status::invalid_weight:
      return "a sample weight is negative or not finite, or too large or too small beside the others for this "
             "precision";
    case Status::invalid_margin:
      return "a margin is not positive (for logistic: negative) or not finite, or margins are given twice";
    case Status::invalid_lambda:
      return "lambda must be zero or positive, and finite (positive where the solver needs it)";
    case Status::invalid_option:
      return "the tolerance must be positive, the iteration limit at least 1, the penalty's parameters in range";
    case Status::invalid_combination: return "the solver does not accept this loss or penalty";
    case Status::invalid_groups: return "every feature must be in exactly one group, none may be empty";
    case Status::invalid_eta:
      return "eta must be positive and finite, for a constrained solver and without lambda; other solvers take none";
    case Status::source_failed: return "the source of the samples failed at a row: mend it";
    case Status::invalid_scale:
      return "the samples are too large or too small for this precision: rescale the features";
    case Status::short_row: return "a row of the source has not one value per feature: rows out of step";
  }
  return "unknown status";
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
