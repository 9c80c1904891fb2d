#include "tamis_stability.h"

#include "linear.hpp"
#include "tamis/selection/stability.hpp"

using namespace tamis;
using namespace tamis::in_c;

#if defined(TAMIS_SHARES_TRAINING) && !defined(TAMIS_CHOSEN)
#define TAMIS_EXTERN_TRAINING(T, S) extern TAMIS_C_TRAINING(T, S)
TAMIS_FOR_SCALARS(TAMIS_EXTERN_TRAINING)
#endif

namespace {

/// The types of one scalar.
template <class T>
struct Face : Linear<T> {
  using Memory = TAMIS_OF(T, tamis_stability);
  using Progress = TAMIS_OF(T, tamis_stability_progress);
  using Observer = TAMIS_OF(T, tamis_stability_observer);
};

template <class T>
using Stability = StabilitySelection<T, Make<T>>;
template <class T>
using StabilitySlot = Slot<Selection<T, Stability<T>>, typename Face<T>::Memory>;

template <class T>
Requirement beside(const typename Face<T>::Problem& p, const typename Face<T>::Grid& grid) {
  return Stability<T>::requirement(shape_of<T>(p), groups_of<T>(p), grid.points, {});
}
template <class T>
std::size_t bytes_of(const typename Face<T>::Problem& p, const typename Face<T>::Grid& grid, WorkspaceHint hint) {
  return p.loss == TAMIS_RANKING_SQUARED_HINGE ? 0 : selection_bytes<T>(p, grid, hint, beside<T>(p, grid));
}

template <class T>
tamis_status start(typename Face<T>::Memory* memory, const typename Face<T>::Problem& p,
                   const typename Face<T>::Grid& g, const tamis_stability_options& options, void* arena,
                   std::size_t bytes) {
  auto& slot = StabilitySlot<T>::of(memory);
  const Grid<T> grid = grid_of<T>(g);
  ProblemSpec choice = path_choice<T>(p, grid);
  slot.refusal = path_refusal<T>(p, choice);
  if (p.loss == TAMIS_RANKING_SQUARED_HINGE) slot.refusal = TAMIS_INVALID_OPTION;  // no halves have half of every class
  if (slot.refusal != TAMIS_RUNNING) return slot.refused();
  choice = on_samples<T>(choice, p, smallest_of(grid), bytes, beside<T>(p, g));
  auto* state = ::new (static_cast<void*>(slot.state)) Selection<T, Stability<T>>(
      p, choice, Trainer<T>::requirement(choice, shape_of<T>(p)), beside<T>(p, g), [&](const Setting<T>& setting) {
        return Stability<T>(
            {&setting}, p.features, targets_of<T>(p), grid,
            {.pairs = options.pairs, .seed = options.seed, .max_features = g.max_features, .groups = groups_of<T>(p)});
      });
  state->run().start({static_cast<std::byte*>(arena), bytes});
  return as_c(state->run().status());
}

/// The run, for what only one that was not refused before it began can say.
template <class T>
Stability<T>* run_of(const typename Face<T>::Memory* memory) {
  auto* state = StabilitySlot<T>::of(memory).get();
  return state ? &state->run() : nullptr;
}

template <class T>
tamis_status step(typename Face<T>::Memory* memory, std::uint32_t steps) {
  Stability<T>* run = run_of<T>(memory);
  if (!run) return StabilitySlot<T>::of(memory).refused();
  while (steps-- && run->step()) {
  }
  return as_c(run->status());
}

template <class T>
void progress_of(const typename Face<T>::Memory* memory, typename Face<T>::Progress* out) {
  *out = {};
  out->status = StabilitySlot<T>::of(memory).refusal;
  if (const Stability<T>* run = run_of<T>(memory))
    *out = {run->selected_by_half(), run->halves(), run->half(), run->units(),
            static_cast<std::uint32_t>(run->status())};
}

template <class T>
tamis_status to_end(typename Face<T>::Memory* memory, typename Face<T>::Observer observe, void* context) {
  Stability<T>* run = run_of<T>(memory);
  if (!run) return StabilitySlot<T>::of(memory).refused();
  for (Index seen = 0; run->running() || seen < run->halves();) {
    if (seen < run->halves()) {
      seen = run->halves();
      typename Face<T>::Progress progress;
      progress_of<T>(memory, &progress);
      if (observe && !observe(context, &progress)) run->stop();
    }
    run->step();
  }
  return as_c(run->status());
}

template <class T>
void report(const typename Face<T>::Memory* memory, typename Face<T>::Report* out) {
  *out = {};
  auto& slot = StabilitySlot<T>::of(memory);
  out->status = slot.refusal;
  auto* state = slot.get();
  if (!state) return;
  const Report<T> now = state->run().report();
  *out = state->report();
  out->status = as_c(state->run().status());
  out->row = now.row;
  out->column = now.column;
}

template <class T>
T frequency(const typename Face<T>::Memory* memory, std::uint32_t unit, std::uint32_t point) {
  const Stability<T>* run = run_of<T>(memory);
  if (!run || unit >= run->units() || run->halves() == 0) return T(0);
  if (point == TAMIS_ANY_POINT) return run->frequency(unit);
  return point < run->grid().points ? run->frequency(unit, point) : T(0);
}

}  // namespace

#define TAMIS_STABILITY_DEFINE(T, S)                                                                                   \
  std::size_t tamis_stability_bytes_##S(const tamis_problem_##S* problem, const tamis_grid_##S* grid) {                \
    return bytes_of<T>(*problem, *grid, {});                                                                           \
  }                                                                                                                    \
  std::size_t tamis_stability_fast_bytes_##S(const tamis_problem_##S* problem, const tamis_grid_##S* grid,             \
                                             std::size_t entries, std::uint32_t active_limit) {                        \
    return bytes_of<T>(*problem, *grid, {entries, active_limit});                                                      \
  }                                                                                                                    \
  tamis_status tamis_stability_start_##S(tamis_stability_##S* run, const tamis_problem_##S* problem,                   \
                                         const tamis_grid_##S* grid, const tamis_stability_options* options,           \
                                         void* arena, std::size_t arena_bytes) {                                       \
    return start<T>(run, *problem, *grid, *options, arena, arena_bytes);                                               \
  }                                                                                                                    \
  tamis_status tamis_stability_step_##S(tamis_stability_##S* run, std::uint32_t steps) { return step<T>(run, steps); } \
  tamis_status tamis_stability_run_##S(tamis_stability_##S* run, const tamis_problem_##S* problem,                     \
                                       const tamis_grid_##S* grid, const tamis_stability_options* options,             \
                                       void* arena, std::size_t arena_bytes, tamis_stability_observer_##S observe,     \
                                       void* context) {                                                                \
    start<T>(run, *problem, *grid, *options, arena, arena_bytes);                                                      \
    return to_end<T>(run, observe, context);                                                                           \
  }                                                                                                                    \
  void tamis_stability_stop_##S(tamis_stability_##S* run) { stop(StabilitySlot<T>::of(run)); }                         \
  void tamis_stability_progress_of_##S(const tamis_stability_##S* run, tamis_stability_progress_##S* progress) {       \
    progress_of<T>(run, progress);                                                                                     \
  }                                                                                                                    \
  void tamis_stability_report_##S(const tamis_stability_##S* run, tamis_report_##S* out) { report<T>(run, out); }      \
  T tamis_stability_frequency_##S(const tamis_stability_##S* run, std::uint32_t unit, std::uint32_t point) {           \
    return frequency<T>(run, unit, point);                                                                             \
  }                                                                                                                    \
  T tamis_stability_false_selections_##S(const tamis_stability_##S* run, T threshold) {                                \
    const auto* begun = run_of<T>(run);                                                                                \
    return begun ? begun->false_selections(threshold) : not_a_number<T>;                                               \
  }                                                                                                                    \
  T tamis_stability_threshold_##S(const tamis_stability_##S* run, T most) {                                            \
    const auto* begun = run_of<T>(run);                                                                                \
    return begun ? begun->threshold(most) : not_a_number<T>;                                                           \
  }

extern "C" {

void tamis_default_stability_options(tamis_stability_options* options) {
  const StabilityOptions o;
  *options = {o.seed, o.pairs};
}

TAMIS_FOR_SCALARS(TAMIS_STABILITY_DEFINE)

}  // extern "C"
