#pragma once
/// Blondel et al.'s (2013) Algorithms 1 to 3 as printed, with and without a line search: baselines.

#include <utility>

#include "../../catalogue.hpp"
#include "../../design/dense.hpp"
#include "../../linalg/random.hpp"
#include "../../loss/bregman_divergence.hpp"
#include "../workbench.hpp"
#include "violation.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// Block coordinate descent, one feature's row W_j at a time:
///     W_j* = prox_{λΩ/L_j}(W_j − G_j/L_j),   δ = W_j* − W_j,   W_j ← W_j + αδ.
/// An iteration is an outer pass over as many blocks as there are features; the intercepts, where there are any, are
/// one more block, of ones and without a penalty, at its end. The scores are kept, and change only where x_ij ≠ 0.
///
/// `LineSearch`: blocks in turn; L_j = max(‖h_j‖∞, 10⁻¹²), h_j the (generalised) second derivatives, equation (6); α is
/// the first of 1, ½, ¼ … with F(W⁺) − F(W) ≤ 0.01 α (⟨G_j, δ⟩ + λΩ(W_j + δ) − λΩ(W_j)), equation (7), up to rounding.
/// Otherwise: blocks drawn uniformly from the seed; L_j = 𝒦_j = (a factor of the loss) · Σᵢ cᵢ xᵢⱼ², α = 1.
///
/// It ends by the certificate, computed every 10 iterations from scores computed anew, or by equation (10) with the
/// violation of `row_violation`; where that has no closed form (largest-entry norm, your own penalties) it is
/// L_j‖δ‖. With shrinking, rows of zeros are left out when the dual norm of G_j is below λ by more than the largest
/// violation of the pass before; all come back at each certificate, and a run ends after a pass over all of them.
/// λ_max is reported without an intercept only, and by the certificate.
///
/// Memory: 2(p+1) + 2n + 2 rows of padded classes; without line search p + 1 entries more. Cost of an iteration: about
/// 15 · (entries of X that are not zero) · K flops. Sources: Blondel et al. (2013); Tseng and Yun (2009); Richtárik and
/// Takáč (2012); shrinking: Yuan, Chang, Hsieh and Lin (2010).
template <class T, class Loss, class Penalty, class Design, bool LineSearch>
class BlockCoordinateDescent : public Workbench<T, Loss, Penalty, Design> {
  static_assert(BlockwiseLoss<Loss, T>, TAMIS_NEEDS_BLOCKWISE);
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(HasColumns<Design, T>, TAMIS_NEEDS_COLUMNS);
  using Base = Workbench<T, Loss, Penalty, Design>;
  using Base::activate_all, Base::active_count_, Base::add_epochs, Base::bind, Base::certify_null_model,
      Base::count_iteration, Base::design_, Base::end_at_limit, Base::for_each_active_row, Base::has_zeros,
      Base::intercept_scale_, Base::loss_, Base::memory_, Base::multiply, Base::offer_primal, Base::options_,
      Base::penalty_, Base::penalty_norm, Base::report_, Base::shape_, Base::stride_, Base::targets_,
      Base::update_residual, Base::validate;

 public:
  using Base::running;
  static constexpr SolverKind kind =
      LineSearch ? SolverKind::bcd_line_search_as_printed : SolverKind::bcd_constant_step_as_printed;

  BlockCoordinateDescent(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                         const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {}

  // ---- settings, before `start` ----------------------------------------------------------------------------------

  void set_stopping(const Stopping<T>& stopping) { settings_.stopping = stopping; }
  void set_seed(std::uint64_t seed) requires(!LineSearch) { settings_.seed = seed; }
  void set_shrinking(bool shrinking) { settings_.shrinking = shrinking; }
  void take_settings(const BlockCoordinateDescent& other) { settings_ = other.settings_; }

  /// Bytes that `start` needs, aligned to Arena::alignment.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  /// `invalid_combination` for groups of several features; `invalid_option` for a rule that it does not know, or
  /// shrinking with a penalty that makes no rows zero.
  bool start(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    if (const Status status = refusal(); status != Status::running) {
      report_.status = status;
      return false;
    }
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_);
    bind(own_.common, arena.used());
    intercept_scale_ = T(1);
    draws_ = Draws(settings_.seed);
    first_ = before_ = not_a_number<T>;
    moved_ = T(0);
    for (T* matrix : {own_.x, own_.v}) fill(matrix, CommonMemory<T>::coefficients(shape_), T(0));
    fill(own_.scores, CommonMemory<T>::duals(shape_), T(0));
    report_.lambda_max = not_a_number<T>;
    if (by_gap()) certify(true);
    else offer_primal(own_.x, own_.scores);
    if constexpr (!LineSearch) measure_columns();
    return running();
  }

  /// One outer pass, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    const bool last = !count_iteration();
    const bool met = pass() && !by_gap();
    if (by_gap() ? last || report_.iterations % certificate_interval == 0 : last || met) certify(last || met);
    if (met && running()) report_.status = Status::stopped;
    if (last) end_at_limit();
    return running();
  }

  /// Ends the run; by a rule other than the gap with the present model, certified.
  void stop() {
    if (running() && !by_gap()) certify(true);
    Base::stop();
  }

 private:
  struct Settings {
    Stopping<T> stopping;
    std::uint64_t seed = 0;
    bool shrinking = false;
  };

  struct Memory {
    CommonMemory<T> common;
    T* x;  ///< coefficients, the last row being intercepts
    T* v;  ///< gradients of certificates
    T* scores;
    T* z;           ///< gradients of the loss, of certificates
    T* row[2];      ///< scratch
    T* curvatures;  ///< 𝒦_j, the last being that of the intercepts; none with line search

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      for (T** coefficients : {&m.x, &m.v}) *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      for (T** duals : {&m.scores, &m.z}) *duals = arena.take<T>(CommonMemory<T>::duals(shape));
      for (T*& scratch : m.row) scratch = arena.take<T>(padded<T>(shape.classes));
      if (!LineSearch) m.curvatures = arena.take<T>(detail::saturating_add(shape.features, 1));
      return m;
    }
  };

  bool by_gap() const { return settings_.stopping.rule == StoppingRule::gap; }

  Status refusal() const {
    if (!is_sum_over_rows(penalty_)) return Status::invalid_combination;
    const bool known = has_stopping(kind, settings_.stopping.rule) && settings_.stopping.valid();
    return known && (!settings_.shrinking || has_zeros()) ? Status::running : Status::invalid_option;
  }

  // ---- columns ---------------------------------------------------------------------------------------------------

  /// The column of a block: that of ones, for the intercepts, has no values.
  Column<T> column(Index j) const {
    return j < shape_.features ? design_.column(j) : Column<T>{nullptr, nullptr, shape_.samples};
  }
  /// Calls visit(sample, x) for the entries from `first` to before `last` that are not zero.
  template <class Visit>
  [[gnu::always_inline]] static void for_each_entry(const Column<T>& column, Index first, Index last, Visit visit) {
    for (Index e = first; e < last; ++e) {
      const T x = column.values ? column.values[e] : T(1);
      if (x != T(0)) visit(column.sample(e), x);
    }
  }

  void measure_columns() {
    const T factor = loss_.template printed_lipschitz<T>(shape_.classes, Label(0));
    for (Index j = 0; j < shape_.features + options_.intercept; ++j) {
      const Column<T> entries = column(j);
      Sum<T> square;
      for_each_entry(entries, 0, entries.count, [&](Index i, T x) { square.add(targets_.weight(i) * x * x); });
      own_.curvatures[j] = factor * square.value();
    }
    add_epochs(design_.entries(nullptr, shape_.features), T(0.5));
  }

  // ---- one pass --------------------------------------------------------------------------------------------------

  /// visit(loss) with the loss itself, even where it was chosen at run time.
  template <class Visit>
  void with_loss(Visit visit) const {
    if constexpr (requires { loss_.visit_smooth(visit); }) loss_.visit_smooth(visit);
    else visit(loss_);
  }

  /// One outer pass; true when the violations have fallen below the threshold, with no row left out.
  bool pass() {
    worst_ = T(0);
    violations_ = {};
    moved_ = T(0);
    entries_ = 0;
    with_loss([this](const auto& loss) { this->pass_over_blocks(loss); });
    add_epochs(entries_, T(0.5));

    const bool by_sum = settings_.stopping.rule == StoppingRule::violation_sum;
    const T now = by_sum ? violations_.value() : worst_;
    if (report_.iterations == 1) first_ = now;
    before_ = worst_;
    if (!(now < settings_.stopping.threshold * first_ || now == T(0))) return false;
    if (active_count_ == shape_.features) return true;
    activate_all();
    before_ = not_a_number<T>;  // the next pass leaves out none
    return false;
  }

  template <class L>
  void pass_over_blocks(const L& loss) {
    const Index count = active_count_;
    Index* const list = memory_.list;
    if constexpr (LineSearch) {
      Index kept = 0;
      for (Index c = 0; c < count; ++c) {
        const Index j = list[c];
        if (visit_block(loss, j)) list[kept++] = j;
      }
      active_count_ = kept;
    } else {
      for (Index c = 0; c<count&& active_count_> 0; ++c) {
        const Index place = draws_.next(active_count_);
        if (!visit_block(loss, list[place])) std::swap(list[place], list[--active_count_]);
      }
    }
    list[active_count_] = shape_.features;
    if (options_.intercept) visit_block(loss, shape_.features);
  }

  /// Algorithm 2 on block j; false when the row is to be left out.
  template <class L>
  bool visit_block(const L& loss, Index j) {
    const Index stride = stride_;
    const bool penalised = j < shape_.features;
    const Column<T> entries = column(j);
    const Gradient gradient = take_gradient(loss, entries);
    const T curvature = LineSearch ? largest(gradient.curvature, T(1e-12)) : own_.curvatures[LineSearch ? 0 : j];
    if (!(curvature > T(0))) return true;  // a column of zeros: its row stays zero

    T* const g = gradient_row();
    T* const w = row_of(own_.x, j, stride);
    T* const next = memory_.row[1];
    T* const delta = memory_.row[2];
    for (Index k = 0; k < stride; ++k) next[k] = w[k] - g[k] / curvature;
    if (penalised) penalty_.prox(row(next, j), options_.lambda / curvature);
    T square = 0, slope = 0;
    bool zero = true;
    for (Index k = 0; k < stride; ++k) {
      delta[k] = next[k] - w[k];
      square += delta[k] * delta[k];
      slope += g[k] * delta[k];
      zero = zero && next[k] == T(0);
    }
    const T violation = violation_of(j, w, g, curvature * square_root(square));
    violations_.add(violation);
    worst_ = largest(worst_, violation);

    if (square > T(0)) {
      if constexpr (LineSearch) {
        const T alpha = search(loss, entries, j, slope, -curvature * square, gradient.loss);
        if (alpha == T(1)) copy(next, stride, w);
        else
          for (Index k = 0; k < stride; ++k) w[k] += alpha * delta[k];
        moved_ += alpha * alpha * square;
      } else {
        copy(next, stride, w);
        move_scores(entries, T(1));
        moved_ += square;
      }
    }
    if (!settings_.shrinking || !penalised || !zero || square > T(0)) return true;
    return !(penalty_norm(row(static_cast<const T*>(g), j)) < options_.lambda - before_);
  }

  template <class V>
  Rows<V> row(V* data, Index j) const {
    return {data, 1, shape_.classes, stride_, j};
  }
  T row_value(const T* w, Index j) const {
    return j < shape_.features ? options_.lambda * penalty_.value(row(w, j)) : T(0);
  }

  /// `step` = L_j‖δ‖ where nothing better is known.
  T violation_of(Index j, const T* w, const T* g, T step) const {
    if (j == shape_.features) return row_violation(RowTerms<T>{}, w, g, shape_.classes);
    const auto of = [&](const auto& penalty) {
      if constexpr (requires { row_terms(penalty, j, options_.lambda); })
        return row_violation(row_terms(penalty, j, options_.lambda), w, g, shape_.classes);
      else return step;
    };
    if constexpr (requires { penalty_.visit(of); }) return penalty_.visit(of);
    else return of(penalty_);
  }

  // The rows of scratch: the gradient stays until the block is done; the others are used twice.
  T* gradient_row() const { return own_.row[0]; }

  struct Gradient {
    T curvature;  ///< ‖h_j‖∞
    T loss;       ///< Σ cᵢℓᵢ over the entries of the column
  };

  /// Algorithm 3: G_j into the row of the gradient. Entries are added in blocks of 256, each from zero.
  template <class L>
  Gradient take_gradient(const L& loss, const Column<T>& column) {
    const Index classes = shape_.classes, stride = stride_;
    T* const g = gradient_row();
    T* const part = own_.row[1];
    T* const u = memory_.row[0];
    T* const second = memory_.row[1];
    T* const h = memory_.row[2];
    for (T* scratch : {g, u, second, h})
      for (Index k = 0; k < stride; ++k) scratch[k] = T(0);
    T total = 0;
    for (Index first = 0; first < column.count; first += smallest(together, column.count - first)) {
      const Index last = first + smallest(together, column.count - first);
      for (Index k = 0; k < stride; ++k) part[k] = T(0);
      for_each_entry(column, first, last, [&](Index i, T x) {
        const T weight = targets_.weight(i);
        const Label y = targets_.labels[i];
        const T value = loss.gradient(row_of(own_.scores, i, stride), classes, y, targets_.margin(i), weight, u);
        if (!(value > T(0)) || !(weight > T(0))) return;
        total += weight * value;
        const auto factor = Simd<T>::fill(x);
        for (Index k = 0; k < stride; k += lanes<T>)
          (Simd<T>::load(part + k) + factor * Simd<T>::load(u + k)).store(part + k);
        if constexpr (LineSearch) {
          loss.second_derivatives(u, classes, y, weight, second);
          const auto square = Simd<T>::fill(x * x);
          for (Index k = 0; k < stride; k += lanes<T>)
            (Simd<T>::load(h + k) + square * Simd<T>::load(second + k)).store(h + k);
        }
      });
      for (Index k = 0; k < stride; ++k) g[k] += part[k];
    }
    T top = 0;
    for (Index k = 0; k < classes; ++k) top = largest(top, h[k]);
    entries_ += column.values ? column.count : 0;
    return {top, total};
  }

  /// scores += αxδᵀ.
  void move_scores(const Column<T>& column, T alpha) {
    const T* delta = memory_.row[2];
    for_each_entry(column, 0, column.count, [&](Index i, T x) {
      T* z = row_of(own_.scores, i, stride_);
      const auto factor = Simd<T>::fill(alpha * x);
      for (Index k = 0; k < stride_; k += lanes<T>)
        (Simd<T>::load(z + k) + factor * Simd<T>::load(delta + k)).store(z + k);
    });
    entries_ += column.values ? column.count : 0;
  }

  /// The same; returns how far the loss at the new scores lies above its tangent at the old ones.
  template <class L>
  T try_scores(const L& loss, const Column<T>& column, T alpha) {
    const T* delta = memory_.row[2];
    T* const to = memory_.row[0];
    T* const scratch = own_.row[1];
    Sum<T> total;
    for_each_entry(column, 0, column.count, [&](Index i, T x) {
      T* z = row_of(own_.scores, i, stride_);
      const auto factor = Simd<T>::fill(alpha * x);
      for (Index k = 0; k < stride_; k += lanes<T>)
        (Simd<T>::load(z + k) + factor * Simd<T>::load(delta + k)).store(to + k);
      const T weight = targets_.weight(i);
      if (weight > T(0))
        total.add(weight * bregman_divergence(loss, static_cast<const T*>(z), static_cast<const T*>(to),
                                              shape_.classes, targets_.labels[i], targets_.margin(i),
                                              scratch));
      copy(static_cast<const T*>(to), stride_, z);
    });
    entries_ += column.values ? column.count : 0;
    return total.value();
  }

  /// The first α of 1, ω, ω² … that satisfies equation (7), and moves the scores there; 0 where none moves the row.
  ///
  /// `least` = −L_j‖δ‖² bounds the decrease of the model, ⟨G_j, δ⟩ + λΩ(W_j*) − λΩ(W_j), whose differences cancel where
  /// δ is small; by convexity α times it bounds that of the model at α.
  template <class L>
  T search(const L& loss, const Column<T>& column, Index j, T slope, T least, T column_loss) {
    constexpr T sigma = T(0.01), omega = T(0.5);
    const T* w = row_of(own_.x, j, stride_);
    const T* delta = memory_.row[2];
    T* const at = memory_.row[1];  // W_j*, and W_j + αδ
    const T value = row_value(w, j);
    const T decrease = smallest(slope + (row_value(at, j) - value), least);
    const T rounding = knows_bregman_divergence<T>(loss) ? T(0) : T(4) * epsilon<T> * column_loss;
    T model = decrease;
    for (T alpha = T(1); alpha > epsilon<T>; alpha *= omega) {
      if (alpha < T(1)) {
        for (Index k = 0; k < stride_; ++k) at[k] = w[k] + alpha * delta[k];
        model = smallest(alpha * slope + (row_value(at, j) - value), alpha * decrease);
      }
      if (model + try_scores(loss, column, alpha) <= sigma * alpha * decrease + rounding) return alpha;
      move_scores(column, -alpha);
    }
    return T(0);
  }

  // ---- certificates ----------------------------------------------------------------------------------------------

  void certify(bool last) {
    activate_all();
    multiply(own_.x, own_.scores);
    offer_primal(own_.x, own_.scores);
    for (Index i = 0; i < shape_.samples; ++i) {
      T* z = row_of(own_.z, i, stride_);
      fill(z, stride_, T(0));
      loss_.gradient(row_of(own_.scores, i, stride_), shape_.classes, targets_.labels[i],
                           targets_.margin(i), targets_.weight(i), z);
    }
    auto size = Simd<T>::zero();
    for_each_active_row([&](Index j) {
      size = squared_norm(static_cast<const T*>(row_of(own_.x, j, stride_)), stride_, size);
    });
    update_residual(square_root(moved_), square_root(size.sum()));
    if (report_.iterations > 0) {
      Base::certify(own_.z, own_.v, last);
      return;
    }
    certify_null_model(own_.z, own_.v);
    if (options_.intercept || !has_zeros()) report_.lambda_max = not_a_number<T>;
  }

  static constexpr std::uint32_t certificate_interval = 10;
  static constexpr Index together = 256;

  Settings settings_{};
  Memory own_{};
  Draws draws_{0};
  Sum<T> violations_{};  ///< of this pass
  T worst_ = T(0);
  T first_ = not_a_number<T>;   ///< sum or largest of the first pass
  T before_ = not_a_number<T>;  ///< largest of the pass before; NaN: nothing is left out
  T moved_ = T(0);              ///< squared length of the steps of this pass
  std::size_t entries_ = 0;     ///< visited in this pass
};

/// Cyclic, with line search: Tseng and Yun.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class BcdLineSearch : public BlockCoordinateDescent<T, Loss, Penalty, Design, true> {
 public:
  using BlockCoordinateDescent<T, Loss, Penalty, Design, true>::BlockCoordinateDescent;
};

/// Randomised, with constant steps: Richtárik and Takáč.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class BcdConstantStep : public BlockCoordinateDescent<T, Loss, Penalty, Design, false> {
 public:
  using BlockCoordinateDescent<T, Loss, Penalty, Design, false>::BlockCoordinateDescent;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
