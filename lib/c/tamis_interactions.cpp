#include "tamis_interactions.h"

#include "face.hpp"
#include "tamis/model/export_interactions_c.hpp"
#include "tamis/selection/interaction_cross_validation.hpp"
#include "validation.hpp"

namespace {

using namespace tamis;
using namespace tamis::in_c;

/// The types of one scalar.
template <class T>
struct Face : Common<T> {
  using Problem = TAMIS_OF(T, tamis_interactions_problem);
  using Memory = TAMIS_OF(T, tamis_interactions);
  using Term = TAMIS_OF(T, tamis_interactions_term);
  using Model = TAMIS_OF(T, tamis_interactions_model);
  using ValidationMemory = TAMIS_OF(T, tamis_interactions_cross_validation);
  using Grid = TAMIS_OF(T, tamis_grid);
};

template <class T>
using Solver = InteractionAdmm<T>;

static_assert(TAMIS_HIERARCHY_WEAK == int(Hierarchy::weak) && TAMIS_HIERARCHY_STRONG == int(Hierarchy::strong) &&
              TAMIS_HIERARCHY_FULL == int(Hierarchy::full) && TAMIS_HIERARCHY_MAIN == int(Hierarchy::main));
static_assert(TAMIS_HIERARCHY_L1 == int(HierarchyNorm::l1) && TAMIS_HIERARCHY_LINF == int(HierarchyNorm::linf) &&
              TAMIS_HIERARCHY_L2 == int(HierarchyNorm::l2) && TAMIS_HIERARCHY_RIDGE == int(HierarchyNorm::ridge));
static_assert(TAMIS_NO_FEATURE == no_feature);

/// Whether a term in C lies in memory as one in C++ does: arrays of either are handed over as they are.
template <class T, class Term = typename Face<T>::Term>
constexpr bool is_a_term = sizeof(Term) == sizeof(InteractionTerm<T>) && alignof(Term) == alignof(InteractionTerm<T>) &&
                           offsetof(Term, output) == offsetof(InteractionTerm<T>, output) &&
                           offsetof(Term, first) == offsetof(InteractionTerm<T>, first) &&
                           offsetof(Term, second) == offsetof(InteractionTerm<T>, second) &&
                           offsetof(Term, coefficient) == offsetof(InteractionTerm<T>, coefficient);
static_assert(is_a_term<float> && is_a_term<double>);

/// Whether a problem is three numbers, then twelve words, then a number: what wasm/interactions.js writes.
template <class T, class Problem = typename Face<T>::Problem>
constexpr bool is_numbers_then_words = sizeof(void*) != 4 ||
                                       (offsetof(Problem, max_iterations) == 3 * sizeof(T) &&
                                        offsetof(Problem, labels) == 3 * sizeof(T) + 11 * 4 &&
                                        offsetof(Problem, lambda2_ratio) == 3 * sizeof(T) + 12 * 4);
static_assert(is_numbers_then_words<float> && is_numbers_then_words<double>);

template <class T>
bool regression(const typename Face<T>::Problem& p) {
  return p.loss == TAMIS_INTERACTIONS_LEAST_SQUARES;
}
template <class T>
Shape shape_of(const typename Face<T>::Problem& p) {
  return {p.samples, p.features, regression<T>(p) ? 1 : p.classes};
}

/// TAMIS_RUNNING, or why there is nothing to solve.
template <class T>
tamis_status refusal_of(const typename Face<T>::Problem& p) {
  if (p.loss > TAMIS_INTERACTIONS_SQUARED_HINGE || p.hierarchy > TAMIS_HIERARCHY_MAIN || p.norm > TAMIS_HIERARCHY_RIDGE)
    return TAMIS_INVALID_OPTION;
  const bool has_ratio = p.lambda2_ratio == p.lambda2_ratio;
  if (has_ratio && (p.lambda2 == p.lambda2 || p.hierarchy == TAMIS_HIERARCHY_MAIN)) return TAMIS_INVALID_OPTION;
  const bool has_targets = regression<T>(p) ? p.targets != nullptr : p.labels && p.classes <= 65536;
  if (!p.values || !has_targets || (p.column_stride && p.column_stride < p.samples)) return TAMIS_INVALID_SHAPE;
  return TAMIS_RUNNING;
}

template <class T>
InteractionProblem<T> problem_of(const typename Face<T>::Problem& p) {
  const auto hierarchy = static_cast<Hierarchy>(p.hierarchy);
  InteractionTargets<T> targets;
  if (regression<T>(p)) targets.values = p.targets;
  else targets = {nullptr, {p.labels, p.samples}, p.classes};
  return {DenseDesign<T>(p.values, p.samples, p.features, p.column_stride ? p.column_stride : p.samples),
          targets,
          hierarchy,
          static_cast<HierarchyNorm>(p.norm),
          Options<T>{.tolerance = p.tolerance, .max_iterations = p.max_iterations, .intercept = p.intercept != 0},
          hierarchy == Hierarchy::main ? not_a_number<T> : p.lambda2,
          p.lambda2_ratio};
}

/// What lives in tamis_interactions: the solver, and λ₂ of another λ, NaN for the default.
template <class T>
struct State {
  Solver<T> solver;
  Hierarchy hierarchy;
  T ratio;

  T second(T lambda, T given) const {
    if (given == given && hierarchy != Hierarchy::main) return given;
    return ratio == ratio ? ratio * lambda : default_lambda2(hierarchy, lambda);
  }
  Solver<T>& run() { return solver; }
};
template <class T>
using RunSlot = Slot<State<T>, typename Face<T>::Memory>;

template <class T>
void default_problem(typename Face<T>::Problem* p) {
  *p = {};
  const Options<T> options;
  p->lambda2 = not_a_number<T>;
  p->lambda2_ratio = not_a_number<T>;
  p->tolerance = options.tolerance;
  p->max_iterations = options.max_iterations;
  p->intercept = options.intercept;
  p->hierarchy = TAMIS_HIERARCHY_STRONG;
}

template <class T>
std::size_t bytes_of(const typename Face<T>::Problem& p) {
  return p.loss > TAMIS_INTERACTIONS_SQUARED_HINGE ? 0 : Solver<T>::requirement(shape_of<T>(p)).bytes;
}

template <class T>
tamis_status start(typename Face<T>::Memory* memory, const typename Face<T>::Problem& p, void* arena,
                   std::size_t bytes) {
  auto& slot = RunSlot<T>::of(memory);
  slot.refusal = refusal_of<T>(p);
  if (slot.refusal != TAMIS_RUNNING) return slot.refused();
  auto* state = ::new (static_cast<void*>(slot.state))
      State<T>{problem_of<T>(p)(p.lambda), static_cast<Hierarchy>(p.hierarchy), p.lambda2_ratio};
  state->run().start({static_cast<std::byte*>(arena), bytes});
  return as_c(state->run().report().status);
}

template <class T>
tamis_status train(typename Face<T>::Memory* memory, const typename Face<T>::Problem& p, void* arena, std::size_t bytes,
                   typename Face<T>::Observer observe, void* context) {
  start<T>(memory, p, arena, bytes);
  return to_end<T>(RunSlot<T>::of(memory), observe, context);
}

template <class T>
tamis_status go_on(typename Face<T>::Memory* memory, T lambda, T lambda2) {
  auto& slot = RunSlot<T>::of(memory);
  State<T>* state = slot.get();
  if (!state) return slot.refused();
  const T second = state->second(lambda, lambda2);
  if (!has_model(state->run().report().status)) return as_c(state->run().report().status);
  if (!state->run().valid(lambda, second)) return TAMIS_INVALID_LAMBDA;
  state->run().warm_start(lambda, second);
  return as_c(state->run().report().status);
}

// ---- cross-validation ----------------------------------------------------------------------------------------------

/// What lives in tamis_interactions_cross_validation.
template <class T>
struct Validation {
  InteractionCrossValidation<T> validation;

  InteractionCrossValidation<T>& run() { return validation; }
};
template <class T>
using ValidationSlot = Slot<Validation<T>, typename Face<T>::ValidationMemory>;

template <class T>
T first_lambda(const typename Face<T>::Problem& p, void* arena, std::size_t bytes) {
  if (refusal_of<T>(p) != TAMIS_RUNNING) return not_a_number<T>;
  return problem_of<T>(p).first_lambda({static_cast<std::byte*>(arena), bytes});
}

template <class T>
std::size_t validation_bytes(const typename Face<T>::Problem& p, const typename Face<T>::Grid& grid,
                             const std::uint32_t* fold_of, std::uint32_t folds) {
  if (p.loss > TAMIS_INTERACTIONS_SQUARED_HINGE || !fold_of) return 0;
  const Index training = most_training_samples({fold_of, p.samples}, folds);
  return InteractionCrossValidation<T>::requirement(shape_of<T>(p), training, folds, grid.points).bytes;
}

template <class T>
tamis_status validation_start(typename Face<T>::ValidationMemory* memory, const typename Face<T>::Problem& p,
                              const typename Face<T>::Grid& grid, const std::uint32_t* fold_of, std::uint32_t folds,
                              void* arena, std::size_t bytes) {
  auto& slot = ValidationSlot<T>::of(memory);
  slot.refusal = refusal_of<T>(p);
  if (slot.refusal == TAMIS_RUNNING && !fold_of) slot.refusal = TAMIS_INVALID_SHAPE;
  if (slot.refusal != TAMIS_RUNNING) return slot.refused();
  auto* state = ::new (static_cast<void*>(slot.state)) Validation<T>{InteractionCrossValidation<T>(
      problem_of<T>(p), fold_of, folds, Grid<T>{grid.lambdas, grid.points, grid.first, grid.ratio})};
  state->run().start({static_cast<std::byte*>(arena), bytes});
  return as_c(state->run().status());
}

template <class T>
std::size_t terms_of(const typename Face<T>::Memory* memory, typename Face<T>::Term* terms, std::size_t capacity,
                     T* intercepts, typename Face<T>::Model* out) {
  if (out) *out = {};
  State<T>* state = RunSlot<T>::of(memory).get();
  const InteractionModel<T> model = state ? state->run().model() : InteractionModel<T>{};
  const std::size_t count =
      take_terms(model, std::span<InteractionTerm<T>>(reinterpret_cast<InteractionTerm<T>*>(terms), capacity));
  for (Index k = 0; intercepts && k < model.outputs; ++k) intercepts[k] = model.intercept(k);
  if (out && intercepts && count <= capacity)
    *out = {terms, intercepts, static_cast<std::uint32_t>(count), model.features, model.outputs};
  return count;
}

template <class T>
InteractionTerms<T> terms_in(const typename Face<T>::Model& m) {
  return {{reinterpret_cast<const InteractionTerm<T>*>(m.terms), m.term_count}, m.intercepts, m.features, m.outputs};
}

template <class T>
std::size_t export_model(const typename Face<T>::Model& m, const char* name, const char* const* labels,
                         const T* samples, std::uint32_t sample_count, std::uint32_t* positions, char* out,
                         std::size_t bytes) {
  const ExportOptions<T> options{name, labels, nullptr, samples, sample_count};
  return export_interactions_c(terms_in<T>(m), options, {positions, m.features}, {out, bytes});
}

}  // namespace

#define TAMIS_INTERACTIONS_DEFINE(T, S)                                                                                \
  void tamis_default_interactions_problem_##S(tamis_interactions_problem_##S* problem) {                               \
    default_problem<T>(problem);                                                                                       \
  }                                                                                                                    \
  std::size_t tamis_interactions_bytes_##S(const tamis_interactions_problem_##S* problem) {                            \
    return bytes_of<T>(*problem);                                                                                      \
  }                                                                                                                    \
  tamis_status tamis_interactions_start_##S(tamis_interactions_##S* run,                                               \
                                            const tamis_interactions_problem_##S* problem, void* arena,                \
                                            std::size_t arena_bytes) {                                                 \
    return start<T>(run, *problem, arena, arena_bytes);                                                                \
  }                                                                                                                    \
  tamis_status tamis_interactions_step_##S(tamis_interactions_##S* run, std::uint32_t steps) {                         \
    return step(RunSlot<T>::of(run), steps);                                                                           \
  }                                                                                                                    \
  tamis_status tamis_interactions_train_##S(tamis_interactions_##S* run,                                               \
                                            const tamis_interactions_problem_##S* problem, void* arena,                \
                                            std::size_t arena_bytes, tamis_observer_##S observe, void* context) {      \
    return train<T>(run, *problem, arena, arena_bytes, observe, context);                                              \
  }                                                                                                                    \
  tamis_status tamis_interactions_go_on_##S(tamis_interactions_##S* run, T lambda, T lambda2) {                        \
    return go_on<T>(run, lambda, lambda2);                                                                             \
  }                                                                                                                    \
  void tamis_interactions_stop_##S(tamis_interactions_##S* run) { stop(RunSlot<T>::of(run)); }                         \
  void tamis_interactions_report_of_##S(const tamis_interactions_##S* run, tamis_report_##S* report) {                 \
    report_of<T>(RunSlot<T>::of(run), report);                                                                         \
  }                                                                                                                    \
  std::size_t tamis_interactions_terms_of_##S(const tamis_interactions_##S* run, tamis_interactions_term_##S* terms,   \
                                              std::size_t capacity, T* intercepts,                                     \
                                              tamis_interactions_model_##S* model) {                                   \
    return terms_of<T>(run, terms, capacity, intercepts, model);                                                       \
  }                                                                                                                    \
  T tamis_interactions_first_lambda_##S(const tamis_interactions_problem_##S* problem, void* arena,                    \
                                        std::size_t arena_bytes) {                                                     \
    return first_lambda<T>(*problem, arena, arena_bytes);                                                              \
  }                                                                                                                    \
  std::size_t tamis_interactions_cross_validation_bytes_##S(const tamis_interactions_problem_##S* problem,             \
                                                            const tamis_grid_##S* grid, const std::uint32_t* fold_of,  \
                                                            std::uint32_t folds) {                                     \
    return validation_bytes<T>(*problem, *grid, fold_of, folds);                                                       \
  }                                                                                                                    \
  tamis_status tamis_interactions_cross_validation_start_##S(                                                          \
      tamis_interactions_cross_validation_##S* validation, const tamis_interactions_problem_##S* problem,              \
      const tamis_grid_##S* grid, const std::uint32_t* fold_of, std::uint32_t folds, void* arena,                      \
      std::size_t arena_bytes) {                                                                                       \
    return validation_start<T>(validation, *problem, *grid, fold_of, folds, arena, arena_bytes);                       \
  }                                                                                                                    \
  void tamis_interactions_cross_validation_report_##S(const tamis_interactions_cross_validation_##S* validation,       \
                                                      tamis_report_##S* report) {                                      \
    report_of<T>(ValidationSlot<T>::of(validation), report);                                                           \
  }                                                                                                                    \
  TAMIS_VALIDATION_DEFINE(T, S, tamis_interactions_cross_validation)                                                   \
  std::uint32_t tamis_interactions_predict_##S(const tamis_interactions_model_##S* model, const T* sample,             \
                                               std::size_t stride) {                                                   \
    return terms_in<T>(*model).predict(sample, stride);                                                                \
  }                                                                                                                    \
  void tamis_interactions_scores_##S(const tamis_interactions_model_##S* model, const T* sample, std::size_t stride,   \
                                     T* scores) {                                                                      \
    terms_in<T>(*model).scores(sample, scores, stride);                                                                \
  }                                                                                                                    \
  std::size_t tamis_interactions_export_c_##S(const tamis_interactions_model_##S* model, const char* name,             \
                                              const char* const* labels, const T* samples, std::uint32_t sample_count, \
                                              std::uint32_t* positions, char* out, std::size_t bytes) {                \
    return export_model<T>(*model, name, labels, samples, sample_count, positions, out, bytes);                        \
  }

extern "C" {

TAMIS_FOR_SCALARS(TAMIS_INTERACTIONS_DEFINE)

}  // extern "C"
