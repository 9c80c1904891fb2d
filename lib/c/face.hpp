#pragma once
/// What the sources of the C interface share: statuses, reports, and runs that live in memory of the caller.

#include <new>
#include <type_traits>

#include "config.hpp"
#include "tamis.h"
#include "tamis/arena.hpp"
#include "tamis/observer.hpp"

namespace tamis::in_c {

static_assert(TAMIS_CONVERGED == int(Status::converged) && TAMIS_RUNNING == int(Status::running) &&
              TAMIS_ARENA_TOO_SMALL == int(Status::arena_too_small) &&
              TAMIS_INVALID_GROUPS == int(Status::invalid_groups) && TAMIS_INVALID_ETA == int(Status::invalid_eta) &&
              TAMIS_SHORT_ROW == int(Status::short_row) && TAMIS_INVALID_SCALE == int(Status::invalid_scale));
static_assert(TAMIS_ALIGNMENT == Arena::alignment);

/// A type of C that there is of each scalar: name_f32 or name_f64.
#define TAMIS_OF(T, name) std::conditional_t<std::is_same_v<T, float>, name##_f32, name##_f64>

/// DEFINE(T, S) for the scalars: a build that needs one only may leave the other out.
#if defined(TAMIS_ONLY_F32)
#define TAMIS_FOR_SCALARS(DEFINE) DEFINE(float, f32)
#elif defined(TAMIS_ONLY_F64)
#define TAMIS_FOR_SCALARS(DEFINE) DEFINE(double, f64)
#else
#define TAMIS_FOR_SCALARS(DEFINE) DEFINE(float, f32) DEFINE(double, f64)
#endif

/// The types of tamis.h that every run has, of one scalar.
template <class T>
struct Common {
  using Report = TAMIS_OF(T, tamis_report);
  using Observer = TAMIS_OF(T, tamis_observer);
};

inline tamis_status as_c(Status status) { return static_cast<tamis_status>(status); }

/// Whether a problem asks for what only a build with TAMIS_ALL_SOLVERS can have, and only in tamis.h: sets of labels,
/// or settings of published algorithms.
template <class Problem>
constexpr bool has_sets(const Problem& p) {
  return p.set_starts || p.set_members || p.set_count;
}
template <class Problem>
constexpr bool asks_for_settings(const Problem& p) {
  return p.stopping || p.shrinking || p.seed || !(p.learning_rate == 0) || !(p.stopping_threshold == 0);
}
template <class Problem>
constexpr bool asks_for_baselines(const Problem& p) {
  return has_sets(p) || asks_for_settings(p);
}

/// A report in C; `more`: bytes of arena beside those of the solver.
template <class T>
typename Common<T>::Report report_in_c(const Report<T>& r, Requirement more = {}) {
  const auto small = [=](std::size_t bytes) {
    const std::size_t all = (Requirement{bytes} & more).bytes;
    return all > 0xffffffffu ? 0xffffffffu : static_cast<std::uint32_t>(all);
  };
  return {r.objective,
          r.dual_objective,
          r.gap,
          r.relative_gap,
          r.kkt_residual,
          r.lambda_max,
          r.epochs,
          static_cast<std::uint32_t>(r.status),
          r.iterations,
          r.nonzeros,
          r.nonzero_rows,
          r.row,
          r.column,
          small(r.arena_bytes),
          small(r.arena_used_bytes),
          r.constraint_value,
          r.constraint_bound,
          r.multiplier};
}

/// Memory of the caller: a State, whose run() is what advances, or the status of a refusal that came before there was
/// one.
template <class State, class Memory>
struct Slot {
  std::uint32_t refusal;  ///< a tamis_status; TAMIS_RUNNING: there is a state
  alignas(alignof(State)) std::byte state[sizeof(State)];

  static Slot& of(const Memory* memory) {
    static_assert(sizeof(Slot) <= sizeof(Memory) && alignof(Slot) <= alignof(std::uint64_t));
    return *reinterpret_cast<Slot*>(const_cast<Memory*>(memory));
  }
  State* get() { return refusal == TAMIS_RUNNING ? std::launder(reinterpret_cast<State*>(state)) : nullptr; }
  tamis_status refused() const { return static_cast<tamis_status>(refusal); }
};

/// Up to so many iterations of the run in a slot.
template <class Slot>
tamis_status step(Slot& slot, std::uint32_t steps) {
  auto* state = slot.get();
  if (!state) return slot.refused();
  while (steps-- && state->run().step()) {
  }
  return as_c(state->run().report().status);
}

template <class Slot>
void stop(Slot& slot) {
  if (auto* state = slot.get()) state->run().stop();
}

template <class T, class Slot>
void report_of(Slot& slot, typename Common<T>::Report* out, Requirement more = {}) {
  *out = {};
  if (auto* state = slot.get()) *out = report_in_c(state->run().report(), more);
  else out->status = slot.refusal;
}

/// Advances a started run to its end; `observe` may be null.
template <class T, class Slot>
tamis_status to_end(Slot& slot, typename Common<T>::Observer observe, void* context, Requirement more = {}) {
  auto* state = slot.get();
  if (!state) return slot.refused();
  advance_to_end(state->run(), [&](const Report<T>&) {
    if (!observe) return true;
    typename Common<T>::Report report;
    report_of<T>(slot, &report, more);
    return observe(context, &report) != 0;
  });
  return as_c(state->run().report().status);
}

}  // namespace tamis::in_c
