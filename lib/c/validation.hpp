#pragma once
/// What runs of cross-validation in memory of the caller have in common, whatever they train.

#include "face.hpp"
#include "tamis/selection/cross_validation.hpp"

namespace tamis::in_c {

template <class Slot>
tamis_status validation_step(Slot& slot, std::uint32_t steps) {
  auto* state = slot.get();
  if (!state) return slot.refused();
  while (steps-- && state->run().step()) {
  }
  return as_c(state->run().status());
}

/// The run, for what only one that has begun can say; null for a refusal.
template <class Slot>
auto* validation_of(Slot& slot) {
  auto* state = slot.get();
  return state ? &state->run() : nullptr;
}
/// The same of one that has measured all folds.
template <class Slot>
auto* complete_validation(Slot& slot) {
  auto* run = validation_of(slot);
  return run && run->status() == Status::converged ? run : nullptr;
}

template <class HeldOutInC, class Slot>
tamis_status validation_at(Slot& slot, std::uint32_t point, HeldOutInC* out) {
  *out = {};
  const auto* run = complete_validation(slot);
  if (!run || point >= run->points()) return TAMIS_INVALID_SHAPE;
  const auto at = run->at(point);
  *out = {at.lambda, at.error, at.error_deviation, at.loss, at.loss_deviation};
  return TAMIS_CONVERGED;
}

inline Measure measure_of(std::uint32_t measure) { return measure == TAMIS_LOSS ? Measure::loss : Measure::error; }

template <class Slot>
std::uint32_t validation_best(Slot& slot, std::uint32_t measure) {
  const auto* run = complete_validation(slot);
  return run ? run->best(measure_of(measure)) : 0;
}
template <class Slot>
std::uint32_t validation_one_standard_error(Slot& slot, std::uint32_t measure) {
  const auto* run = complete_validation(slot);
  return run ? run->one_standard_error(measure_of(measure)) : 0;
}

}  // namespace tamis::in_c

/// What all of them have in C, after FAMILY_bytes and FAMILY_start; ValidationSlot<T> is where one lives.
#define TAMIS_VALIDATION_DEFINE(T, S, FAMILY)                                                                       \
  tamis_status FAMILY##_step_##S(FAMILY##_##S* validation, std::uint32_t steps) {                                   \
    return validation_step(ValidationSlot<T>::of(validation), steps);                                               \
  }                                                                                                                 \
  void FAMILY##_stop_##S(FAMILY##_##S* validation) { stop(ValidationSlot<T>::of(validation)); }                     \
  std::uint32_t FAMILY##_fold_##S(const FAMILY##_##S* validation) {                                                 \
    const auto* run = validation_of(ValidationSlot<T>::of(validation));                                             \
    return run ? run->fold() : 0;                                                                                   \
  }                                                                                                                 \
  std::uint32_t FAMILY##_points_done_##S(const FAMILY##_##S* validation) {                                          \
    const auto* run = validation_of(ValidationSlot<T>::of(validation));                                             \
    return run ? run->points_done() : 0;                                                                            \
  }                                                                                                                 \
  tamis_status FAMILY##_at_##S(const FAMILY##_##S* validation, std::uint32_t point, tamis_held_out_##S* held_out) { \
    return validation_at(ValidationSlot<T>::of(validation), point, held_out);                                       \
  }                                                                                                                 \
  std::uint32_t FAMILY##_best_##S(const FAMILY##_##S* validation, std::uint32_t measure) {                          \
    return validation_best(ValidationSlot<T>::of(validation), measure);                                             \
  }                                                                                                                 \
  std::uint32_t FAMILY##_one_standard_error_##S(const FAMILY##_##S* validation, std::uint32_t measure) {            \
    return validation_one_standard_error(ValidationSlot<T>::of(validation), measure);                               \
  }
