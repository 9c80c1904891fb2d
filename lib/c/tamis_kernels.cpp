#include "tamis_kernels.h"

#include "face.hpp"
#include "tamis/certificate/rademacher.hpp"
#include "tamis/model/export_kernels_c.hpp"
#include "tamis/selection/kernel_cross_validation.hpp"
#include "validation.hpp"

namespace {

using namespace tamis;
using namespace tamis::in_c;

/// The types of one scalar.
template <class T>
struct Face : Common<T> {
  using Kernel = TAMIS_OF(T, tamis_kernel);
  using Problem = TAMIS_OF(T, tamis_kernels_problem);
  using Memory = TAMIS_OF(T, tamis_kernels);
  using Model = TAMIS_OF(T, tamis_kernels_model);
  using Bound = TAMIS_OF(T, tamis_kernels_bound);
  using ValidationMemory = TAMIS_OF(T, tamis_kernels_cross_validation);
  using Grid = TAMIS_OF(T, tamis_grid);
};

template <class T>
using Solver = KernelAdmm<T>;

static_assert(TAMIS_KERNEL_POLYNOMIAL == int(KernelKind::polynomial) &&
              TAMIS_KERNEL_GAUSSIAN == int(KernelKind::gaussian) && TAMIS_KERNEL_SIGMOID == int(KernelKind::sigmoid) &&
              TAMIS_KERNEL_CHI2 == int(KernelKind::chi2) && TAMIS_KERNEL_CONSTANT == int(KernelKind::constant) &&
              TAMIS_KERNEL_CONSTANT + 1 == int(std::size(all_kernels)));

/// Whether a kernel and a term in C lie in memory as those in C++ do: arrays of either are handed over as they are.
template <class T, class InC = typename Face<T>::Kernel>
constexpr bool is_a_kernel = sizeof(InC) == sizeof(Kernel<T>) && alignof(InC) == alignof(Kernel<T>) &&
                             offsetof(InC, kind) == offsetof(Kernel<T>, kind) &&
                             offsetof(InC, a) == offsetof(Kernel<T>, a) && offsetof(InC, b) == offsetof(Kernel<T>, b);
static_assert(is_a_kernel<float> && is_a_kernel<double>);
static_assert(sizeof(tamis_kernels_term) == sizeof(KernelTerm) && alignof(tamis_kernels_term) == alignof(KernelTerm) &&
              offsetof(tamis_kernels_term, sample) == offsetof(KernelTerm, sample));

/// Whether a problem is two numbers, then words, and a model words alone: what wasm/kernels.js writes and reads.
template <class T, class Problem = typename Face<T>::Problem, class Model = typename Face<T>::Model>
constexpr bool are_numbers_then_words = sizeof(void*) != 4 || (offsetof(Problem, max_iterations) == 2 * sizeof(T) &&
                                                               offsetof(Problem, labels) == 2 * sizeof(T) + 14 * 4 &&
                                                               offsetof(Model, outputs) == 10 * 4);
static_assert(are_numbers_then_words<float> && are_numbers_then_words<double>);

// ---- what is wrong with a problem -----------------------------------------------------------------------------------

struct Fault {
  tamis_kernels_fault what = TAMIS_KERNELS_NO_FAULT;
  std::uint32_t kernel = TAMIS_KERNELS_NOWHERE, row = TAMIS_KERNELS_NOWHERE, column = TAMIS_KERNELS_NOWHERE;
  const char* own = nullptr;  ///< a sentence instead of that of `what`

  explicit operator bool() const { return what != TAMIS_KERNELS_NO_FAULT; }
};

struct Meaning {
  tamis_status status;
  const char* sentence;
};
constexpr Meaning meanings[] = {
    {TAMIS_RUNNING, "nothing is wrong"},
    {TAMIS_INVALID_SHAPE, "training needs at least one sample and one kernel, and features for kernels to compare"},
    {TAMIS_INVALID_SHAPE, "give either kernels and samples, or the matrices of kernels"},
    {TAMIS_INVALID_SHAPE, "labels are missing, or the values of the samples that kernels compare"},
    {TAMIS_INVALID_SHAPE, "columns are closer together than there are samples"},
    {TAMIS_INVALID_SHAPE, "there must be from 2 to 65536 classes, and two of them for the binary form"},
    {TAMIS_INVALID_SHAPE, "there are more coefficients than 32 bits can count: take fewer samples or kernels"},
    {TAMIS_INVALID_OPTION, "the form is not known"},
    {TAMIS_INVALID_OPTION, "p, q and r must each be 1 or 2"},
    {TAMIS_INVALID_OPTION, "the tolerance must be positive, and the iteration limit at least one"},
    {TAMIS_INVALID_LAMBDA, "lambda must be positive and finite"},
    {TAMIS_INVALID_OPTION, "the kernel is not known"},
    {TAMIS_INVALID_LABEL, "a label is not below the number of classes, which is two in the binary form"},
    {TAMIS_MISSING_CLASS, "a class has no sample: number the classes that there are"},
    {TAMIS_INVALID_DATA, "a sample holds a value that is not finite: remove or impute it"},
    {TAMIS_INVALID_ARENA, "the arena is null or not aligned to 16 bytes"},
    {TAMIS_ARENA_TOO_SMALL, "the arena is too small: give it the bytes that the report asks for"},
    {TAMIS_INVALID_DATA,
     "the value of a kernel of two samples is not finite: histograms must have no negative entries, and features may "
     "be "
     "too large for the kernel"},
    {TAMIS_INVALID_DATA, "a kernel is zero for every pair of samples, so nothing can be learned with it: leave it out"},
    {TAMIS_INVALID_SHAPE, "the fold of each sample is missing"},
};
static_assert(std::size(meanings) == TAMIS_KERNELS_FOLDS + 1);

template <class T>
std::uint32_t outputs_of(const typename Face<T>::Problem& p) {
  const bool binary = p.form == TAMIS_KERNELS_BINARY || (p.form == TAMIS_KERNELS_AUTOMATIC && p.classes == 2);
  return binary ? 1 : p.classes;
}
/// Whether the solver can count the coefficients of a problem.
template <class T>
bool countable(const typename Face<T>::Problem& p) {
  using detail::saturating_multiply;
  constexpr std::uint64_t most = Index(-1) - lanes<T>;
  const std::uint64_t features = std::uint64_t{p.samples} * p.kernel_count;
  return outputs_of<T>(p) <= most && features <= most && features * padded<T>(outputs_of<T>(p)) <= most;
}

template <class T>
Fault fault_of_shape(const typename Face<T>::Problem& p) {
  if (p.samples == 0 || p.kernel_count == 0 || (p.kernels && p.features == 0)) return {TAMIS_KERNELS_EMPTY};
  if (!p.kernels == !p.matrices) return {TAMIS_KERNELS_SOURCE};
  if (!p.labels || (p.kernels && !p.values)) return {TAMIS_KERNELS_NULL};
  if (p.kernels && p.column_stride && p.column_stride < p.samples) return {TAMIS_KERNELS_STRIDE};
  if (p.form > TAMIS_KERNELS_MULTICLASS) return {TAMIS_KERNELS_CHOICE};
  if (p.classes < 2 || p.classes > 65536 || (p.form == TAMIS_KERNELS_BINARY && p.classes != 2))
    return {TAMIS_KERNELS_CLASSES};
  if (!countable<T>(p)) return {TAMIS_KERNELS_SIZE};
  return {};
}

/// Among the labels of so many samples.
Fault fault_of_labels(const std::uint16_t* labels, std::uint32_t samples, std::uint32_t classes) {
  for (std::uint32_t i = 0; i < samples; ++i)
    if (labels[i] >= classes) return {TAMIS_KERNELS_LABEL, TAMIS_KERNELS_NOWHERE, i};
  for (std::uint32_t k = 0; k < classes; ++k) {
    std::uint32_t i = 0;
    while (i < samples && labels[i] != k) ++i;
    if (i == samples) return {TAMIS_KERNELS_MISSING_CLASS, TAMIS_KERNELS_NOWHERE, TAMIS_KERNELS_NOWHERE, k};
  }
  return {};
}

/// All that can be told without the values of kernels. `one`: its λ counts.
template <class T>
Fault fault_of(const typename Face<T>::Problem& p, std::span<std::byte> arena, std::size_t needed, bool one) {
  if (const Fault fault = fault_of_shape<T>(p)) return fault;
  const auto is_norm = [](std::uint32_t number) { return number == 1 || number == 2; };
  if (!is_norm(p.p) || !is_norm(p.q) || !is_norm(p.r)) return {TAMIS_KERNELS_NORM};
  if (!(p.tolerance > T(0)) || p.max_iterations == 0) return {TAMIS_KERNELS_EFFORT};
  if (one && !(p.lambda > T(0) && finite(p.lambda))) return {TAMIS_KERNELS_LAMBDA};
  for (std::uint32_t t = 0; p.kernels && t < p.kernel_count; ++t) {
    const auto& kernel = p.kernels[t];
    Fault fault{TAMIS_KERNELS_PARAMETERS, t};
    if (kernel.kind > TAMIS_KERNEL_CONSTANT) return fault;
    fault.own = Kernel<T>{static_cast<KernelKind>(kernel.kind), kernel.a, kernel.b}.refusal();
    if (fault.own) return fault;
  }
  if (const Fault fault = fault_of_labels(p.labels, p.samples, p.classes)) return fault;
  if (p.kernels) {
    const DenseDesign<T> samples(p.values, p.samples, p.features, p.column_stride ? p.column_stride : p.samples);
    Fault fault{TAMIS_KERNELS_SAMPLE_VALUE};
    if (samples.find_bad_value(fault.row, fault.column)) return fault;
  }
  if (!Arena::aligned(arena)) return {TAMIS_KERNELS_ARENA};
  if (arena.size() < needed) return {TAMIS_KERNELS_ARENA_SIZE};
  return {};
}

// ---- a run ----------------------------------------------------------------------------------------------------------

/// What the arena has beside the memory of the solver: nothing where matrices are given.
template <class T>
struct KernelMemory {
  Kernel<T>* kernels;
  T* matrices;

  static constexpr KernelMemory lay_out(Arena& arena, bool functions, std::uint32_t kernels, std::uint32_t samples) {
    using detail::saturating_multiply;
    KernelMemory m{};
    if (!functions) return m;
    m.kernels = arena.take<Kernel<T>>(kernels);
    m.matrices = arena.take<T>(saturating_multiply(saturating_multiply(kernels, samples), samples));
    return m;
  }
};

template <class T>
Requirement memory_of_kernels(const typename Face<T>::Problem& p) {
  return count_bytes<KernelMemory<T>>(p.kernels != nullptr, p.kernel_count, p.samples);
}
template <class T>
Requirement memory_of_solver(const typename Face<T>::Problem& p) {
  if (!countable<T>(p)) return {detail::no_bytes_suffice};
  return Solver<T>::requirement({p.samples, p.samples * p.kernel_count, outputs_of<T>(p)});
}

/// A solver with what its model compares samples by.
template <class T>
struct State {
  Solver<T> solver;
  KernelProblem<T> problem;
  const Kernel<T>* kernels;  ///< null: matrices are given
  std::uint32_t kernel_count;
  SampleTable<T> samples;

  Solver<T>& run() { return solver; }
  std::span<const Kernel<T>> functions() const { return {kernels, kernel_count}; }
};

/// What lives in memory of the caller: a state, and why there is none.
template <class S, class Memory>
struct Checked {
  Slot<S, Memory> slot;
  Fault fault;
  Requirement beside;  ///< bytes of arena that are not the solver's
  std::size_t needed;  ///< bytes of arena

  static Checked& of(const Memory* memory) {
    static_assert(sizeof(Checked) <= sizeof(Memory) && alignof(Checked) <= alignof(std::uint64_t));
    return *reinterpret_cast<Checked*>(const_cast<Memory*>(memory));
  }
  tamis_status refuse(const Fault& why) {
    fault = why;
    slot.refusal = meanings[why.what].status;
    return slot.refused();
  }
};
template <class T>
using Run = Checked<State<T>, typename Face<T>::Memory>;

template <class T>
void default_problem(typename Face<T>::Problem* p) {
  *p = {};
  const Options<T> options;
  p->tolerance = options.tolerance;
  p->max_iterations = options.max_iterations;
}

template <class T>
std::size_t bytes_of(const typename Face<T>::Problem& p) {
  return (memory_of_kernels<T>(p) & memory_of_solver<T>(p)).bytes;
}

/// Fills the matrices, or looks at those that are given.
template <class T>
Fault take_matrices(const typename Face<T>::Problem& p, const SampleTable<T>& samples, const KernelMemory<T>& memory) {
  const std::size_t size = std::size_t{p.samples} * p.samples;
  for (std::uint32_t t = 0; t < p.kernel_count; ++t) {
    const T* matrix = (memory.matrices ? memory.matrices : p.matrices) + t * size;
    KernelPair bad;
    bool fine = true;
    if (memory.matrices) {
      memory.kernels[t] = {static_cast<KernelKind>(p.kernels[t].kind), p.kernels[t].a, p.kernels[t].b};
      fine = fill_kernel_matrix(memory.kernels[t], samples, memory.matrices + t * size, bad);
    } else {
      for (std::size_t e = 0; e < size && fine; ++e) {
        fine = finite(matrix[e]);
        if (!fine) bad = {static_cast<Index>(e / p.samples), static_cast<Index>(e % p.samples)};
      }
    }
    if (!fine) return {TAMIS_KERNELS_KERNEL_VALUE, t, bad.row, bad.column};
    if (is_zero_matrix(matrix, p.samples)) return {TAMIS_KERNELS_ZERO_KERNEL, t};
  }
  return {};
}

template <class T>
SampleTable<T> samples_of(const typename Face<T>::Problem& p) {
  return {p.values, p.samples, p.features, 1, p.column_stride ? p.column_stride : p.samples};
}
template <class T>
KernelProblem<T> problem_of(const typename Face<T>::Problem& p, const KernelMemory<T>& m) {
  return {DenseDesign<T>(m.matrices ? m.matrices : p.matrices, p.samples, p.samples * p.kernel_count),
          {p.labels, p.samples},
          p.kernel_count,
          outputs_of<T>(p),
          MixedNorm<T>{static_cast<int>(p.p), static_cast<int>(p.q), static_cast<int>(p.r)},
          Options<T>{.tolerance = p.tolerance, .max_iterations = p.max_iterations, .intercept = p.intercept != 0}};
}

/// Checks everything and makes the matrices; `solver`: bytes of what comes behind them. False: refused.
template <class T, class Run>
bool prepare(Run& run, const typename Face<T>::Problem& p, std::span<std::byte> memory, Requirement solver, bool one,
             KernelMemory<T>& m) {
  run.fault = {};
  run.beside = memory_of_kernels<T>(p);
  run.needed = (run.beside & solver).bytes;
  run.slot.refusal = TAMIS_RUNNING;
  Fault fault = fault_of<T>(p, memory, run.needed, one);
  if (!fault) {
    Arena arena(memory);
    m = KernelMemory<T>::lay_out(arena, p.kernels != nullptr, p.kernel_count, p.samples);
    fault = take_matrices<T>(p, samples_of<T>(p), m);
  }
  if (fault) run.refuse(fault);
  return !fault;
}

template <class T>
tamis_status start(Run<T>& run, const typename Face<T>::Problem& p, std::span<std::byte> memory) {
  KernelMemory<T> m;
  if (!prepare<T>(run, p, memory, memory_of_solver<T>(p), true, m)) return run.slot.refused();
  const KernelProblem<T> problem = problem_of<T>(p, m);
  auto* state = ::new (static_cast<void*>(run.slot.state))
      State<T>{problem(p.lambda), problem, m.kernels, p.kernel_count, samples_of<T>(p)};
  state->run().start(memory.subspan(run.beside.bytes));
  return as_c(state->run().report().status);
}

template <class T>
tamis_status train(Run<T>& run, const typename Face<T>::Problem& p, std::span<std::byte> memory,
                   typename Face<T>::Observer observe, void* context) {
  start(run, p, memory);
  return to_end<T>(run.slot, observe, context, run.beside);
}

template <class T>
tamis_status go_on(Run<T>& run, T lambda) {
  State<T>* state = run.slot.get();
  if (!state) return run.slot.refused();
  if (!(lambda > T(0) && finite(lambda))) return TAMIS_INVALID_LAMBDA;
  state->run().warm_start(lambda);
  return as_c(state->run().report().status);
}

template <class T, class Run>
void report(Run& run, typename Face<T>::Report* out) {
  report_of<T>(run.slot, out, run.beside);
  if (!run.fault) return;
  const auto place = [](std::uint32_t number) { return number == TAMIS_KERNELS_NOWHERE ? 0 : number; };
  *out = report_in_c(Report<T>{.status = static_cast<Status>(out->status),
                               .row = place(run.fault.row),
                               .column = place(run.fault.column),
                               .arena_bytes = run.needed});
}

void write_refusal(const Fault& fault, tamis_kernels_refusal* out) {
  *out = {static_cast<std::uint32_t>(fault.what), fault.kernel, fault.row, fault.column,
          fault.own ? fault.own : meanings[fault.what].sentence};
}

template <class T>
KernelCoefficients<T> coefficients(Run<T>& run) {
  State<T>* state = run.slot.get();
  return state ? state->run().model() : KernelCoefficients<T>{};
}

template <class T>
std::uint32_t copy_coefficients(Run<T>& run, T* out, T* intercepts) {
  const KernelCoefficients<T> alpha = coefficients(run);
  for (Index k = 0; intercepts && k < alpha.outputs; ++k) intercepts[k] = alpha.intercept(k);
  for (Index t = 0; out && t < alpha.kernels; ++t)
    for (Index l = 0; l < alpha.samples; ++l)
      for (Index k = 0; k < alpha.outputs; ++k) *out++ = alpha(l, t, k);
  return alpha.outputs;
}

template <class T>
std::size_t model_bytes(Run<T>& run) {
  const KernelCoefficients<T> alpha = coefficients(run);
  const State<T>* state = run.slot.get();
  if (!alpha.outputs || !state->kernels) return 0;
  return kept_requirement<T>(count_kept(alpha, state->functions()), state->samples.features, alpha.outputs).bytes;
}

template <class T>
tamis_status take_model(Run<T>& run, std::span<std::byte> memory, typename Face<T>::Model* out) {
  *out = {};
  const KernelCoefficients<T> alpha = coefficients(run);
  if (!alpha.outputs) return TAMIS_INVALID_SHAPE;
  State<T>* state = run.slot.get();
  if (!state->kernels) return TAMIS_INVALID_COMBINATION;
  if (!Arena::aligned(memory)) return TAMIS_INVALID_ARENA;
  KernelExpansion<T> kept;
  if (!take_kept(alpha, state->functions(), state->samples, memory, kept)) return TAMIS_ARENA_TOO_SMALL;
  *out = {reinterpret_cast<const typename Face<T>::Kernel*>(kept.kernels.data()),
          kept.samples.values,
          reinterpret_cast<const tamis_kernels_term*>(kept.terms.data()),
          kept.coefficients,
          kept.intercepts,
          kept.origins,
          static_cast<std::uint32_t>(kept.kernels.size()),
          kept.samples.samples,
          static_cast<std::uint32_t>(kept.terms.size()),
          kept.samples.features,
          kept.outputs};
  return as_c(state->run().report().status);
}

// ---- which λ, and what to expect of it -----------------------------------------------------------------------------

/// What lives in tamis_kernels_cross_validation.
template <class T>
struct Validation {
  KernelCrossValidation<T> validation;

  KernelCrossValidation<T>& run() { return validation; }
};
template <class T>
using ValidationRun = Checked<Validation<T>, typename Face<T>::ValidationMemory>;
template <class T>
struct ValidationSlot {
  static auto& of(const typename Face<T>::ValidationMemory* memory) { return ValidationRun<T>::of(memory).slot; }
};

template <class T>
T first_lambda(const typename Face<T>::Problem& p, std::span<std::byte> memory) {
  Run<T> run;
  KernelMemory<T> m;
  if (!prepare<T>(run, p, memory, memory_of_solver<T>(p), false, m)) return not_a_number<T>;
  return problem_of<T>(p, m).first_lambda(memory.subspan(run.beside.bytes));
}

template <class T>
Requirement memory_of_validation(const typename Face<T>::Problem& p, const typename Face<T>::Grid& grid,
                                 const std::uint32_t* fold_of, std::uint32_t folds) {
  if (!countable<T>(p)) return {detail::no_bytes_suffice};
  const Index training = most_training_samples({fold_of, p.samples}, folds);
  return KernelCrossValidation<T>::requirement({p.samples, p.samples * p.kernel_count, outputs_of<T>(p)}, training,
                                               folds, grid.points);
}
template <class T>
std::size_t validation_bytes(const typename Face<T>::Problem& p, const typename Face<T>::Grid& grid,
                             const std::uint32_t* fold_of, std::uint32_t folds) {
  return fold_of ? (memory_of_kernels<T>(p) & memory_of_validation<T>(p, grid, fold_of, folds)).bytes : 0;
}

template <class T>
tamis_status validation_start(ValidationRun<T>& run, const typename Face<T>::Problem& p,
                              const typename Face<T>::Grid& grid, const std::uint32_t* fold_of, std::uint32_t folds,
                              std::span<std::byte> memory) {
  run.beside = {};
  run.needed = 0;
  if (!fold_of) return run.refuse({TAMIS_KERNELS_FOLDS});
  KernelMemory<T> m;
  if (!prepare<T>(run, p, memory, memory_of_validation<T>(p, grid, fold_of, folds), false, m))
    return run.slot.refused();
  const KernelProblem<T> problem = problem_of<T>(p, m);
  auto* state = ::new (static_cast<void*>(run.slot.state)) Validation<T>{KernelCrossValidation<T>(
      problem.design, problem.labels, problem.kernels, problem.classes, problem.norm, problem.options, fold_of, folds,
      Grid<T>{grid.lambdas, grid.points, grid.first, grid.ratio})};
  state->run().start(memory.subspan(run.beside.bytes));
  return as_c(state->run().status());
}

template <class T>
std::size_t bound_bytes(Run<T>& run) {
  const KernelCoefficients<T> alpha = coefficients(run);
  if (!alpha.outputs) return 0;
  return rademacher_requirement<T>({alpha.samples, alpha.samples * alpha.kernels, 1}).bytes;
}

/// y·f of training sample i, y −1 or 1.
template <class T>
T margin_of(const KernelProblem<T>& problem, const KernelCoefficients<T>& alpha, Index i) {
  Sum<T> score;
  for (Index t = 0; t < alpha.kernels; ++t)
    for (Index l = 0; l < alpha.samples; ++l)
      if (const T coefficient = alpha(l, t); coefficient != T(0))
        score.add(coefficient * problem.design.column(t * alpha.samples + l).values[i]);
  return problem.labels[i] == 1 ? score.value() : -score.value();
}

template <class T>
tamis_status take_bound(Run<T>& run, std::uint32_t draws, std::uint64_t seed, T delta, std::span<std::byte> scratch,
                        typename Face<T>::Bound* out) {
  *out = {};
  const KernelCoefficients<T> alpha = coefficients(run);
  if (!alpha.outputs) return run.slot.get() ? as_c(run.slot.get()->run().report().status) : run.slot.refused();
  const KernelProblem<T>& problem = run.slot.get()->problem;
  if (alpha.outputs > 1 || problem.options.intercept) return TAMIS_INVALID_COMBINATION;
  if (!(delta > T(0) && delta < T(1))) return TAMIS_INVALID_OPTION;
  DrawnMean<T> average;
  const Status status = rademacher_average(problem.design, alpha.kernels, problem.norm, draws, seed, scratch, average);
  if (status != Status::converged) return as_c(status);
  Sum<T> clipped;
  for (Index i = 0; i < alpha.samples; ++i) clipped.add(clipped_squared_hinge(margin_of(problem, alpha, i)));
  const T radius =
      norm_of<T>(problem.norm, {alpha.coefficients, alpha.samples * alpha.kernels, 1, alpha.stride()}, alpha.kernels);
  const RademacherBound<T> bound =
      rademacher_bound(radius, average, clipped.value() / T(alpha.samples), alpha.samples, delta);
  *out = {bound.value(), bound.clipped_loss,           bound.complexity, bound.standard_error, bound.deviation,
          bound.radius,  has_proved_rate(problem.norm)};
  return TAMIS_CONVERGED;
}

template <class T>
KernelExpansion<T> expansion(const typename Face<T>::Model& m) {
  return {{reinterpret_cast<const Kernel<T>*>(m.kernels), m.kernel_count},
          {m.samples, m.sample_count, m.features, m.features, 1},
          {reinterpret_cast<const KernelTerm*>(m.terms), m.term_count},
          m.coefficients,
          m.intercepts,
          m.outputs,
          m.origins};
}

template <class T>
std::size_t export_model(const typename Face<T>::Model& m, const char* name, const char* const* labels,
                         const T* samples, std::uint32_t sample_count, T* scratch, std::span<char> out) {
  const ExportOptions<T> options{
      .name = name, .labels = labels, .samples = samples, .sample_count = samples ? sample_count : 0};
  return export_kernels_c(expansion<T>(m), options, std::span<T>(scratch, std::size_t{m.features} + m.outputs), out);
}

template <class T>
std::span<T> span_of(void* memory, std::size_t count) {
  return {static_cast<T*>(memory), count};
}

}  // namespace

#define TAMIS_KERNELS_DEFINE(T, S)                                                                                     \
  void tamis_default_kernels_problem_##S(tamis_kernels_problem_##S* problem) { default_problem<T>(problem); }          \
  std::size_t tamis_kernels_bytes_##S(const tamis_kernels_problem_##S* problem) { return bytes_of<T>(*problem); }      \
  tamis_status tamis_kernels_start_##S(tamis_kernels_##S* run, const tamis_kernels_problem_##S* problem, void* arena,  \
                                       std::size_t arena_bytes) {                                                      \
    return start(Run<T>::of(run), *problem, span_of<std::byte>(arena, arena_bytes));                                   \
  }                                                                                                                    \
  tamis_status tamis_kernels_step_##S(tamis_kernels_##S* run, std::uint32_t steps) {                                   \
    return step(Run<T>::of(run).slot, steps);                                                                          \
  }                                                                                                                    \
  tamis_status tamis_kernels_train_##S(tamis_kernels_##S* run, const tamis_kernels_problem_##S* problem, void* arena,  \
                                       std::size_t arena_bytes, tamis_observer_##S observe, void* context) {           \
    return train(Run<T>::of(run), *problem, span_of<std::byte>(arena, arena_bytes), observe, context);                 \
  }                                                                                                                    \
  tamis_status tamis_kernels_go_on_##S(tamis_kernels_##S* run, T lambda) { return go_on(Run<T>::of(run), lambda); }    \
  void tamis_kernels_stop_##S(tamis_kernels_##S* run) { stop(Run<T>::of(run).slot); }                                  \
  void tamis_kernels_report_of_##S(const tamis_kernels_##S* run, tamis_report_##S* out) {                              \
    report<T>(Run<T>::of(run), out);                                                                                   \
  }                                                                                                                    \
  void tamis_kernels_refusal_of_##S(const tamis_kernels_##S* run, tamis_kernels_refusal* refusal) {                    \
    write_refusal(Run<T>::of(run).fault, refusal);                                                                     \
  }                                                                                                                    \
  T tamis_kernels_first_lambda_##S(const tamis_kernels_problem_##S* problem, void* arena, std::size_t arena_bytes) {   \
    return first_lambda<T>(*problem, span_of<std::byte>(arena, arena_bytes));                                          \
  }                                                                                                                    \
  std::size_t tamis_kernels_cross_validation_bytes_##S(const tamis_kernels_problem_##S* problem,                       \
                                                       const tamis_grid_##S* grid, const std::uint32_t* fold_of,       \
                                                       std::uint32_t folds) {                                          \
    return validation_bytes<T>(*problem, *grid, fold_of, folds);                                                       \
  }                                                                                                                    \
  tamis_status tamis_kernels_cross_validation_start_##S(tamis_kernels_cross_validation_##S* validation,                \
                                                        const tamis_kernels_problem_##S* problem,                      \
                                                        const tamis_grid_##S* grid, const std::uint32_t* fold_of,      \
                                                        std::uint32_t folds, void* arena, std::size_t arena_bytes) {   \
    return validation_start<T>(ValidationRun<T>::of(validation), *problem, *grid, fold_of, folds,                      \
                               span_of<std::byte>(arena, arena_bytes));                                                \
  }                                                                                                                    \
  void tamis_kernels_cross_validation_report_##S(const tamis_kernels_cross_validation_##S* validation,                 \
                                                 tamis_report_##S* out) {                                              \
    report<T>(ValidationRun<T>::of(validation), out);                                                                  \
  }                                                                                                                    \
  void tamis_kernels_cross_validation_refusal_##S(const tamis_kernels_cross_validation_##S* validation,                \
                                                  tamis_kernels_refusal* refusal) {                                    \
    write_refusal(ValidationRun<T>::of(validation).fault, refusal);                                                    \
  }                                                                                                                    \
  TAMIS_VALIDATION_DEFINE(T, S, tamis_kernels_cross_validation)                                                        \
  std::size_t tamis_kernels_bound_bytes_##S(const tamis_kernels_##S* run) { return bound_bytes(Run<T>::of(run)); }     \
  tamis_status tamis_kernels_bound_of_##S(const tamis_kernels_##S* run, std::uint32_t draws, std::uint64_t seed,       \
                                          T delta, void* scratch, std::size_t bytes, tamis_kernels_bound_##S* bound) { \
    return take_bound(Run<T>::of(run), draws, seed, delta, span_of<std::byte>(scratch, bytes), bound);                 \
  }                                                                                                                    \
  std::uint32_t tamis_kernels_coefficients_of_##S(const tamis_kernels_##S* run, T* coefficients, T* intercepts) {      \
    return copy_coefficients(Run<T>::of(run), coefficients, intercepts);                                               \
  }                                                                                                                    \
  std::size_t tamis_kernels_model_bytes_##S(const tamis_kernels_##S* run) { return model_bytes(Run<T>::of(run)); }     \
  tamis_status tamis_kernels_model_of_##S(const tamis_kernels_##S* run, void* memory, std::size_t bytes,               \
                                          tamis_kernels_model_##S* model) {                                            \
    return take_model(Run<T>::of(run), span_of<std::byte>(memory, bytes), model);                                      \
  }                                                                                                                    \
  void tamis_kernels_scores_##S(const tamis_kernels_model_##S* model, const T* sample, std::size_t stride,             \
                                T* scores) {                                                                           \
    expansion<T>(*model).scores({sample, model->features, stride}, scores);                                            \
  }                                                                                                                    \
  std::uint32_t tamis_kernels_predict_##S(const tamis_kernels_model_##S* model, const T* sample, std::size_t stride,   \
                                          T* scores) {                                                                 \
    return expansion<T>(*model).predict({sample, model->features, stride}, scores);                                    \
  }                                                                                                                    \
  std::size_t tamis_kernels_export_c_##S(const tamis_kernels_model_##S* model, const char* name,                       \
                                         const char* const* labels, const T* samples, std::uint32_t sample_count,      \
                                         T* scratch, char* out, std::size_t bytes) {                                   \
    return export_model<T>(*model, name, labels, samples, sample_count, scratch, {out, bytes});                        \
  }

extern "C" {

TAMIS_FOR_SCALARS(TAMIS_KERNELS_DEFINE)

}  // extern "C"
