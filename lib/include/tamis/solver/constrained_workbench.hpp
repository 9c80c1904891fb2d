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
  static constexpr bool constrained = true;

 protected:
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
    this->report_.objective = infinity<T>;
    this->report_.constraint_value = infinity<T>;
    this->report_.lambda_max = not_a_number<T>;
  }

  T penalty_weight() const { return seeking_ ? T(0) : T(1); }
  T dual_weight(Index sample) const { return multiplier_ * this->targets_.weight(sample); }
  /// ‖u‖ ≈ ν‖u⁰‖ and Ω(W) ≈ νL(0), for the same ν.
  T first_primal_weight(T dual_size) const { return dual_size > T(0) ? dual_size / (multiplier_ * null_loss_) : T(1); }
  void choose_features() {
    if (this->dual_kind() == DualKind::norm) Plain::choose_features(T(0));
  }

  /// Finds the multiplier of the dual step u⁺ = u − σP(u/σ), P the projection onto {Σ cᵢℓᵢ ≤ η}.
  void find_multiplier(const T* u, T sigma) {
    if (!seeking_)
      multiplier_ =
          level_set_multiplier(this->loss_, this->targets_, u, this->stride_, sigma, this->options_.eta, multiplier_);
  }

  /// When duals change their unit, between u and u/ν: applies it to them and to the primal weight.
  void rescale_duals(T* u, T& weight) {
    if (rescale_ == T(1)) return;
    const std::size_t duals = CommonMemory<T>::duals(this->shape_);
    for (std::size_t i = 0; i < duals; ++i) u[i] *= rescale_;
    weight *= rescale_;
    rescale_ = T(1);
  }

  // ---- models
  // --------------------------------------------------------------------------------------------------------

  /// Takes the point w with scores z, makes it feasible, and reports it if its objective is the best so far.
  [[gnu::noinline]] void offer_primal(const T* w, const T* z) {
    if (this->has_failed() || !this->are_scores(z)) return;
    const T loss = this->loss_sum(z);
    const bool null_model = this->certificates_ == 0 && this->report_.iterations == 0;
    if (null_model) {
      null_loss_ = loss;
      if (loss <= this->options_.eta * (T(1) + rounding)) consider(w, T(1), T(0), loss);
    }
    Root<T> ray{T(1), loss - this->options_.eta};
    if (!null_model) ray = decreasing_root(T(1), [&](T s, T& slope) { return ray_excess(z, s, slope); });
    const bool on_ray = feasible(ray.excess);
    if (on_ray && !null_model) consider(w, ray.at, T(0), this->options_.eta + ray.excess);
    if (has_inside_ && loss > this->options_.eta &&
        !(this->report_.objective - this->report_.dual_objective <= this->options_.tolerance * GapMonitor<T>::size(this->report_))) {
      T excess = loss - this->options_.eta;
      const T share = share_of_inside(z, excess);
      consider(w, T(1) - share, share, this->options_.eta + excess);
    }
    if (!has_model() && loss < this->report_.constraint_value) take(w, T(1), T(0), loss);
    if (loss < this->options_.eta) go_inside(w, z, T(1), loss);
    else if (on_ray) {
      T slope = 0;
      const T beyond = T(1.25) * ray.at;
      const T excess = ray_excess(z, beyond, slope);
      if (excess < T(0)) go_inside(w, z, beyond, this->options_.eta + excess);
    }
  }

  // ---- certificates
  // --------------------------------------------------------------------------------------------------

  /// As Workbench::certify, for a dual point u = ν cᵢ(pᵢ − e_y) of the iteration, ν its multiplier.
  [[gnu::noinline]] Next certify(T* u, T* g, bool full) {
    const std::size_t duals = this->dual_entries();
    const T scale = multiplier_ > T(0) ? T(1) / multiplier_ : T(0);
    if (scale != T(1))
      for (std::size_t i = 0; i < duals; ++i) u[i] *= scale;
    this->enter_domain(u);
    this->repair(u);
    const T linear = this->terms_.linear;
    const T a = linear - this->options_.eta;
    const bool all = this->active_count_ == this->shape_.features;
    T nu = 0;
    if (all) {
      this->transposed_multiply(u, g);
    } else {
      if (!full) {
        this->transposed_multiply(u, g);
        const T inner_gap = this->report_.objective - bound(a, g, this->memory_.list, this->active_count_, nu);
        full = inner_gap <= T(0.3) * largest(this->report_.gap, this->options_.tolerance * GapMonitor<T>::size(this->report_));
        if (!full) return Next::go_on;
      }
      this->whole_transposed_multiply(u, g);
    }
    if (this->has_failed()) return Next::finished;
    const T value = bound(a, g, nullptr, this->shape_.features, nu);
    if (this->certificates_ == 1 || value > this->report_.dual_objective) this->report_.multiplier = nu;
    this->offer_dual(value, true);
    if (!this->running()) return Next::finished;
    if (!has_model() && a > T(64) * epsilon<T> * (linear + this->options_.eta) && vanishes(a, u, g)) {
      this->report_.status = Status::infeasible;
      this->report_.constraint_bound = linear - length(g) * length(this->memory_.best);
      return Next::finished;
    }
    bool changed = !all && this->widen(active_score());
    if (!seeking_ && !has_model() && this->certificates_ >= patience) {
      change_unit(scale > T(0) ? scale : T(1), T(1));
      seeking_ = changed = true;
    } else if (seeking_ && has_model()) {
      const T unit = this->report_.multiplier > T(0) ? this->report_.multiplier : T(1);
      change_unit(unit, unit);
      seeking_ = false;
      changed = true;
    }
    return changed ? Next::new_features : Next::go_on;
  }

  /// The null model: u must be its dual point. Leaves the duals to be scaled by the first multiplier.
  void certify_null_model(T* u, T* g) {
    certify(u, g, true);
    this->refuse_scale(g);
    if (this->report_.multiplier > T(0)) change_unit(this->report_.multiplier, this->report_.multiplier);
  }

  void update_residual(T residual, T size) {
    Plain::update_residual(residual, size);
    if (this->report_.status == Status::converged && !has_model()) this->report_.status = Status::running;
  }

  T multiplier_ = T(1);  ///< ν of the duals that the iteration holds

 private:
  static constexpr T rounding = T(16) * epsilon<T>;
  static constexpr T negligible = sizeof(T) == 4 ? T(2.4e-5) : T(3.7e-11);
  static constexpr std::uint32_t patience = 25;

  bool feasible(T excess) const { return excess <= rounding * this->options_.eta; }
  bool has_model() const { return finite(this->report_.objective); }

  void change_unit(T factor, T multiplier) {
    rescale_ = factor;
    multiplier_ = multiplier;
  }

  /// L(sW, sb) − η and its derivative, with ℓ(sz; μ) = s ℓ(z; μ/s).
  T ray_excess(const T* z, T s, T& slope) const {
    Sum<T> value;
    T slopes = 0;
    for (Index i = 0; i < this->shape_.samples; ++i) {
      const T weight = this->targets_.weight(i);
      if (!(weight > T(0))) continue;
      const T margin = this->targets_.margin(i) / s;
      const T loss =
          this->loss_.value(row_of(z, i, this->stride_), this->shape_.classes, this->targets_.labels[i], margin);
      value.add(weight * (s * loss));
      if (loss > T(0)) slopes += weight * (loss - margin);
    }
    slope = slopes;
    return value.value() - this->options_.eta;
  }

  /// A share t with L((1 − t)(W, b) + t·inside) ≤ η, by the chord of a convex function, five times; `excess` is that at
  /// t = 0, and becomes that of the answer.
  T share_of_inside(const T* z, T& excess) const {
    T share = 1;
    T there = inside_loss_ - this->options_.eta;
    for (int round = 0; round < 5 && there < T(0); ++round) {
      share *= excess / (excess - there);
      Sum<T> value;
      T* mixed = this->memory_.row[1];
      for (Index i = 0; i < this->shape_.samples; ++i) {
        const T weight = this->targets_.weight(i);
        if (!(weight > T(0))) continue;
        const T* from = row_of(z, i, this->stride_);
        const T* to = row_of(static_cast<const T*>(inside_scores_), i, this->stride_);
        for (Index k = 0; k < this->stride_; ++k) mixed[k] = from[k] + share * (to[k] - from[k]);
        value.add(weight *
                  this->loss_.value(mixed, this->shape_.classes, this->targets_.labels[i], this->targets_.margin(i)));
      }
      there = value.value() - this->options_.eta;
    }
    excess = there;
    return share;
  }

  /// candidate = s·w + t·inside, in the caller's units.
  void mix(const T* w, T s, T t) {
    fill(candidate_, this->matrix_entries(), T(0));
    const auto add = [&](const T* row, Index j) {
      const T* other = row_of(static_cast<const T*>(inside_), j, this->stride_);
      T* out = row_of(candidate_, j, this->stride_);
      for (Index k = 0; k < this->stride_; ++k) out[k] = s * row[k] + (t > T(0) ? t * other[k] : T(0));
    };
    for (Index c = 0; c < this->active_count_; ++c) {
      const Index j = this->memory_.list[c];
      add(row_of(w, j, this->stride_), j);
    }
    T* base = this->memory_.row[1];
    this->shifted_intercepts(w, base);
    add(base, this->shape_.features);
  }

  /// Reports s·w + t·inside, of that mean loss, if it improves on the model.
  void consider(const T* w, T s, T t, T loss) {
    if (!feasible(loss - this->options_.eta)) return;
    mix(w, s, t);
    const T objective = this->penalty_value(candidate_);
    if (!(objective < this->report_.objective)) return;
    this->report_.objective = objective;
    GapMonitor<T>::take_gap(this->report_);
    keep_candidate(loss);
  }
  void take(const T* w, T s, T t, T loss) {
    mix(w, s, t);
    keep_candidate(loss);
  }
  void keep_candidate(T loss) {
    this->report_.constraint_value = loss;
    this->keep_coefficients(candidate_);
    copy(row_of(candidate_, this->shape_.features, this->stride_), this->stride_,
         row_of(this->memory_.best, this->shape_.features, this->stride_));
  }

  /// Remembers s·w, of mean loss below η, if moving towards it costs less per unit of loss than towards the last one.
  void go_inside(const T* w, const T* z, T s, T loss) {
    const T value = s * this->penalty_value(w);
    const T lower = this->report_.dual_objective;
    const T slack = this->options_.eta - loss;
    if (!(slack > T(1e-3) * this->options_.eta * this->options_.tolerance)) return;
    if (has_inside_ && !((value - lower) * (this->options_.eta - inside_loss_) < (inside_value_ - lower) * slack))
      return;
    mix(w, s, T(0));
    copy(candidate_, this->matrix_entries(), inside_);
    const std::size_t duals = this->dual_entries();
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
    this->gauge_ = T(0);
    if (this->dual_kind() == DualKind::unknown) return not_a_number<T>;
    if (!finite(this->gradient_size(g, list, count))) return T(0);
    if (this->has_zeros()) this->score(g, list, count);
    if (!(a > T(0))) return T(0);
    T best = 0;
    if (this->gauge_ > T(0)) {
      nu = T(1) / this->gauge_;
      best = a / this->gauge_;
    }
    if constexpr (HasConjugate<Penalty, T>) {
      if (this->dual_kind() == DualKind::norm) return best;
      const auto value = [&](T at) {  // Ω*(νG) = ν (Ω/ν)*(G)
        Sum<T> conjugate;
        this->for_each_listed_group(list, count, [&](FeatureGroup group) {
          conjugate.add(this->penalty_.conjugate(this->rows(g, group), T(1) / at));
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
    for (Index c = 0; c < this->active_count_; ++c) top = largest(top, this->memory_.score[this->memory_.list[c]]);
    return top;
  }

  /// Euclidean norm of the rows of all features.
  T length(const T* w) const {
    const std::size_t entries = static_cast<std::size_t>(this->shape_.features) * this->stride_;
    return square_root(squared_norm(w, entries, Simd<T>::zero()).sum());
  }

  /// Whether the gradient g of u is nothing but rounding beside the columns it was made of.
  [[gnu::noinline]] bool vanishes(T a, const T* u, const T* g) {
    if (!(length(g) * length(this->memory_.best) < a)) return false;
    const Index stride = this->stride_;
    const T size = square_root(squared_norm(u, this->dual_entries(), Simd<T>::zero()).sum());
    if (this->norm_ > T(0)) {  // cheap, and false nearly always
      auto total = Simd<T>::zero();
      for (Index c = 0; c < this->active_count_; ++c)
        total = squared_norm(row_of(g, this->memory_.list[c], stride), stride, total);
      if (square_root(total.sum()) > negligible * square_root(T(this->active_count_)) * this->norm_ * size)
        return false;
    }
    for (Index j = 0; j < this->shape_.features; ++j) {
      const T pull_squared = squared_norm(row_of(g, j, stride), stride, Simd<T>::zero()).sum();
      bool is_zero = true;
      for (Index k = 0; k < stride && is_zero; ++k) is_zero = row_of(g, j, stride)[k] == T(0);
      if (is_zero) continue;
      if (!holds_squares(pull_squared)) return false;  // too small or too large to be compared
      const T pull = square_root(pull_squared);
      fill(row_of(candidate_, j, stride), stride, T(1));
      T* base = this->memory_.row[1];
      fill(base, stride, this->options_.intercept ? -this->memory_.means[j] : T(0));
      this->design_.multiply(&j, 1, candidate_, stride, base, inside_scores_);
      T centre = 0, square = 0;  // means are zero where a solver takes columns as they are
      for (Index i = 0; this->options_.intercept && i < this->shape_.samples; ++i)
        centre += row_of(inside_scores_, i, stride)[0] / T(this->shape_.samples);
      for (Index i = 0; i < this->shape_.samples; ++i) {
        const T entry = row_of(inside_scores_, i, stride)[0] - centre;
        square += entry * entry;
      }
      const T offset = absolute(this->memory_.means[j]) + absolute(centre);
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
