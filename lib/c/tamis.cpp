#include "tamis.h"

#include <new>

#include "tamis/any.hpp"
#include "tamis/model/blob.hpp"
#include "tamis/model/export_c.hpp"
#include "tamis/observer.hpp"
#include "tamis/version.hpp"

namespace {

using namespace tamis;

/// The types of one scalar.
template <class T>
struct Face;
template <>
struct Face<float> {
  using Problem = tamis_problem_f32;
  using Report = tamis_report_f32;
  using Model = tamis_model_f32;
  using Memory = tamis_training_f32;
  using Observer = tamis_observer_f32;
};
template <>
struct Face<double> {
  using Problem = tamis_problem_f64;
  using Report = tamis_report_f64;
  using Model = tamis_model_f64;
  using Memory = tamis_training_f64;
  using Observer = tamis_observer_f64;
};

static_assert(TAMIS_CONVERGED == int(Status::converged) && TAMIS_RUNNING == int(Status::running) &&
              TAMIS_ARENA_TOO_SMALL == int(Status::arena_too_small) &&
              TAMIS_INVALID_GROUPS == int(Status::invalid_groups) && TAMIS_INVALID_ETA == int(Status::invalid_eta));
static_assert(TAMIS_SQUARED_HINGE == int(LossKind::squared_hinge) && TAMIS_LOGISTIC == int(LossKind::logistic) &&
              TAMIS_ONE_VS_REST_SQUARED_HINGE == int(LossKind::one_vs_rest_squared_hinge) &&
              TAMIS_REWEIGHTED_L1 == int(PenaltyKind::reweighted_l1) && TAMIS_FISTA == int(SolverKind::fista) &&
              TAMIS_CONSTRAINED_PRIMAL_DUAL == int(SolverKind::constrained_primal_dual) &&
              TAMIS_CRAMMER_SINGER_DUAL == int(SolverKind::crammer_singer_dual) &&
              TAMIS_TWO_PHASE == int(SolverKind::two_phase));
static_assert(TAMIS_ALIGNMENT == Arena::alignment);

/// Whether a problem is six numbers, then words: what wasm/module.js writes.
template <class T, class Problem = typename Face<T>::Problem>
constexpr bool is_numbers_then_words = sizeof(void*) != 4 || (offsetof(Problem, eta) == 5 * sizeof(T) &&
                                                              offsetof(Problem, max_iterations) == 6 * sizeof(T) &&
                                                              offsetof(Problem, group_count) == 6 * sizeof(T) + 18 * 4);
static_assert(is_numbers_then_words<float> && is_numbers_then_words<double>);

tamis_status as_c(Status status) { return static_cast<tamis_status>(status); }

template <class T>
using Trainer = AnyTraining<T, TwoPhase>;

bool known(std::uint32_t solver, std::uint32_t loss, std::uint32_t penalty) {
  return solver < std::size(all_solvers) && loss < std::size(all_losses) && penalty < std::size(all_penalties) &&
         (solver == TAMIS_AUTOMATIC || Trainer<float>::has(static_cast<SolverKind>(solver)));
}

#ifdef TAMIS_DENSE_ONLY  // a build without sparse designs refuses them
constexpr bool takes_sparse = false;
#else
constexpr bool takes_sparse = true;
#endif

/// What lives in tamis_training: the designs, then the run, which points at them.
template <class T>
class State {
 public:
  using C = Face<T>;

  explicit State(const typename C::Problem& p)
      : dense_(p.values, p.samples, p.features, p.column_stride ? p.column_stride : p.samples),
#ifndef TAMIS_DENSE_ONLY
        sparse_(p.values, p.rows, p.starts, p.samples, p.features),
        training_(choice_of(p), p.rows ? AnyDesign<T>(sparse_) : AnyDesign<T>(dense_),
#else
        training_(choice_of(p), AnyDesign<T>(dense_),
#endif
                  Targets<T>{{p.labels, p.samples}, p.classes, p.weights, p.margins},
                  Options<T>{.lambda = p.lambda,
                             .tolerance = p.tolerance,
                             .max_iterations = p.max_iterations,
                             .margin = p.margin,
                             .intercept = p.intercept != 0,
                             .eta = p.eta},
                  PenaltyParameters<T>{.l1_ratio = p.l1_ratio, .epsilon = p.epsilon}) {
  }

  static Groups groups_of(const typename C::Problem& p) {
    if (p.group_order || p.group_starts) return Groups::listed(p.group_order, p.group_starts, p.group_count);
    return Groups::blocks(p.block);
  }
  static Choice choice_of(const typename C::Problem& p) {
    return {static_cast<LossKind>(p.loss),
            static_cast<PenaltyKind>(p.penalty),
            groups_of(p),
            static_cast<SolverKind>(p.solver),
            p.eta != T(0),
            Choice::is_tiny(p.lambda, p.samples)};
  }

  Trainer<T>& training() { return training_; }

 private:
  DenseDesign<T> dense_;
#ifndef TAMIS_DENSE_ONLY
  SparseDesign<T> sparse_;
#endif
  Trainer<T> training_;
};

/// The memory of a training: a State, or the status of a refusal that came before there was one.
template <class T>
struct Slot {
  std::uint32_t refusal;  ///< a tamis_status; TAMIS_RUNNING: there is a state
  alignas(alignof(State<T>)) std::byte state[sizeof(State<T>)];

  static Slot& of(const typename Face<T>::Memory* memory) {
    static_assert(sizeof(Slot) <= sizeof(typename Face<T>::Memory) && alignof(Slot) <= alignof(std::uint64_t));
    return *reinterpret_cast<Slot*>(const_cast<typename Face<T>::Memory*>(memory));
  }
  State<T>* run() { return refusal == TAMIS_RUNNING ? std::launder(reinterpret_cast<State<T>*>(state)) : nullptr; }
};

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
std::size_t training_bytes(const typename Face<T>::Problem* p, Room room) {
  if (!known(p->solver, p->loss, p->penalty)) return 0;
  const Choice choice = State<T>::choice_of(*p);
  if (choice.refusal()) return 0;
  return Trainer<T>::requirement(choice, {p->samples, p->features, p->classes}, room).bytes;
}

template <class T>
tamis_status start(typename Face<T>::Memory* memory, const typename Face<T>::Problem* p, void* arena,
                   std::size_t bytes) {
  Slot<T>& slot = Slot<T>::of(memory);
  slot.refusal = TAMIS_RUNNING;
  if (!known(p->solver, p->loss, p->penalty)) slot.refusal = TAMIS_INVALID_OPTION;
  else if (State<T>::choice_of(*p).refusal()) slot.refusal = TAMIS_INVALID_COMBINATION;
  else if (!p->values || !p->labels || (p->rows && (!p->starts || !takes_sparse)) ||
           (p->column_stride && p->column_stride < p->samples))
    slot.refusal = TAMIS_INVALID_SHAPE;
  if (slot.refusal != TAMIS_RUNNING) return static_cast<tamis_status>(slot.refusal);
  auto* state = ::new (static_cast<void*>(slot.state)) State<T>(*p);
  state->training().start({static_cast<std::byte*>(arena), bytes});
  return as_c(state->training().report().status);
}

template <class T>
tamis_status step(typename Face<T>::Memory* memory, std::uint32_t steps) {
  State<T>* state = Slot<T>::of(memory).run();
  if (!state) return static_cast<tamis_status>(Slot<T>::of(memory).refusal);
  while (steps-- && state->training().step()) {
  }
  return as_c(state->training().report().status);
}

template <class T>
void report_of(const typename Face<T>::Memory* memory, typename Face<T>::Report* out) {
  *out = {};
  State<T>* state = Slot<T>::of(memory).run();
  if (!state) {
    out->status = Slot<T>::of(memory).refusal;
    return;
  }
  const Report<T>& r = state->training().report();
  const auto small = [](std::size_t bytes) {
    return bytes > 0xffffffffu ? 0xffffffffu : static_cast<std::uint32_t>(bytes);
  };
  *out = {r.objective,
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

template <class T>
tamis_status train(typename Face<T>::Memory* memory, const typename Face<T>::Problem* p, void* arena, std::size_t bytes,
                   typename Face<T>::Observer observe, void* context) {
  start<T>(memory, p, arena, bytes);
  State<T>* state = Slot<T>::of(memory).run();
  if (!state) return static_cast<tamis_status>(Slot<T>::of(memory).refusal);
  advance_to_end(state->training(), [&](const Report<T>&) {
    if (!observe) return true;
    typename Face<T>::Report report;
    report_of<T>(memory, &report);
    return observe(context, &report) != 0;
  });
  return as_c(state->training().report().status);
}

template <class T>
void stop(typename Face<T>::Memory* memory) {
  if (State<T>* state = Slot<T>::of(memory).run()) state->training().stop();
}

template <class T>
tamis_status model_of(const typename Face<T>::Memory* memory, typename Face<T>::Model* out) {
  *out = {};
  State<T>* state = Slot<T>::of(memory).run();
  if (!state || !has_model(state->training().report().status)) return TAMIS_INVALID_SHAPE;
  const auto model = state->training().model();
  *out = {model.coefficients, model.features, model.classes};
  return as_c(state->training().report().status);
}

template <class T>
LinearModel<T> view(const typename Face<T>::Model* model) {
  return {model->coefficients, model->features, model->classes};
}

template <class T>
std::size_t blob_coefficient_bytes(const void* blob, std::size_t bytes) {
  const BlobShape shape = inspect_blob({static_cast<const std::byte*>(blob), bytes});
  return shape.valid && shape.scalar_bytes == sizeof(T) ? blob_coefficients<T>(shape) * sizeof(T) : 0;
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

#ifndef TAMIS_EXPORT
#define TAMIS_EXPORT(name)
#endif

#define TAMIS_DEFINE(T, S)                                                                                            \
  TAMIS_EXPORT(tamis_default_problem_##S)                                                                             \
  void tamis_default_problem_##S(tamis_problem_##S* problem) { default_problem<T>(problem); }                         \
  TAMIS_EXPORT(tamis_training_bytes_##S)                                                                              \
  std::size_t tamis_training_bytes_##S(const tamis_problem_##S* problem) { return training_bytes<T>(problem, {}); }   \
  TAMIS_EXPORT(tamis_fast_bytes_##S)                                                                                  \
  std::size_t tamis_fast_bytes_##S(const tamis_problem_##S* problem, std::size_t entries,                             \
                                   std::uint32_t active_limit) {                                                      \
    return training_bytes<T>(problem, {entries, active_limit});                                                       \
  }                                                                                                                   \
  TAMIS_EXPORT(tamis_start_##S)                                                                                       \
  tamis_status tamis_start_##S(tamis_training_##S* training, const tamis_problem_##S* problem, void* arena,           \
                               std::size_t arena_bytes) {                                                             \
    return start<T>(training, problem, arena, arena_bytes);                                                           \
  }                                                                                                                   \
  TAMIS_EXPORT(tamis_step_##S)                                                                                        \
  tamis_status tamis_step_##S(tamis_training_##S* training, std::uint32_t steps) { return step<T>(training, steps); } \
  TAMIS_EXPORT(tamis_train_##S)                                                                                       \
  tamis_status tamis_train_##S(tamis_training_##S* training, const tamis_problem_##S* problem, void* arena,           \
                               std::size_t arena_bytes, tamis_observer_##S observe, void* context) {                  \
    return train<T>(training, problem, arena, arena_bytes, observe, context);                                         \
  }                                                                                                                   \
  TAMIS_EXPORT(tamis_stop_##S)                                                                                        \
  void tamis_stop_##S(tamis_training_##S* training) { stop<T>(training); }                                            \
  TAMIS_EXPORT(tamis_report_of_##S)                                                                                   \
  void tamis_report_of_##S(const tamis_training_##S* training, tamis_report_##S* report) {                            \
    report_of<T>(training, report);                                                                                   \
  }                                                                                                                   \
  TAMIS_EXPORT(tamis_model_of_##S)                                                                                    \
  tamis_status tamis_model_of_##S(const tamis_training_##S* training, tamis_model_##S* model) {                       \
    return model_of<T>(training, model);                                                                              \
  }                                                                                                                   \
  TAMIS_EXPORT(tamis_predict_##S)                                                                                     \
  std::uint32_t tamis_predict_##S(const tamis_model_##S* model, const T* sample, std::size_t stride) {                \
    return view<T>(model).predict(sample, stride);                                                                    \
  }                                                                                                                   \
  TAMIS_EXPORT(tamis_scores_##S)                                                                                      \
  void tamis_scores_##S(const tamis_model_##S* model, const T* sample, std::size_t stride, T* scores) {               \
    view<T>(model).scores(sample, scores, stride);                                                                    \
  }                                                                                                                   \
  TAMIS_EXPORT(tamis_blob_bytes_##S)                                                                                  \
  std::size_t tamis_blob_bytes_##S(const tamis_model_##S* model) { return blob_bytes(view<T>(model)); }               \
  TAMIS_EXPORT(tamis_blob_write_##S)                                                                                  \
  std::size_t tamis_blob_write_##S(const tamis_model_##S* model, void* out, std::size_t bytes) {                      \
    return write_blob(view<T>(model), {static_cast<std::byte*>(out), bytes});                                         \
  }                                                                                                                   \
  TAMIS_EXPORT(tamis_blob_coefficient_bytes_##S)                                                                      \
  std::size_t tamis_blob_coefficient_bytes_##S(const void* blob, std::size_t bytes) {                                 \
    return blob_coefficient_bytes<T>(blob, bytes);                                                                    \
  }                                                                                                                   \
  TAMIS_EXPORT(tamis_blob_read_##S)                                                                                   \
  tamis_status tamis_blob_read_##S(const void* blob, std::size_t bytes, void* coefficients,                           \
                                   std::size_t coefficient_bytes, tamis_model_##S* model) {                           \
    return blob_read<T>(blob, bytes, coefficients, coefficient_bytes, model);                                         \
  }                                                                                                                   \
  TAMIS_EXPORT(tamis_export_c_##S)                                                                                    \
  std::size_t tamis_export_c_##S(const tamis_model_##S* model, const char* name, const char* const* labels,           \
                                 const T* samples, std::uint32_t sample_count, char* out, std::size_t bytes) {        \
    return export_header<T>(model, name, labels, samples, sample_count, out, bytes);                                  \
  }

extern "C" {

// A build that needs one scalar only may leave the other out.
#ifndef TAMIS_ONLY_F64
TAMIS_DEFINE(float, f32)
#endif
#ifndef TAMIS_ONLY_F32
TAMIS_DEFINE(double, f64)
#endif

TAMIS_EXPORT(tamis_status_name)
const char* tamis_status_name(std::uint32_t status) { return name(static_cast<Status>(status & 0xff)); }
TAMIS_EXPORT(tamis_status_sentence)
const char* tamis_status_sentence(std::uint32_t status) { return describe(static_cast<Status>(status & 0xff)); }
TAMIS_EXPORT(tamis_refusal)
const char* tamis_refusal(std::uint32_t solver, std::uint32_t loss, std::uint32_t penalty) {
  if (!known(solver, loss, penalty)) return "unknown solver, loss or penalty";
  return Choice{static_cast<LossKind>(loss), static_cast<PenaltyKind>(penalty), {}, static_cast<SolverKind>(solver)}
      .refusal();
}
TAMIS_EXPORT(tamis_version)
const char* tamis_version() { return version; }

}  // extern "C"
