#pragma once
/// Ascent on the dual of the exact multiclass hinge, one sample at a time, with ridge, elastic net or norms of groups.

#include <type_traits>

#include "../catalogue.hpp"
#include "../design/dense.hpp"
#include "../loss/hinge.hpp"
#include "../penalty/group.hpp"
#include "../penalty/ridge.hpp"
#include "dual_ascent.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// Whether a loss or a penalty is the one meant, or one chosen at run time, when it is `incompatibility` that knows.
template <class Given, class Meant>
concept MayBe = std::is_same_v<Given, Meant> || requires {
  Given::chosen_at_run_time;
};

}  // namespace detail

/// Minimises (1/Σw) Σ wᵢ ℓᵢ(Wᵀxᵢ + b) + λ/2 ‖W‖², ℓ the exact multiclass hinge, through its dual
///     max_u  Σᵢ μᵢ Σ_{k≠y} u_ik − ‖Xᵀu‖²/2λ,   uᵢ ∈ cᵢ(Δ − e_y),   W = −Xᵀu/λ.
///
/// Each visit maximises over the dual row of one sample exactly, by a projection onto the simplex. Samples are visited
/// in an order drawn anew for each pass by a fixed generator; those whose share of the duality gap is negligible are
/// left out for 1, 3, 7, 15 or 31 passes, and every certificate, which looks at all samples, calls those back that have
/// a share again. Between passes u and W go on in their direction, with Nesterov's weights, from anew when the pass
/// turns against it; rows that leave the simplex so return to it at their next visit, which is in the next pass.
///
/// A free intercept asks for Σᵢ uᵢ = 0, which no single row can keep: a proximal method of multipliers penalises
/// ε/2 ‖b − bᵗ‖² instead, which makes b one more feature, on the centred design, and moves bᵗ to b whenever the inner
/// problem is solved well enough for its Σᵢ uᵢ.
///
/// The norms of groups that have all classes are ridge whose weights are sought as well:
///     λ Σ_G ‖W_G‖ = min_v ½ Σ_G (‖W_G‖²/v_G + λ² v_G),   v_G = ‖W_G‖/λ,   W_G = −v_G (Xᵀu)_G.
/// Certificates come whenever little of the gap is that of the ridge, and set v to the minimum for the W at hand, so
/// that the objective falls. Small groups whose dual norm is below λ are dropped, as a proximal step would; one that
/// comes back, because its dual norm is above λ, makes the next steps half as long; and where v is small it grows by
/// such steps.
///
/// With elastic net, ρ < 1, coefficients are W = soft(−Xᵀu/λ(1 − ρ), ρ/(1 − ρ)), and a step supposes that none of them
/// is zero. Without ridge nothing bounds the curvature of the dual: ρ = 1 is refused.
///
/// Memory: `requirement(shape)`: 3(p+1) + 2n rows of padded classes (4(p+1) with elastic net), 5n + 4p entries (5p with
/// groups), and room for one sample; more memory holds more samples at once, `requirement(shape, entries)` all of a
/// design with that many values that are not zero, and then no product with ridge touches the design again. Cost per
/// pass: at most 4·entries·K flops. Source: Keerthi, Sundararajan, Chang, Hsieh and Lin (2008), A sequential dual
/// method for large scale multi-class linear SVMs; Rockafellar (1976) for the multipliers; O'Donoghue and Candès (2015)
/// for the restarts; Bach, Jenatton, Mairal and Obozinski (2012), Optimization with sparsity-inducing penalties,
/// section 5, for norms as minima of ridge; Shalev-Shwartz and Zhang (2014), Accelerated proximal stochastic dual
/// coordinate ascent, for elastic net. The visits and the momentum are in DualAscent; here are the ends of passes, the
/// intercepts and the certificates.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class CrammerSingerDual : public DualAscent<T, Loss, Penalty, Design> {
  static_assert(detail::MayBe<Loss, Hinge> &&
                    (detail::MayBe<Penalty, Ridge> || std::is_same_v<Penalty, GroupL2> || detail::may_soften<Penalty>),
                TAMIS_NEEDS_HINGE_AND_RIDGE);
  static_assert(tamis::Design<Design, T>, TAMIS_NEEDS_DESIGN);
  using Base = DualAscent<T, Loss, Penalty, Design>;
  using Base::begin_again, Base::bind, Base::blocks_, Base::centre, Base::certify, Base::certify_null_model,
      Base::count_iteration, Base::design_, Base::end_at_limit, Base::extrapolate, Base::gap_, Base::intercept_scale_,
      Base::left_, Base::level, Base::loss_, Base::mean_square_, Base::measure_samples, Base::memory_, Base::moved_,
      Base::multiply, Base::negligible_, Base::offer_primal, Base::old_level, Base::options_, Base::own_,
      Base::proximal_, Base::report_, Base::rest, Base::samples, Base::shape_, Base::start_pass, Base::stride_,
      Base::sum, Base::targets_, Base::transposed_multiply, Base::update_residual, Base::validate, Base::visit_block,
      Base::work_, Base::dual_entries, Base::matrix_entries, Base::may_reweigh, Base::mean, Base::offset, Base::reweighs,
      Base::strength, Base::for_each_listed_group, Base::scale, Base::softened, Base::scale_of, Base::score,
      Base::measure_scales, Base::may_soften, Base::softens, Base::form, Base::softening_, Base::penalty_;
  using typename Base::Form;
  using typename Base::Memory;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::crammer_singer_dual;

  CrammerSingerDual(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                    const Options<T>& options)
      : Base(typename Base::Held::type(design), targets, loss, penalty, options) {}

  /// Bytes that `start` needs, aligned to Arena::alignment; the memory of the data is not in it.
  static constexpr Requirement requirement(Shape shape) { return requirement(shape, shape.features); }
  /// Bytes with which all samples fit at once, for a design with that many values that are not zero.
  static constexpr Requirement requirement(Shape shape, WorkspaceHint hint) {
    return requirement(shape, detail::room_for_rows(shape, hint.entries, form_of_type()));
  }
  static constexpr Requirement requirement(Shape shape, std::size_t entries) {
    return requirement(shape, entries, form_of_type());
  }

  /// Checks the problem, lays out the memory and certifies the model without coefficients. False: it has ended.
  bool start(std::span<std::byte> memory) {
    if (prepare(memory)) start_from_zero();
    return running();
  }

  /// Goes on with another λ from where a run has ended (not stopped): what a path does. False: it has ended.
  bool warm_start(T lambda) {
    const T before = options_.lambda;
    if (!begin_again(lambda, false)) return false;
    if (!reweighs()) {
      const T by = before / lambda;  // the duals stay
      const std::size_t weights = static_cast<std::size_t>(shape_.features) * stride_;
      for (std::size_t e = 0; e < weights && !softens(); ++e) own_.w[e] *= by;
      proximal_ *= by;
    }
    certify_coefficients(false, true);
    if (!running()) return false;
    for (Index i = 0; i < shape_.samples; ++i) own_.wait[i] = own_.quiet[i] = 0;
    if (blocks_ == 0) begin_ascent();
    since_ = 0;
    rest();
    start_pass();
    return true;
  }

  /// One pass over the samples of one block, with the certificate where one is due; false when the run has ended.
  bool step() {
    if (!running()) return false;
    visit_block();
    if (left_ == 0) end_pass();
    return running();
  }

 private:
  static constexpr Form form_of_type() {
    constexpr bool is_known = !requires { Penalty::chosen_at_run_time; };
    if (is_known && may_soften) return Form::soft;
    return std::is_same_v<Penalty, GroupL2> ? Form::groups : Form::ridge;
  }
  static constexpr Requirement requirement(Shape shape, std::size_t entries, Form form) {
    return count_bytes<Memory>(shape, largest<std::size_t>(entries, shape.features), form);
  }

  [[gnu::noinline]] bool prepare(std::span<std::byte> memory) {
    const std::size_t least = shape_.features;
    const Form its = form();
    const Requirement needed = requirement(shape_, least, its);
    if (!validate(memory, needed)) return false;
    if (!(options_.lambda > T(0))) {
      report_.status = Status::invalid_lambda;
      return false;
    }
    if constexpr (may_reweigh)
      if (reweighs() && this->penalty_.grouping().block > 0) {
        report_.status = Status::invalid_combination;  // one weight for all classes
        return false;
      }
    if constexpr (may_soften) {
      const EntryTerms<T> terms = entry_terms<T>(penalty_);
      if (terms.l1 > T(0) && !(terms.ridge > T(0))) {
        report_.status = Status::invalid_option;
        return false;
      }
      if (its == Form::soft) softening_ = {terms.ridge, terms.l1 / terms.ridge};
    }
    // As many entries as fit, sought from a little above, and as there are.
    const std::size_t spare = memory.size() - needed.bytes;
    const std::size_t fit = least + Arena::alignment + spare / (sizeof(T) + sizeof(Index));
    const std::size_t room = smallest(fit, std::size_t{~Index(0)});
    const std::size_t all = design_.entries(nullptr, shape_.features);
    std::size_t entries = smallest(room, largest(least, all));
    while (entries > least && requirement(shape_, entries, its).bytes > memory.size()) --entries;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_, entries, its);
    bind(own_.common, arena.used());
    centre();
    samples().bind(own_.samples, entries);
    if constexpr (may_reweigh)
      if (reweighs()) begin_scales();
    if constexpr (may_soften)
      if (its == Form::soft && options_.intercept && all == std::size_t{shape_.samples} * shape_.features &&
          (entries == all || samples().block_from(0) < shape_.samples)) {  // with its zeros it may not fit as a whole
        softening_.centres = true;
        samples().widen();
      }
    fill(own_.w, matrix_entries(), T(0));
    for (T* row : own_.row) fill(row, stride_, T(0));
    return true;
  }

  /// W = 0, u = 0, the best intercepts, and what every visit needs of its sample.
  [[gnu::noinline]] void start_from_zero() {
    T* intercepts = row_of(own_.w, shape_.features, stride_);
    loss_.null_model(targets_, options_.intercept, intercepts, own_.z, stride_);
    intercept_scale_ = T(1);
    for (Index i = 0; i < shape_.samples; ++i) copy(intercepts, stride_, row_of(own_.p, i, stride_));
    offer_primal(own_.w, own_.p);
    fill(own_.p, dual_entries(), T(0));
    for (Index i = 0; i < shape_.samples; ++i) {
      row_of(own_.p, i, stride_)[targets_.labels[i]] = targets_.weight(i);
      own_.wait[i] = own_.quiet[i] = 0;
    }
    if (form() == Form::ridge) fill(own_.z, dual_entries(), T(0));
    certify_null_model(own_.z, own_.g);
    if (!running()) return;
    begin_ascent();
    rest();
    start_pass();
  }
  void begin_ascent() {
    measure_samples();
    copy(row_of(own_.w, shape_.features, stride_), stride_, own_.row[level]);
  }

  [[gnu::noinline]] void end_pass() {
    const bool last = !count_iteration();
    negligible_ = share * gap_;
    const T objective = largest(report_.objective, T(1e-12));
    const std::size_t all = design_.entries(nullptr, shape_.features);
    ++since_;
    bool promising =
        gap_ <= T(0.7) * options_.tolerance * objective && work_ >= all && since_ >= report_.iterations / 20;
    bool due = work_ >= patience * all && since_ >= report_.iterations / 5;
    if (reweighs()) {
      promising = gap_ <= renewal * report_.gap && since_ > 1;
      due = since_ >= longest_renewal;
    }
    if (options_.intercept) {
      T square = 0;
      for (Index k = 0; k < shape_.classes; ++k) square += own_.row[sum][k] * own_.row[sum][k];
      if (gap_ <= outer * proximal_ * square) move_centre();
    }
    if (last || promising || due) {
      since_ = 0;
      const T before = report_.dual_objective;
      certify_point(last);
      // Where passes end in rounding, the bound is what the imbalance of the duals leaves of it.
      if (options_.intercept && !(report_.dual_objective > before)) move_centre();
      rest();
    } else {
      extrapolate();
    }
    if (last) end_at_limit();
    start_pass();
  }

  /// bᵗ ← b.
  void move_centre() {
    for (Index k = 0; k < shape_.classes; ++k) {
      const T by = proximal_ * own_.row[sum][k];
      own_.row[level][k] -= by;
      own_.row[old_level][k] -= by;
    }
  }

  /// w ± m̄ (Σᵢuᵢ)ᵀ/λ: to the coefficients of the centred design, and back.
  void shift_coefficients(T sign) {
    for (Index j = 0; j < shape_.features; ++j) {
      T* row = row_of(own_.w, j, stride_);
      const T by = sign * offset(j) / strength();
      for (Index k = 0; k < stride_; ++k) row[k] += by * own_.row[sum][k];
    }
  }

  // ---- scales of groups

  /// v to begin with: scores of one where all groups are of use.
  [[gnu::noinline]] void begin_scales() {
    measure_scales(own_.z);
    const T typical = square_root(T(shape_.samples) / T(shape_.features)) / options_.lambda;
    for (Index j = 0; j < shape_.features; ++j) {
      const T size = square_root(memory_.score[j]);
      scale()[j] = size > T(0) ? square_root(typical / size) : T(0);
    }
    proximal_step_ = T(0.3);
  }

  /// v of every group from its gradient g.
  [[gnu::noinline]] void renew_scales() {
    score(own_.g, nullptr, shape_.features);
    T total = 0;
    Index kept = 0;
    for_each_listed_group(nullptr, shape_.features, [&](FeatureGroup group) {
      const T root = scale()[group.first];
      if (!(root > T(0))) return;
      total += root * root * scale_of(group.first);
      ++kept;
    });
    if (kept > 0) typical_ = total / T(kept);
    const bool drops = report_.gap < T(0.5) * report_.objective;
    bool comes_back = false;
    for_each_listed_group(nullptr, shape_.features, [&](FeatureGroup group) {
      const T ratio = memory_.score[group.first] / options_.lambda;
      const T step = proximal_step_ * typical_ / scale_of(group.first);
      T v = scale()[group.first] * scale()[group.first];
      const bool is_kept = v > T(0);
      if (ratio > T(1)) {  // a small v grows by steps, not in proportion
        v = largest(v * ratio, v + step * smallest(ratio - T(1), T(2)));
        comes_back = comes_back || !is_kept;
      } else {
        v = drops && v * ratio <= step * (T(1) - ratio) ? T(0) : v * largest(ratio, T(1) / 64);
      }
      for (Index r = 0; r < group.count; ++r) scale()[group.feature(r)] = square_root(v);
    });
    if (comes_back) proximal_step_ *= T(0.5);
  }

  [[gnu::noinline]] void certify_point(bool last) {
    const Index stride = stride_;
    const Index features = shape_.features;
    T* b = row_of(own_.w, features, stride);
    if constexpr (may_soften)
      if (softens()) copy(softened(), static_cast<std::size_t>(features) * stride, own_.w);
    if (options_.intercept) {
      // level = b − m̄ᵀw − ‖m̄‖² Σu/λ
      copy(own_.row[level], stride, b);
      for (Index j = 0; j < features; ++j)
        for (Index k = 0; k < stride; ++k) b[k] += offset(j) * row_of(own_.w, j, stride)[k];
      for (Index k = 0; k < stride; ++k) b[k] += mean_square_ / strength() * own_.row[sum][k];
      if (!softens()) shift_coefficients(T(1));
    }
    if (reweighs())
      for (Index j = 0; j < features; ++j) scale_row(row_of(own_.w, j, stride), stride, scale()[j]);
    certify_coefficients(last);
  }

  /// The certificate of the coefficients of the centred design. When the run has ended they stay, otherwise they are
  /// those of the design itself afterwards.
  [[gnu::noinline]] void certify_coefficients(bool last, bool is_new_lambda = false) {
    const Index stride = stride_;
    const Index features = shape_.features;
    if (reweighs()) samples().forget();  // they are scaled
    if (softening_.centres) samples().widen();  // or shifted
    multiply(own_.w, own_.z);
    offer_primal(own_.w, own_.z);
    call_back();
    this->offer_separating(own_.w, own_.z, own_.g);
    duals(own_.z);
    update_residual(moved_, T(2));
    certify(own_.z, own_.g, last);
    work_ = 0;
    if (!running() || last) return;
    // The coefficients anew from the duals: rounding errors do not pile up.
    if (options_.intercept) {
      duals(own_.z);
      transposed_multiply(own_.z, own_.g);
      column_sums(own_.z, shape_.samples, stride, own_.row[sum]);
    }
    if constexpr (may_reweigh)
      if (reweighs() && blocks_ > 0) {      // before the first pass duals are zero
        if (is_new_lambda) begin_scales();  // those of another λ, and of its dropped groups, mislead for long
        else renew_scales();
        blocks_ = 0;
        measure_samples();
      }
    const T unscaled = T(-1) / strength();
    for (Index j = 0; j < features; ++j) {
      const T by = reweighs() ? unscaled * scale()[j] : unscaled;
      for (Index k = 0; k < stride; ++k) row_of(own_.w, j, stride)[k] = by * row_of(own_.g, j, stride)[k];
    }
    if (!options_.intercept) return;
    shift_coefficients(T(-1));
    if (softens()) return;  // those of the rows stay
    T* level_row = own_.row[level];
    copy(row_of(own_.w, features, stride), stride, level_row);
    for (Index j = 0; j < features; ++j)
      for (Index k = 0; k < stride; ++k) level_row[k] -= mean(j) * row_of(own_.w, j, stride)[k];
    for (Index k = 0; k < stride; ++k) level_row[k] -= mean_square_ / strength() * own_.row[sum][k];
  }

  void duals(T* u) const {
    copy(own_.p, dual_entries(), u);
    for (Index i = 0; i < shape_.samples; ++i) {
      T* const row = row_of(u, i, stride_);
      T& own = row[targets_.labels[i]];
      own = T(0);
      T others = T(0);
      for (Index k = 0; k < shape_.classes; ++k) others += row[k];
      own = -others;
    }
  }

  /// Samples with a share of the duality gap at the scores z take part in the next pass.
  void call_back() {
    for (Index i = 0; i < shape_.samples; ++i) {
      T* z = row_of(own_.z, i, stride_);
      const T* p = row_of(own_.p, i, stride_);
      const Label y = targets_.labels[i];
      const T margin = targets_.margin(i);
      const T top = loss_.value(z, shape_.classes, y, margin) + z[y];
      T gap = 0;
      for (Index k = 0; k < shape_.classes; ++k) gap += p[k] * (top - z[k] - (k != y ? margin : T(0)));
      if (gap > negligible_ * targets_.weight(i)) own_.wait[i] = own_.quiet[i] = 0;
    }
  }

  static constexpr T outer = T(100);  ///< accuracy of a pass against the imbalance of the duals, for a new centre
  static constexpr T share = T(0.01);
  static constexpr std::size_t patience = 6;
  static constexpr T renewal = T(0.3);  ///< gap of the ridge, of that of the problem, at which v is renewed
  static constexpr std::uint32_t longest_renewal = 50;  ///< passes

  std::uint32_t since_ = 0;  ///< passes since the last certificate
  T typical_ = T(0);         ///< v of a column of usual size
  T proximal_step_ = T(0);   ///< over that
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
