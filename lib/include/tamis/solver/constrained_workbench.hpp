#pragma once
/// What solvers of the constrained form share: feasible models, certificates, and the proof that there is no model.

#include "../catalogue.hpp"
#include "../projection/level_set.hpp"
#include "workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The memory of the constrained form beside that of every solver. Coefficients have intercepts in the caller's units.
template <class T>
struct ConstrainedMemory : CommonMemory<T> {
  T* candidate;      ///< coefficients that may become the model
  T* inside;         ///< coefficients with a mean loss below η
  T* inside_scores;  ///< theirs; scratch before there are any

  constexpr void take(Arena& arena, Shape shape) {
    CommonMemory<T>::take(arena, shape);
    for (T** coefficients : {&candidate, &inside}) *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
    inside_scores = arena.take<T>(CommonMemory<T>::duals(shape));
  }
  static constexpr ConstrainedMemory lay_out(Arena& arena, Shape shape) {
    ConstrainedMemory m{};
    m.take(arena, shape);
    return m;
  }
};

/// A loss whose mean must not exceed η, for solvers that take a loss: h(Z) = 0 where Σ cᵢℓᵢ(zᵢ) ≤ η, else infinite.
template <class Loss>
struct LevelSet : Loss {
  explicit LevelSet(const Loss& loss) : Loss(loss) {}
};

/// Base of the solvers of  min Ω(W)  subject to  L(W, b) = Σ cᵢ ℓᵢ(Wᵀxᵢ + b) ≤ η,  cᵢ = wᵢ/Σw; not for use on its own.
///
/// *Models.* Iterates are feasible in the limit only. Each one offered is made feasible exactly: scaled (with its
/// intercepts) by the least s with L(sW, sb) ≤ η, the root of a convex piecewise linear function; where no s will do,
/// or the gap stays above the tolerance, moved towards a point inside the constraint that was met before, as little as
/// convexity allows. The best objective so far is the model.
///
/// *Bounds.* A dual point u of the mean loss, columns balanced, with a = ⟨r, P⟩ − η and G its gradient, gives for every
/// ν ≥ 0  Ω(W) ≥ νa − Ω*(νG): for a norm a/Ω°(G) at ν = 1/Ω°(G), otherwise the largest value over ν. ν is the
/// multiplier.
///
/// *No model.* L(W, b) ≥ a + η + ⟨G, W⟩ for all W. When a > 0 and every ‖G_j‖ ≤ δ‖x_j − m̄_j‖‖u‖, δ = ε^⅔ (4e-11 in
/// double, 2.4e-5 in float), a model would need weights of which the scores are some 1/δ margins: `infeasible`. The
/// bound reported, a + η − ‖G‖‖W‖ with W the weights of the least loss seen, holds for all that are not larger. After
/// 25 certificates without a feasible point, the mean loss alone is minimised until there is one or this proof.
template <class T, class Loss, class Penalty, class Design>
class ConstrainedWorkbench : public Workbench<T, Loss, Penalty, Design> {
  static_assert(ConstrainableLoss<Loss, T>, TAMIS_NEEDS_LEVEL_SETS);
  using Plain = Workbench<T, Loss, Penalty, Design>;

 public:
  using Plain::running;
  static constexpr bool constrained = true;

 protected:
  using Plain::active_count_, Plain::are_scores, Plain::certificates_, Plain::design_, Plain::dual_entries,
      Plain::dual_kind, Plain::enter_domain, Plain::for_each_listed_group, Plain::gauge_, Plain::gradient_size,
      Plain::has_failed, Plain::has_zeros, Plain::keep_coefficients, Plain::loss_, Plain::loss_sum,
      Plain::matrix_entries, Plain::memory_, Plain::norm_, Plain::offer_dual, Plain::options_, Plain::penalty_,
      Plain::penalty_value, Plain::refuse_scale, Plain::repair, Plain::report_, Plain::rows, Plain::score,
      Plain::shape_, Plain::shifted_intercepts, Plain::stride_, Plain::targets_, Plain::terms_,
      Plain::transposed_multiply, Plain::whole_transposed_multiply, Plain::widen;
  using Common = ConstrainedMemory<T>;
  using Next = typename Plain::Next;

  ConstrainedWorkbench(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                       const Options<T>& options)
      : Plain(design, targets, loss, penalty, options) {}

  bool validate(std::span<std::byte> memory, Requirement requirement) {
    return Plain::validate(Plain::status_of(memory, requirement), requirement.bytes, true);
  }
  bool validate(const Arena& arena) { return Plain::validate(Plain::status_of(arena), arena.used(), true); }

  void bind(const Common& memory, std::size_t used) {
    Plain::bind(memory, used);
    candidate_ = memory.candidate;
    inside_ = memory.inside;
    inside_scores_ = memory.inside_scores;
    report_.objective = infinity<T>;
    report_.constraint_value = infinity<T>;
    report_.lambda_max = not_a_number<T>;
  }

  T penalty_weight() const { return seeking_ ? T(0) : T(1); }
  T dual_weight(Index sample) const { return multiplier_ * targets_.weight(sample); }
  /// ‖u‖ ≈ ν‖u⁰‖ and Ω(W) ≈ νL(0), for the same ν.
  T first_primal_weight(T dual_size) const { return dual_size > T(0) ? dual_size / (multiplier_ * null_loss_) : T(1); }
  void choose_features() {
    if (dual_kind() == DualKind::norm) Plain::choose_features(T(0));
  }

  /// Finds the multiplier of the dual step u⁺ = u − σP(u/σ), P the projection onto {Σ cᵢℓᵢ ≤ η}.
  void find_multiplier(const T* u, T sigma) {
    if (!seeking_)
      multiplier_ =
          level_set_multiplier(loss_, targets_, u, stride_, sigma, options_.eta, multiplier_);
  }

  /// When duals change their unit, between u and u/ν: applies it to them and to the primal weight.
  void rescale_duals(T* u, T& weight) {
    if (rescale_ == T(1)) return;
    const std::size_t duals = CommonMemory<T>::duals(shape_);
    for (std::size_t i = 0; i < duals; ++i) u[i] *= rescale_;
    weight *= rescale_;
    rescale_ = T(1);
  }

  // ---- models
  // --------------------------------------------------------------------------------------------------------

  /// Takes the point w with scores z, makes it feasible, and reports it if its objective is the best so far.
  [[gnu::noinline]] void offer_primal(const T* w, const T* z) {
    if (has_failed() || !are_scores(z)) return;
    const T loss = loss_sum(z);
    const bool null_model = certificates_ == 0 && report_.iterations == 0;
    if (null_model) {
      null_loss_ = loss;
      if (loss <= options_.eta * (T(1) + rounding)) consider(w, T(1), T(0), loss);
    }
    Root<T> ray{T(1), loss - options_.eta};
    if (!null_model) ray = decreasing_root(T(1), [&](T s, T& slope) { return ray_excess(z, s, slope); });
    const bool on_ray = feasible(ray.excess);
    if (on_ray && !null_model) consider(w, ray.at, T(0), options_.eta + ray.excess);
    if (has_inside_ && loss > options_.eta &&
        !(report_.objective - report_.dual_objective <= options_.tolerance * GapMonitor<T>::size(report_))) {
      T excess = loss - options_.eta;
      const T share = share_of_inside(z, excess);
      consider(w, T(1) - share, share, options_.eta + excess);
    }
    if (!has_model() && loss < report_.constraint_value) take(w, T(1), T(0), loss);
    if (loss < options_.eta) go_inside(w, z, T(1), loss);
    else if (on_ray) {
      T slope = 0;
      const T beyond = T(1.25) * ray.at;
      const T excess = ray_excess(z, beyond, slope);
      if (excess < T(0)) go_inside(w, z, beyond, options_.eta + excess);
    }
  }

  // ---- certificates
  // --------------------------------------------------------------------------------------------------

  /// As Workbench::certify, for a dual point u = ν cᵢ(pᵢ − e_y) of the iteration, ν its multiplier.
  [[gnu::noinline]] Next certify(T* u, T* g, bool full) {
    const std::size_t duals = dual_entries();
    const T scale = multiplier_ > T(0) ? T(1) / multiplier_ : T(0);
    if (scale != T(1))
      for (std::size_t i = 0; i < duals; ++i) u[i] *= scale;
    enter_domain(u);
    repair(u);
    const T linear = terms_.linear;
    const T a = linear - options_.eta;
    const bool all = active_count_ == shape_.features;
    T nu = 0;
    if (all) {
      transposed_multiply(u, g);
    } else {
      if (!full) {
        transposed_multiply(u, g);
        const T inner_gap = report_.objective - bound(a, g, memory_.list, active_count_, nu);
        full = inner_gap <= T(0.3) * largest(report_.gap, options_.tolerance * GapMonitor<T>::size(report_));
        if (!full) return Next::go_on;
      }
      whole_transposed_multiply(u, g);
    }
    if (has_failed()) return Next::finished;
    const T value = bound(a, g, nullptr, shape_.features, nu);
    if (certificates_ == 1 || value > report_.dual_objective) report_.multiplier = nu;
    offer_dual(value, true);
    if (!running()) return Next::finished;
    if (!has_model() && a > T(64) * epsilon<T> * (linear + options_.eta) && vanishes(a, u, g)) {
      report_.status = Status::infeasible;
      report_.constraint_bound = linear - length(g) * length(memory_.best);
      return Next::finished;
    }
    bool changed = !all && widen(active_score());
    if (!seeking_ && !has_model() && certificates_ >= patience) {
      change_unit(scale > T(0) ? scale : T(1), T(1));
      seeking_ = changed = true;
    } else if (seeking_ && has_model()) {
      const T unit = report_.multiplier > T(0) ? report_.multiplier : T(1);
      change_unit(unit, unit);
      seeking_ = false;
      changed = true;
    }
    return changed ? Next::new_features : Next::go_on;
  }

  /// The null model: u must be its dual point. Leaves the duals to be scaled by the first multiplier.
  void certify_null_model(T* u, T* g) {
    certify(u, g, true);
    refuse_scale(g);
    if (report_.multiplier > T(0)) change_unit(report_.multiplier, report_.multiplier);
  }

  void update_residual(T residual, T size) {
    Plain::update_residual(residual, size);
    if (report_.status == Status::converged && !has_model()) report_.status = Status::running;
  }

  T multiplier_ = T(1);  ///< ν of the duals that the iteration holds

 private:
  static constexpr T rounding = T(16) * epsilon<T>;
  static constexpr T negligible = sizeof(T) == 4 ? T(2.4e-5) : T(3.7e-11);
  static constexpr std::uint32_t patience = 25;

  bool feasible(T excess) const { return excess <= rounding * options_.eta; }
  bool has_model() const { return finite(report_.objective); }

  void change_unit(T factor, T multiplier) {
    rescale_ = factor;
    multiplier_ = multiplier;
  }

  /// L(sW, sb) − η and its derivative, with ℓ(sz; μ) = s ℓ(z; μ/s).
  T ray_excess(const T* z, T s, T& slope) const {
    Sum<T> value;
    T slopes = 0;
    for (Index i = 0; i < shape_.samples; ++i) {
      const T weight = targets_.weight(i);
      if (!(weight > T(0))) continue;
      const T margin = targets_.margin(i) / s;
      const T loss =
          loss_.value(row_of(z, i, stride_), shape_.classes, targets_.labels[i], margin);
      value.add(weight * (s * loss));
      if (loss > T(0)) slopes += weight * (loss - margin);
    }
    slope = slopes;
    return value.value() - options_.eta;
  }

  /// A share t with L((1 − t)(W, b) + t·inside) ≤ η, by the chord of a convex function, five times; `excess` is that at
  /// t = 0, and becomes that of the answer.
  T share_of_inside(const T* z, T& excess) const {
    T share = 1;
    T there = inside_loss_ - options_.eta;
    for (int round = 0; round < 5 && there < T(0); ++round) {
      share *= excess / (excess - there);
      Sum<T> value;
      T* mixed = memory_.row[1];
      for (Index i = 0; i < shape_.samples; ++i) {
        const T weight = targets_.weight(i);
        if (!(weight > T(0))) continue;
        const T* from = row_of(z, i, stride_);
        const T* to = row_of(static_cast<const T*>(inside_scores_), i, stride_);
        for (Index k = 0; k < stride_; ++k) mixed[k] = from[k] + share * (to[k] - from[k]);
        value.add(weight *
                  loss_.value(mixed, shape_.classes, targets_.labels[i], targets_.margin(i)));
      }
      there = value.value() - options_.eta;
    }
    excess = there;
    return share;
  }

  /// candidate = s·w + t·inside, in the caller's units.
  void mix(const T* w, T s, T t) {
    fill(candidate_, matrix_entries(), T(0));
    const auto add = [&](const T* row, Index j) {
      const T* other = row_of(static_cast<const T*>(inside_), j, stride_);
      T* out = row_of(candidate_, j, stride_);
      for (Index k = 0; k < stride_; ++k) out[k] = s * row[k] + (t > T(0) ? t * other[k] : T(0));
    };
    for (Index c = 0; c < active_count_; ++c) {
      const Index j = memory_.list[c];
      add(row_of(w, j, stride_), j);
    }
    T* base = memory_.row[1];
    shifted_intercepts(w, base);
    add(base, shape_.features);
  }

  /// Reports s·w + t·inside, of that mean loss, if it improves on the model.
  void consider(const T* w, T s, T t, T loss) {
    if (!feasible(loss - options_.eta)) return;
    mix(w, s, t);
    const T objective = penalty_value(candidate_);
    if (!(objective < report_.objective)) return;
    report_.objective = objective;
    GapMonitor<T>::take_gap(report_);
    keep_candidate(loss);
  }
  void take(const T* w, T s, T t, T loss) {
    mix(w, s, t);
    keep_candidate(loss);
  }
  void keep_candidate(T loss) {
    report_.constraint_value = loss;
    keep_coefficients(candidate_);
    copy(row_of(candidate_, shape_.features, stride_), stride_,
         row_of(memory_.best, shape_.features, stride_));
  }

  /// Remembers s·w, of mean loss below η, if moving towards it costs less per unit of loss than towards the last one.
  void go_inside(const T* w, const T* z, T s, T loss) {
    const T value = s * penalty_value(w);
    const T lower = report_.dual_objective;
    const T slack = options_.eta - loss;
    if (!(slack > T(1e-3) * options_.eta * options_.tolerance)) return;
    if (has_inside_ && !((value - lower) * (options_.eta - inside_loss_) < (inside_value_ - lower) * slack))
      return;
    mix(w, s, T(0));
    copy(candidate_, matrix_entries(), inside_);
    const std::size_t duals = dual_entries();
    for (std::size_t i = 0; i < duals; ++i) inside_scores_[i] = s * z[i];
    inside_loss_ = loss;
    inside_value_ = value;
    has_inside_ = true;
  }

  // ---- bounds
  // --------------------------------------------------------------------------------------------------------

  /// The largest νa − Ω*(νG) over ν ≥ 0, the penalty taken over the listed features, and its ν.
  [[gnu::noinline]] T bound(T a, const T* g, const Index* list, Index count, T& nu) {
    nu = T(0);
    gauge_ = T(0);
    if (dual_kind() == DualKind::unknown) return not_a_number<T>;
    if (!finite(gradient_size(g, list, count))) return T(0);
    if (has_zeros()) score(g, list, count);
    if (!(a > T(0))) return T(0);
    T best = 0;
    if (gauge_ > T(0)) {
      nu = T(1) / gauge_;
      best = a / gauge_;
    }
    if constexpr (HasConjugate<Penalty, T>) {
      if (dual_kind() == DualKind::norm) return best;
      const auto value = [&](T at) {  // Ω*(νG) = ν (Ω/ν)*(G)
        Sum<T> conjugate;
        for_each_listed_group(list, count, [&](FeatureGroup group) {
          conjugate.add(penalty_.conjugate(rows(g, group), T(1) / at));
        });
        return at * (a - conjugate.value());
      };
      const T at_one = a - value(T(1));
      const T guess = a / (T(2) * at_one);  // exact where Ω* is quadratic
      if (guess > T(0) && finite(guess) && value(guess) > best) {
        best = value(guess);
        nu = guess;
      }
      if (!(nu > T(0))) return T(0);
      for (T factor = 2; factor > T(1) + T(16) * epsilon<T> && factor > T(1.000001);) {
        const T more = value(nu * factor), less = value(nu / factor);
        if (more > best || less > best) {
          nu = more > less ? nu * factor : nu / factor;
          best = largest(more, less);
        } else {
          factor = square_root(factor);
        }
      }
    }
    return best;
  }

  /// The largest score of an active feature, 1/ν at the optimum: features above it matter.
  T active_score() const {
    T top = 0;
    for (Index c = 0; c < active_count_; ++c) top = largest(top, memory_.score[memory_.list[c]]);
    return top;
  }

  /// Euclidean norm of the rows of all features.
  T length(const T* w) const {
    const std::size_t entries = static_cast<std::size_t>(shape_.features) * stride_;
    return square_root(squared_norm(w, entries, Simd<T>::zero()).sum());
  }

  /// Whether the gradient g of u is nothing but rounding beside the columns it was made of.
  [[gnu::noinline]] bool vanishes(T a, const T* u, const T* g) {
    if (!(length(g) * length(memory_.best) < a)) return false;
    const Index stride = stride_;
    const T size = square_root(squared_norm(u, dual_entries(), Simd<T>::zero()).sum());
    if (norm_ > T(0)) {  // cheap, and false nearly always
      auto total = Simd<T>::zero();
      for (Index c = 0; c < active_count_; ++c)
        total = squared_norm(row_of(g, memory_.list[c], stride), stride, total);
      if (square_root(total.sum()) > negligible * square_root(T(active_count_)) * norm_ * size)
        return false;
    }
    for (Index j = 0; j < shape_.features; ++j) {
      const T pull_squared = squared_norm(row_of(g, j, stride), stride, Simd<T>::zero()).sum();
      bool is_zero = true;
      for (Index k = 0; k < stride && is_zero; ++k) is_zero = row_of(g, j, stride)[k] == T(0);
      if (is_zero) continue;
      if (!holds_squares(pull_squared)) return false;  // too small or too large to be compared
      const T pull = square_root(pull_squared);
      fill(row_of(candidate_, j, stride), stride, T(1));
      T* base = memory_.row[1];
      fill(base, stride, options_.intercept ? -memory_.means[j] : T(0));
      design_.multiply(&j, 1, candidate_, stride, base, inside_scores_);
      T centre = 0, square = 0;  // means are zero where a solver takes columns as they are
      for (Index i = 0; options_.intercept && i < shape_.samples; ++i)
        centre += row_of(inside_scores_, i, stride)[0] / T(shape_.samples);
      for (Index i = 0; i < shape_.samples; ++i) {
        const T entry = row_of(inside_scores_, i, stride)[0] - centre;
        square += entry * entry;
      }
      const T offset = absolute(memory_.means[j]) + absolute(centre);
      const T column = square_root(square) + T(4) * epsilon<T> * offset;
      if (!(pull <= negligible * column * size) || !finite(square)) return false;
    }
    return true;
  }

  T* candidate_ = nullptr;
  T* inside_ = nullptr;
  T* inside_scores_ = nullptr;
  T null_loss_ = T(1);
  T rescale_ = T(1);
  T inside_loss_ = T(0);
  T inside_value_ = T(0);
  bool has_inside_ = false;
  bool seeking_ = false;
};

namespace detail {
template <class T, class Loss, class Penalty, class Design>
struct WorkbenchFor {
  using type = Workbench<T, Loss, Penalty, Design>;
};
template <class T, class Loss, class Penalty, class Design>
struct WorkbenchFor<T, LevelSet<Loss>, Penalty, Design> {
  using type = ConstrainedWorkbench<T, Loss, Penalty, Design>;
};
}  // namespace detail

/// The base of a solver: that of the constrained form when the loss is a LevelSet.
template <class T, class Loss, class Penalty, class Design>
using WorkbenchFor = typename detail::WorkbenchFor<T, Loss, Penalty, Design>::type;

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
