#pragma once
/// The C interface by scalar: face<T>::train is tamis_train_f32 or tamis_train_f64.

#include "fuzz.hpp"
#include "tamis.h"

namespace tamis::fuzz {

/// What must hold of any report that has a model behind it, and of its status.
template <class Report>
void check_report(const Report& report, std::uint32_t status) {
  expect(report.status == status, "the report has the status that was returned");
  if (status > TAMIS_STOPPED) return;
  expect(report.objective == report.objective, "an objective is a number");
  expect(!(report.gap < 0), "no gap is negative");
  if (status == TAMIS_CONVERGED) expect(report.gap == report.gap, "what has converged has a gap");
}

inline bool has_model(std::uint32_t status) { return status <= TAMIS_RUNNING; }
/// Refusals that come before anything is written; the last three may come later.
inline bool is_refusal(std::uint32_t status) { return status > TAMIS_INFEASIBLE && status < TAMIS_SOURCE_FAILED; }

}  // namespace tamis::fuzz

/// As in TAMIS_DECLARE: what has the names of a scalar. NAME(f32) and NAME(f64) are made by TAMIS_FUZZ_SCALARS.
#define TAMIS_FUZZ_SCALARS(NAME) NAME(float, f32) NAME(double, f64)
