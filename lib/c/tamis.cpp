#include "tamis.h"

#include "linear.hpp"
#include "tamis/model/blob.hpp"
#include "tamis/model/export_c.hpp"
#include "tamis/version.hpp"
#include "validation.hpp"

using namespace tamis;
using namespace tamis::in_c;

#ifdef TAMIS_SHARES_TRAINING
TAMIS_FOR_SCALARS(TAMIS_C_TRAINING)
#endif

namespace {

/// The types of one scalar.
template <class T>
struct Face : Linear<T> {
  using Model = TAMIS_OF(T, tamis_model);
  using Memory = TAMIS_OF(T, tamis_training);
  using PathMemory = TAMIS_OF(T, tamis_path);
  using ValidationMemory = TAMIS_OF(T, tamis_cross_validation);
  using HeldOut = TAMIS_OF(T, tamis_held_out);
};

static_assert(TAMIS_NO_FOLD == no_fold && TAMIS_LOSS == int(Measure::loss));

/// Whether a problem is six numbers, then 26 words, then two numbers: what wasm/linear.js writes.
template <class T, class Problem = typename Face<T>::Problem>
constexpr bool is_numbers_then_words = sizeof(void*) != 4 ||
                                       (offsetof(Problem, eta) == 5 * sizeof(T) &&
                                        offsetof(Problem, max_iterations) == 6 * sizeof(T) &&
                                        offsetof(Problem, group_count) == 6 * sizeof(T) + 18 * 4 &&
                                        offsetof(Problem, seed) == 6 * sizeof(T) + 24 * 4 &&
                                        offsetof(Problem, learning_rate) == 6 * sizeof(T) + 26 * 4);
static_assert(is_numbers_then_words<float> && is_numbers_then_words<double>);

/// And a grid two numbers, then words.
template <class T, class Grid = typename Face<T>::Grid>
constexpr bool grid_is_numbers_then_words = sizeof(void*) != 4 || (offsetof(Grid, points) == 2 * sizeof(T) &&
                                                                   offsetof(Grid, lambdas) == 2 * sizeof(T) + 2 * 4);
static_assert(grid_is_numbers_then_words<float> && grid_is_numbers_then_words<double>);

/// What lives in tamis_training: the designs, then the run, which points at them.
template <class T>
class State {
 public:
  State(const typename Face<T>::Problem& p, const ProblemSpec& choice)
      : designs_(p), training_(training_of<T>(p, choice, designs_.of(p), targets_of<T>(p))) {
    set_options<T>(training_, p);
  }

  Trainer<T>& run() { return training_; }

 private:
  Designs<T> designs_;
  Trainer<T> training_;
};

template <class T>
using TrainingSlot = Slot<State<T>, typename Face<T>::Memory>;

template <class T>
void default_problem(typename Face<T>::Problem* p) {
  *p = {};
  const Options<T> options;
  p->tolerance = options.tolerance;
  p->max_iterations = options.max_iterations;
  p->margin = options.margin;
  p->intercept = options.intercept;
  p->penalty = TAMIS_L1;
  const PenaltyParameters<T> parameters;
  p->l1_ratio = parameters.l1_ratio;
  p->epsilon = parameters.epsilon;
}

template <class T>
std::size_t training_bytes(const typename Face<T>::Problem* p, WorkspaceHint hint) {
  if (!known(p->solver, p->loss, p->penalty)) return 0;
  const ProblemSpec choice = choice_of<T>(*p, p->lambda);
  if (!choice.is_accepted()) return 0;
  return requirement_of<T>(choice, shape_of<T>(*p), hint).bytes;
}

template <class T>
const char* problem_refusal(const typename Face<T>::Problem* p) {
  if (!known(p->solver, p->loss, p->penalty)) return tamis_refusal(p->solver, p->loss, p->penalty);
  const ProblemSpec choice = choice_of<T>(*p, p->lambda);
  const char* refusal = choice.refusal();
  return refusal ? refusal : settings_refusal<T>(*p, choice);
}

template <class T>
tamis_status start(typename Face<T>::Memory* memory, const typename Face<T>::Problem* p, void* arena,
                   std::size_t bytes) {
  auto& slot = TrainingSlot<T>::of(memory);
  const ProblemSpec choice = choice_of<T>(*p, p->lambda);
  slot.refusal = refusal_of<T>(*p, choice);
  if (slot.refusal != TAMIS_RUNNING) return slot.refused();
  auto* state = ::new (static_cast<void*>(slot.state)) State<T>(*p, on_samples<T>(choice, *p, p->lambda, bytes));
  state->run().start({static_cast<std::byte*>(arena), bytes});
  return as_c(state->run().report().status);
}

template <class T>
tamis_status train(typename Face<T>::Memory* memory, const typename Face<T>::Problem* p, void* arena, std::size_t bytes,
                   typename Face<T>::Observer observe, void* context) {
  start<T>(memory, p, arena, bytes);
  return to_end<T>(TrainingSlot<T>::of(memory), observe, context);
}

template <class T>
tamis_status model_of(const typename Face<T>::Memory* memory, typename Face<T>::Model* out) {
  *out = {};
  State<T>* state = TrainingSlot<T>::of(memory).get();
  if (!state || !has_model(state->run().report().status)) return TAMIS_INVALID_SHAPE;
  const auto model = state->run().model();
  *out = {model.coefficients, model.features, model.classes};
  return as_c(state->run().report().status);
}

// ---- paths and cross-validation -------------------------------------------------------------------------------------

template <class T>
using AnyPath = Path<T, Make<T>>;
template <class T>
using Validation = CrossValidation<T, Make<T>, DesignOf<T>, LossOf<T>>;

template <class T>
using PathSlot = Slot<Selection<T, AnyPath<T>>, typename Face<T>::PathMemory>;
template <class T>
using ValidationSlot = Slot<Selection<T, Validation<T>>, typename Face<T>::ValidationMemory>;

template <class T>
void default_grid(typename Face<T>::Grid* out) {
  const Grid<T> grid;
  *out = {grid.first, grid.ratio, grid.points, ~Index(0), grid.values};
}

template <class T>
std::size_t path_bytes(const typename Face<T>::Problem* p, const typename Face<T>::Grid* grid, WorkspaceHint hint) {
  return selection_bytes<T>(*p, *grid, hint, AnyPath<T>::requirement(shape_of<T>(*p), {}));
}
template <class T>
std::size_t validation_bytes(const typename Face<T>::Problem* p, const typename Face<T>::Grid* grid,
                             std::uint32_t folds, WorkspaceHint hint) {
  return selection_bytes<T>(*p, *grid, hint, Validation<T>::requirement(shape_of<T>(*p), folds, grid->points, {}));
}

template <class T>
T norm_of(const typename Face<T>::Problem* p, T* scratch) {
  if (!p->values || (p->rows && (!p->starts || !takes_sparse))) return not_a_number<T>;
  const Designs<T> designs(*p);
  return mean_square_norm(designs.of(*p), p->intercept != 0, scratch);
}

template <class T>
tamis_status path_start(typename Face<T>::PathMemory* memory, const typename Face<T>::Problem* p,
                        const typename Face<T>::Grid* g, void* arena, std::size_t bytes) {
  auto& slot = PathSlot<T>::of(memory);
  const Grid<T> grid = grid_of<T>(*g);
  ProblemSpec choice = path_choice<T>(*p, grid);
  slot.refusal = path_refusal<T>(*p, choice);
  if (slot.refusal != TAMIS_RUNNING) return slot.refused();
  const Shape shape = shape_of<T>(*p);
  choice = on_samples<T>(choice, *p, smallest_of(grid), bytes, AnyPath<T>::requirement(shape, {}));
  auto* state = ::new (static_cast<void*>(slot.state))
      Selection<T, AnyPath<T>>(*p, choice, Trainer<T>::requirement(choice, shape), AnyPath<T>::requirement(shape, {}),
                               [&](const Setting<T>& setting) {
                                 return AnyPath<T>({&setting}, p->features, targets_of<T>(*p), grid, g->max_features);
                               });
  state->run().start({static_cast<std::byte*>(arena), bytes});
  return as_c(state->run().status());
}

template <class T>
tamis_status path_step(typename Face<T>::PathMemory* memory, std::uint32_t steps) {
  auto& slot = PathSlot<T>::of(memory);
  auto* state = slot.get();
  if (!state) return slot.refused();
  while (steps-- && state->run().step() && !state->run().at_point()) {
  }
  return as_c(state->run().status());
}

template <class T>
int path_at_point(const typename Face<T>::PathMemory* memory) {
  auto* state = PathSlot<T>::of(memory).get();
  return state && state->run().at_point();
}

template <class T>
T path_lambda(const typename Face<T>::PathMemory* memory) {
  auto* state = PathSlot<T>::of(memory).get();
  return state && state->run().has_solver() ? state->run().lambda() : not_a_number<T>;
}

template <class T>
std::uint32_t path_points(const typename Face<T>::PathMemory* memory) {
  auto* state = PathSlot<T>::of(memory).get();
  return state ? state->run().points() : 0;
}

template <class T>
void path_report(const typename Face<T>::PathMemory* memory, typename Face<T>::Report* out) {
  *out = {};
  auto& slot = PathSlot<T>::of(memory);
  auto* state = slot.get();
  if (state) *out = state->report();
  if (!state) out->status = slot.refusal;
  else if (!state->run().at_point()) out->status = as_c(state->run().status());
}

template <class T>
tamis_status path_model(const typename Face<T>::PathMemory* memory, typename Face<T>::Model* out) {
  *out = {};
  auto* state = PathSlot<T>::of(memory).get();
  if (!state || !has_model(state->run().status())) return TAMIS_INVALID_SHAPE;
  const auto model = state->run().model();
  *out = {model.coefficients, model.features, model.classes};
  return as_c(state->run().report().status);
}

template <class T>
tamis_status validation_start(typename Face<T>::ValidationMemory* memory, const typename Face<T>::Problem* p,
                              const typename Face<T>::Grid* g, const std::uint32_t* fold_of, std::uint32_t folds,
                              T* scores, void* arena, std::size_t bytes) {
  auto& slot = ValidationSlot<T>::of(memory);
  const Grid<T> grid = grid_of<T>(*g);
  ProblemSpec choice = path_choice<T>(*p, grid);
  slot.refusal = path_refusal<T>(*p, choice);
  if (slot.refusal == TAMIS_RUNNING && !fold_of) slot.refusal = TAMIS_INVALID_SHAPE;
  if (slot.refusal != TAMIS_RUNNING) return slot.refused();
  const Shape shape = shape_of<T>(*p);
  const Requirement beside = Validation<T>::requirement(shape, folds, grid.points, {});
  choice = on_samples<T>(choice, *p, smallest_of(grid), bytes, beside);
  auto* state = ::new (static_cast<void*>(slot.state)) Selection<T, Validation<T>>(
      *p, choice, Trainer<T>::requirement(choice, shape), beside, [&](const Setting<T>& setting) {
        return Validation<T>({&setting}, setting.design, targets_of<T>(*p), loss_of<T>(*p), fold_of, folds, grid,
                             p->margin);
      });
  state->run().keep_scores(scores);
  state->run().start({static_cast<std::byte*>(arena), bytes});
  return as_c(state->run().status());
}

template <class T>
void validation_report(const typename Face<T>::ValidationMemory* memory, typename Face<T>::Report* out) {
  *out = {};
  auto& slot = ValidationSlot<T>::of(memory);
  if (auto* state = slot.get()) {
    *out = state->report();
    out->status = as_c(state->run().status());
  } else {
    out->status = slot.refusal;
  }
}

template <class T>
LinearModel<T> view(const typename Face<T>::Model* model) {
  return {model->coefficients, model->features, model->classes};
}

template <class T>
std::size_t blob_coefficient_bytes(const void* blob, std::size_t bytes) {
  const BlobShape shape = inspect_blob({static_cast<const std::byte*>(blob), bytes});
  return shape.valid && shape.scalar_bytes == sizeof(T)
             ? detail::saturating_multiply(blob_coefficients<T>(shape), sizeof(T))
             : 0;
}

template <class T>
const char* blob_fault(const void* blob, std::size_t bytes) {
  const BlobFault fault = fault_of_blob<T>({static_cast<const std::byte*>(blob), blob ? bytes : 0});
  return fault == BlobFault::none ? nullptr : describe(fault);
}

template <class T>
tamis_status blob_read(const void* blob, std::size_t bytes, void* coefficients, std::size_t coefficient_bytes,
                       typename Face<T>::Model* out) {
  LinearModel<T> model;
  const Status status = read_blob<T>({static_cast<const std::byte*>(blob), bytes},
                                     {static_cast<T*>(coefficients), coefficient_bytes / sizeof(T)}, model);
  if (status == Status::converged) *out = {model.coefficients, model.features, model.classes};
  return as_c(status);
}

template <class T>
std::size_t export_header(const typename Face<T>::Model* model, const char* name, const char* const* labels,
                          const T* samples, std::uint32_t sample_count, char* out, std::size_t bytes) {
  const ExportOptions<T> options{
      .name = name, .labels = labels, .samples = samples, .sample_count = samples ? sample_count : 0};
  return export_c(view<T>(model), options, {out, bytes});
}

}  // namespace

#define TAMIS_DEFINE(T, S)                                                                                            \
  void tamis_default_problem_##S(tamis_problem_##S* problem) { default_problem<T>(problem); }                         \
  std::size_t tamis_training_bytes_##S(const tamis_problem_##S* problem) { return training_bytes<T>(problem, {}); }   \
  std::size_t tamis_fast_bytes_##S(const tamis_problem_##S* problem, std::size_t entries,                             \
                                   std::uint32_t active_limit) {                                                      \
    return training_bytes<T>(problem, {entries, active_limit});                                                       \
  }                                                                                                                   \
  tamis_status tamis_start_##S(tamis_training_##S* training, const tamis_problem_##S* problem, void* arena,           \
                               std::size_t arena_bytes) {                                                             \
    return start<T>(training, problem, arena, arena_bytes);                                                           \
  }                                                                                                                   \
  const char* tamis_problem_refusal_##S(const tamis_problem_##S* problem) { return problem_refusal<T>(problem); }     \
  tamis_status tamis_step_##S(tamis_training_##S* training, std::uint32_t steps) {                                    \
    return step(TrainingSlot<T>::of(training), steps);                                                                \
  }                                                                                                                   \
  tamis_status tamis_train_##S(tamis_training_##S* training, const tamis_problem_##S* problem, void* arena,           \
                               std::size_t arena_bytes, tamis_observer_##S observe, void* context) {                  \
    return train<T>(training, problem, arena, arena_bytes, observe, context);                                         \
  }                                                                                                                   \
  void tamis_stop_##S(tamis_training_##S* training) { stop(TrainingSlot<T>::of(training)); }                          \
  void tamis_report_of_##S(const tamis_training_##S* training, tamis_report_##S* report) {                            \
    report_of<T>(TrainingSlot<T>::of(training), report);                                                              \
  }                                                                                                                   \
  tamis_status tamis_model_of_##S(const tamis_training_##S* training, tamis_model_##S* model) {                       \
    return model_of<T>(training, model);                                                                              \
  }                                                                                                                   \
  std::uint32_t tamis_predict_##S(const tamis_model_##S* model, const T* sample, std::size_t stride) {                \
    return view<T>(model).predict(sample, stride);                                                                    \
  }                                                                                                                   \
  void tamis_scores_##S(const tamis_model_##S* model, const T* sample, std::size_t stride, T* scores) {               \
    view<T>(model).scores(sample, scores, stride);                                                                    \
  }                                                                                                                   \
  std::size_t tamis_blob_bytes_##S(const tamis_model_##S* model) { return blob_bytes(view<T>(model)); }               \
  std::size_t tamis_blob_write_##S(const tamis_model_##S* model, void* out, std::size_t bytes) {                      \
    return write_blob(view<T>(model), {static_cast<std::byte*>(out), bytes});                                         \
  }                                                                                                                   \
  std::size_t tamis_blob_coefficient_bytes_##S(const void* blob, std::size_t bytes) {                                 \
    return blob_coefficient_bytes<T>(blob, bytes);                                                                    \
  }                                                                                                                   \
  const char* tamis_blob_fault_##S(const void* blob, std::size_t bytes) { return blob_fault<T>(blob, bytes); }        \
  tamis_status tamis_blob_read_##S(const void* blob, std::size_t bytes, void* coefficients,                           \
                                   std::size_t coefficient_bytes, tamis_model_##S* model) {                           \
    return blob_read<T>(blob, bytes, coefficients, coefficient_bytes, model);                                         \
  }                                                                                                                   \
  std::size_t tamis_export_c_##S(const tamis_model_##S* model, const char* name, const char* const* labels,           \
                                 const T* samples, std::uint32_t sample_count, char* out, std::size_t bytes) {        \
    return export_header<T>(model, name, labels, samples, sample_count, out, bytes);                                  \
  }                                                                                                                   \
  void tamis_default_grid_##S(tamis_grid_##S* grid) { default_grid<T>(grid); }                                        \
  T tamis_mean_square_norm_##S(const tamis_problem_##S* problem, T* scratch) { return norm_of<T>(problem, scratch); } \
  std::size_t tamis_path_bytes_##S(const tamis_problem_##S* problem, const tamis_grid_##S* grid) {                    \
    return path_bytes<T>(problem, grid, {});                                                                          \
  }                                                                                                                   \
  std::size_t tamis_path_fast_bytes_##S(const tamis_problem_##S* problem, const tamis_grid_##S* grid,                 \
                                        std::size_t entries, std::uint32_t active_limit) {                            \
    return path_bytes<T>(problem, grid, {entries, active_limit});                                                     \
  }                                                                                                                   \
  tamis_status tamis_path_start_##S(tamis_path_##S* path, const tamis_problem_##S* problem,                           \
                                    const tamis_grid_##S* grid, void* arena, std::size_t arena_bytes) {               \
    return path_start<T>(path, problem, grid, arena, arena_bytes);                                                    \
  }                                                                                                                   \
  tamis_status tamis_path_step_##S(tamis_path_##S* path, std::uint32_t steps) { return path_step<T>(path, steps); }   \
  void tamis_path_stop_##S(tamis_path_##S* path) { stop(PathSlot<T>::of(path)); }                                     \
  int tamis_path_at_point_##S(const tamis_path_##S* path) { return path_at_point<T>(path); }                          \
  T tamis_path_lambda_##S(const tamis_path_##S* path) { return path_lambda<T>(path); }                                \
  std::uint32_t tamis_path_points_##S(const tamis_path_##S* path) { return path_points<T>(path); }                    \
  void tamis_path_report_##S(const tamis_path_##S* path, tamis_report_##S* report) { path_report<T>(path, report); }  \
  tamis_status tamis_path_model_##S(const tamis_path_##S* path, tamis_model_##S* model) {                             \
    return path_model<T>(path, model);                                                                                \
  }                                                                                                                   \
  std::size_t tamis_cross_validation_bytes_##S(const tamis_problem_##S* problem, const tamis_grid_##S* grid,          \
                                               std::uint32_t folds) {                                                 \
    return validation_bytes<T>(problem, grid, folds, {});                                                             \
  }                                                                                                                   \
  std::size_t tamis_cross_validation_fast_bytes_##S(const tamis_problem_##S* problem, const tamis_grid_##S* grid,     \
                                                    std::uint32_t folds, std::size_t entries,                         \
                                                    std::uint32_t active_limit) {                                     \
    return validation_bytes<T>(problem, grid, folds, {entries, active_limit});                                        \
  }                                                                                                                   \
  tamis_status tamis_cross_validation_start_##S(                                                                      \
      tamis_cross_validation_##S* validation, const tamis_problem_##S* problem, const tamis_grid_##S* grid,           \
      const std::uint32_t* fold_of, std::uint32_t folds, void* arena, std::size_t arena_bytes) {                      \
    return validation_start<T>(validation, problem, grid, fold_of, folds, nullptr, arena, arena_bytes);               \
  }                                                                                                                   \
  tamis_status tamis_cross_validation_start_keeping_##S(                                                              \
      tamis_cross_validation_##S* validation, const tamis_problem_##S* problem, const tamis_grid_##S* grid,           \
      const std::uint32_t* fold_of, std::uint32_t folds, T* scores, void* arena, std::size_t arena_bytes) {           \
    return validation_start<T>(validation, problem, grid, fold_of, folds, scores, arena, arena_bytes);                \
  }                                                                                                                   \
  void tamis_cross_validation_report_##S(const tamis_cross_validation_##S* validation, tamis_report_##S* report) {    \
    validation_report<T>(validation, report);                                                                         \
  }                                                                                                                   \
  TAMIS_VALIDATION_DEFINE(T, S, tamis_cross_validation)

extern "C" {

TAMIS_FOR_SCALARS(TAMIS_DEFINE)

const char* tamis_status_name(std::uint32_t status) { return name(static_cast<Status>(status & 0xff)); }
const char* tamis_status_sentence(std::uint32_t status) { return describe(static_cast<Status>(status & 0xff)); }
const char* tamis_refusal(std::uint32_t solver, std::uint32_t loss, std::uint32_t penalty) {
  if (loss < std::size(all_losses) && has_label_sets(static_cast<LossKind>(loss)) &&
      !ProblemOf<float>::has(static_cast<LossKind>(loss)))
    return TAMIS_NEEDS_ALL_SOLVERS;
  if (!known(solver, loss, penalty)) return not_chosen;
  return ProblemSpec{
      static_cast<LossKind>(loss), static_cast<PenaltyKind>(penalty), {}, static_cast<SolverKind>(solver)}
      .refusal();
}
int tamis_deal_folds(const std::uint16_t* labels, std::uint32_t samples, std::uint32_t classes, std::uint32_t folds,
                     int stratified, std::uint64_t seed, std::uint32_t* fold, std::uint32_t* order,
                     std::uint32_t* rare_class) {
  Index rare = classes;
  const bool dealt = deal_folds({labels, samples}, classes, folds, stratified != 0, seed, fold, order, rare);
  if (rare_class) *rare_class = rare;
  return dealt;
}
int tamis_deal_groups(const std::uint16_t* labels, std::uint32_t samples, std::uint32_t classes,
                      const std::uint32_t* group, std::uint32_t folds, std::uint32_t* fold, std::uint32_t* order,
                      std::uint32_t* starts, std::uint32_t* counts) {
  for (Index i = 0; i < samples; ++i)
    if (labels[i] >= classes) return 0;
  return deal_groups({labels, samples}, classes, group, folds, fold, order, starts, counts);
}
const char* tamis_version() { return version; }

}  // extern "C"
