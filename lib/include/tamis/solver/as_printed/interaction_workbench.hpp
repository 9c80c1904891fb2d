#pragma once
/// What the printed solvers for interactions share: the check of the problem, products, certificates.

#include "../../arena.hpp"
#include "../../design/dense.hpp"
#include "../../model/interactions.hpp"
#include "../../options.hpp"
#include "../../report.hpp"
#include "../interaction_workspace.hpp"
#include "checked_norm.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// Where the constants of steps come from: the papers' formulas, or a power iteration.
enum class StepRule : std::uint8_t { printed, measured };

/// When a loop within an iteration ends: at that relative change, or after so many rounds.
template <class T>
struct InnerLoop {
  T tolerance;
  std::uint32_t limit;

  constexpr bool valid() const { return tolerance >= T(0) && finite(tolerance) && limit > 0; }
};

/// Base of Jiu et al.'s (2020) solvers and of those it compares them with, for the problems of InteractionAdmm without
/// intercepts: with one they end as `invalid_combination`, as with a hierarchy, norm or loss that they do not know;
/// `refusal()` says which. Inside, all is in the papers' units, sums over samples: λ₁ = nλ, λ₂ = n·lambda2.
///
/// A (v, Θ) = (φᵢᵀv + φᵢᵀΘφᵢ)ᵢ, and Aᵀu = Xᵀ diag(u) [X 1]: pairs of features are never formed. Every 40 iterations
/// (inner ones, where those take gradients) the residual of the iterate, scaled until Ω's dual norm allows it, is a
/// dual point; for the strong hierarchy an antisymmetric matrix is added, which the solver's own multiplier gives. That
/// certificate is not the papers'.
template <class T>
class InteractionWorkbench {
 public:
  InteractionWorkbench(const DenseDesign<T>& design, const InteractionTargets<T>& targets, Hierarchy hierarchy,
                       HierarchyNorm norm, T lambda2, const Options<T>& options)
      : design_(design),
        targets_(targets),
        options_(options),
        shape_{design.samples(), design.features(), targets.classes},
        lambda2_(lambda2),
        penalty_{hierarchy, norm} {}

  /// Ends the run with the model found so far.
  void stop() {
    if (running()) report_.status = Status::stopped;
  }
  const Report<T>& report() const { return report_; }
  std::uint32_t certificates() const { return certificates_; }
  /// The model of the smallest objective that was certified.
  InteractionModel<T> model() const { return view(common_.best); }
  /// The coefficients at hand, as the iteration has them.
  InteractionModel<T> iterate() const { return view(x_); }
  /// Why `start` ended as `invalid_combination`: one sentence, or empty.
  const char* refusal() const { return refusal_; }

 protected:
  struct CommonMemory {
    T* best;     ///< the model: K matrices of features × stride
    T* g;        ///< a matrix: Aᵀu of one output
    T* samples;  ///< [X 1] by rows
    T* scaled;   ///< scratch of the same size
    T* z;        ///< scores and duals: samples × outputs
    T* zeros;    ///< an entry per output
    T* row;      ///< scratch of a row
    Index* list;

    static constexpr CommonMemory lay_out(Arena& arena, Shape shape) {
      CommonMemory m{};
      m.best = arena.take<T>(coefficient_entries(shape));
      m.g = arena.take<T>(matrix_entries(shape));
      for (T** rows : {&m.samples, &m.scaled})
        *rows = arena.take<T>(detail::saturating_multiply(shape.samples, row_entries(shape)));
      const std::size_t outputs = padded<T>(shape.classes);
      m.z = arena.take<T>(detail::saturating_multiply(shape.samples, outputs));
      m.zeros = arena.take<T>(outputs);
      m.row = arena.take<T>(row_entries(shape) > outputs ? row_entries(shape) : outputs);
      m.list = arena.take<Index>(shape.features);
      return m;
    }
    static constexpr std::size_t row_entries(Shape shape) {
      return detail::saturating_add(shape.features, lanes<T>) / lanes<T> * lanes<T>;
    }
    static constexpr std::size_t matrix_entries(Shape shape) {
      return detail::saturating_multiply(shape.features, row_entries(shape));
    }
    static constexpr std::size_t coefficient_entries(Shape shape) {
      return detail::saturating_multiply(matrix_entries(shape), shape.classes);
    }
  };

  bool running() const { return report_.status == Status::running; }
  bool regression() const { return targets_.values != nullptr; }
  bool strong() const { return penalty_.hierarchy == Hierarchy::strong; }
  std::size_t matrix_size() const { return std::size_t(shape_.features) * stride_; }
  std::size_t coefficients() const { return matrix_size() * shape_.classes; }
  T* matrix(T* all, Index k) const { return all + matrix_size() * k; }
  const T* matrix(const T* all, Index k) const { return all + matrix_size() * k; }

  /// Checks problem and memory; `not_accepted` is null, or why the solver does not accept the combination.
  bool validate(std::span<std::byte> memory, Requirement requirement, const char* not_accepted) {
    report_ = {};
    report_.arena_bytes = requirement.bytes;
    refusal_ = options_.intercept ? "the printed solvers for interactions have no intercept: ask for none"
               : penalty_.ridge() ? "the printed solvers for interactions are for norms that make coefficients zero"
               : not_accepted     ? not_accepted
                                  : "";
    penalty_.lambda1 = options_.lambda;
    penalty_.lambda2 = lambda2_;
    report_.status = check_interactions(design_, targets_, penalty_, refusal_[0] == '\0', options_, memory, report_);
    if (report_.status != Status::invalid_combination) refusal_ = "";
    return running();
  }

  /// After `validate`: takes memory over and certifies the model of zeros, which `x` becomes. False: the run has ended.
  bool bind(const CommonMemory& memory, std::size_t used, T* x) {
    common_ = memory;
    x_ = x;
    report_.arena_used_bytes = used;
    stride_ = padded<T>(shape_.features + 1);
    outputs_ = padded<T>(shape_.classes);
    penalty_.lambda1 *= T(shape_.samples);
    penalty_.lambda2 *= T(shape_.samples);
    certificates_ = 0;
    best_dual_ = T(0);  // no term of the objective is negative
    report_.kkt_residual = not_a_number<T>;
    monitor_.begin();
    report_.objective = infinity<T>;
    fill(x_, coefficients(), T(0));
    fill(common_.zeros, outputs_, T(0));
    for (Index i = 0; i < shape_.samples; ++i) {
      T* row = row_of(common_.samples, i, stride_);
      fill(row, stride_, T(0));
      for (Index j = 0; j < shape_.features; ++j) row[j] = design_(i, j);
      row[shape_.features] = T(1);
    }
    report_.lambda_max = options_.lambda * certify(x_, no_multiplier);
    return running();
  }

  // ---- products -----------------------------------------------------------------------------------------------------

  /// z ← the scores of the coefficients w. Cost: 2·samples·features flops per row that is not zero.
  void take_scores(const T* w) {
    for (Index k = 0; k < shape_.classes; ++k) multiply(matrix(w, k), common_.z + k);
  }
  /// z ← −∇f at the scores z; returns f, the sum of the losses.
  [[gnu::noinline]] T take_residuals() {
    Sum<T> total;
    for (Index i = 0; i < shape_.samples; ++i) {
      T* z = row_of(common_.z, i, outputs_);
      if (regression()) {
        z[0] = targets_.values[i] - z[0];
        total.add(z[0] * z[0] / T(2));
        continue;
      }
      for (Index k = 0; k < shape_.classes; ++k)
        if (!finite(z[k])) return not_a_number<T>;  // a loss takes it for a margin that is met
      T* gradient = common_.row;
      total.add(targets_.loss.gradient(z, shape_.classes, targets_.labels[i], T(1), T(1), gradient));
      for (Index k = 0; k < shape_.classes; ++k) z[k] = -gradient[k];
    }
    return total.value();
  }
  /// g ← Aᵀ applied to column k of z.
  [[gnu::noinline]] void take_products(Index k) {
    for (Index i = 0; i < shape_.samples; ++i) {
      const auto factor = Simd<T>::fill(row_of(common_.z, i, outputs_)[k]);
      const T* from = row_of(common_.samples, i, stride_);
      T* to = row_of(common_.scaled, i, stride_);
      for (Index l = 0; l < stride_; l += lanes<T>) (factor * Simd<T>::load(from + l)).store(to + l);
    }
    design_.transposed_multiply(nullptr, shape_.features, common_.scaled, stride_, common_.g);
    report_.epochs += T(1) / T(shape_.classes);
  }

  /// ‖A diag(main_weight, 1) Aᵀ‖, checked by `check_curvature`.
  [[gnu::noinline]] T measure_curvature(T main_weight) {
    check_ = {};
    return measure_square(common_.z, shape_.samples, outputs_, [&] {
      take_products(0);
      for (Index j = 0; j < shape_.features; ++j) row_of(common_.g, j, stride_)[shape_.features] *= main_weight;
      multiply(common_.g, common_.z);
    });
  }
  /// Whether the iteration is to be followed by `check_curvature`.
  bool is_check_due(std::uint64_t iteration) { return check_.is_due(iteration); }
  /// Raises ‖A diag(main_weight, 1) Aᵀ‖ if the step d of output k contradicts it; column k of z is overwritten.
  [[gnu::noinline]] void check_curvature(const T* d, Index k, T main_weight, T& curvature) {
    multiply(d, common_.z + k);
    Sum<T> image, step;
    for (Index i = 0; i < shape_.samples; ++i) {
      const T entry = row_of(common_.z, i, outputs_)[k];
      image.add(entry * entry);
    }
    for (Index j = 0; j < shape_.features; ++j) {
      const T* row = row_of(d, j, stride_);
      step.add(dot(row, row, shape_.features));
      step.add(row[shape_.features] * row[shape_.features] / main_weight);
    }
    check_.raise(curvature, image.value(), step.value());
  }

  // ---- certificates -------------------------------------------------------------------------------------------------

  bool count_iteration() { return ++report_.iterations < options_.max_iterations; }
  bool is_due(bool last) const { return last || report_.iterations % certificate_interval == 0; }

  static constexpr auto no_multiplier = [](Index, Index, Index) { return T(0); };

  /// The certificate of `candidate`, symmetric when the hierarchy is strong; `multiplier(k, j, l)` is an element of ∂Ω
  /// near it of which the antisymmetric part counts. Returns the gauge of the residual.
  template <class Multiplier>
  T certify(const T* candidate, Multiplier multiplier) {
    ++certificates_;
    take_scores(candidate);
    const T loss = take_residuals();
    offer_model(candidate, loss);
    T worst = 0;
    for (Index k = 0; k < shape_.classes; ++k) {
      take_products(k);
      for (Index j = 0; j < shape_.features; ++j) {
        T* row = row_of(common_.g, j, stride_);
        if (strong())
          for (Index l = 0; l < shape_.features; ++l) row[l] += T(0.5) * (multiplier(k, j, l) - multiplier(k, l, j));
        const bool fits = finite(penalty_.size(row, shape_.features));
        worst = largest(worst, fits ? penalty_.gauge(static_cast<const T*>(row), shape_.features) : infinity<T>);
      }
    }
    offer_dual(worst);
    check_convergence();
    return worst;
  }
  /// At the iteration limit.
  void end_at_limit() {
    if (running()) report_.status = Status::iteration_limit;
  }

  static constexpr std::uint32_t certificate_interval = 40;

  DenseDesign<T> design_;
  InteractionTargets<T> targets_;
  Options<T> options_;
  Shape shape_;
  T lambda2_;
  HierarchicalPenalty<T> penalty_;
  CommonMemory common_{};
  T* x_ = nullptr;
  Index stride_ = 0;   ///< of a row of coefficients
  Index outputs_ = 0;  ///< of a row of scores
  Report<T> report_{};

 private:
  InteractionModel<T> view(const T* coefficients) const {
    return has_model(report_.status) ? InteractionModel<T>{coefficients, common_.zeros, shape_.features, shape_.classes}
                                     : InteractionModel<T>{};
  }

  /// The scores of one output's coefficients, into a column of samples × outputs; rows that are zero cost nothing.
  [[gnu::noinline]] void multiply(const T* w, T* out) {
    Index count = 0;
    for (Index j = 0; j < shape_.features; ++j) {
      const T* row = row_of(w, j, stride_);
      bool any = false;
      for (Index l = 0; l <= shape_.features && !any; ++l) any = row[l] != T(0);
      if (any) common_.list[count++] = j;
    }
    fill(common_.row, stride_, T(0));
    design_.multiply(common_.list, count, w, stride_, common_.row, common_.scaled);
    for (Index i = 0; i < shape_.samples; ++i)
      row_of(out, i, outputs_)[0] = dot(static_cast<const T*>(row_of(common_.samples, i, stride_)),
                                        static_cast<const T*>(row_of(common_.scaled, i, stride_)), shape_.features + 1);
  }

  [[gnu::noinline]] void offer_model(const T* candidate, T loss) {
    Sum<T> total;
    total.add(loss);
    Index nonzeros = 0, rows = 0;
    for (Index j = 0; j < shape_.features; ++j) {
      const Index before = nonzeros;
      for (Index k = 0; k < shape_.classes; ++k) {
        const T* row = row_of(matrix(candidate, k), j, stride_);
        total.add(penalty_.value(row, shape_.features));
        for (Index l = 0; l <= shape_.features; ++l) nonzeros += row[l] != T(0);
      }
      rows += nonzeros > before;
    }
    const T objective = total.value() / T(shape_.samples);
    if (!(objective < report_.objective)) return;
    report_.objective = objective;
    report_.nonzeros = nonzeros;
    report_.nonzero_rows = rows;
    copy(candidate, coefficients(), common_.best);
  }

  /// z as a dual point: its value at the scale s is s·linear − s²·quadratic.
  [[gnu::noinline]] void offer_dual(T gauge) {
    Sum<T> linear, quadratic;
    for (Index i = 0; i < shape_.samples; ++i) {
      T* z = row_of(common_.z, i, outputs_);
      if (regression()) {
        linear.add(z[0] * targets_.values[i]);
        quadratic.add(z[0] * z[0] / T(2));
        continue;
      }
      for (Index k = 0; k < shape_.classes; ++k) common_.row[k] = -z[k];
      const auto terms = targets_.loss.dual_terms(common_.row, shape_.classes, targets_.labels[i], T(1), T(1));
      linear.add(terms.linear);
      quadratic.add(terms.quadratic);
    }
    if (!(quadratic.value() > T(0))) return;
    const T top = linear.value() / (T(2) * quadratic.value());
    const T s = gauge * top > T(1) ? T(1) / gauge : top;
    if (s > T(0)) best_dual_ = largest(best_dual_, s * linear.value() - s * s * quadratic.value());
  }

  void check_convergence() {
    report_.dual_objective = best_dual_ / T(shape_.samples);
    monitor_.conclude(report_, options_.tolerance);
  }

  const char* refusal_ = "";
  std::uint32_t certificates_ = 0;
  T best_dual_ = T(0);
  GapMonitor<T> monitor_;
  NormCheck<T> check_{};
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
