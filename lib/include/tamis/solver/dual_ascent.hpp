#pragma once
/// Passes of ascent on the dual of the multiclass hinge with weighted ridge: visits to samples, their order, momentum.

#include <type_traits>
#include <utility>

#include "../catalogue.hpp"
#include "../design/sample_rows.hpp"
#include "../design/sorted_columns.hpp"
#include "../penalty/elastic_net.hpp"
#include "crammer_singer_step.hpp"
#include "workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// The design that the solver reads rows of: made for it, or there already inside another.
template <class T, class Design>
struct RowsIn {
  using type = SampleRows<T, Design>;
  static type& of(type& design) { return design; }
};
template <class T, class Design>
struct RowsIn<T, SortedColumns<T, SampleRows<T, Design>>> {
  using type = SortedColumns<T, SampleRows<T, Design>>;
  static SampleRows<T, Design>& of(type& design) { return design.uncopied(); }
};

/// What W is of the duals.
enum class AscentForm : std::uint8_t { ridge, groups, soft };

constexpr AscentForm form_of_ascent(PenaltyKind penalty) {
  if (penalty == PenaltyKind::elastic_net) return AscentForm::soft;
  return has_groups(penalty) ? AscentForm::groups : AscentForm::ridge;
}

/// Values of rows to have room for, of which so many are not zero: with elastic net zeros too, unless most are zero.
constexpr std::size_t room_for_rows(Shape shape, std::size_t entries, AscentForm form) {
  const std::size_t full = saturating_multiply(shape.samples, shape.features);
  return form == AscentForm::soft && entries >= full / 4 ? largest(entries, full) : entries;
}

/// What scales of groups, or softened coefficients, take, which come last.
template <class T>
struct AscentExtras {
  T* begin;
  static constexpr AscentExtras lay_out(Arena& arena, Shape shape, AscentForm form) {
    if (form == AscentForm::soft) return {arena.take<T>(CommonMemory<T>::coefficients(shape))};
    return {arena.take<T>(form == AscentForm::groups ? shape.features : 0)};
  }
};

/// What elastic net makes of the ridge.
template <class T>
struct Softening {
  T share_of_ridge = T(1);
  T threshold = T(0);
  bool centres = false;  ///< whether rows are less their means
};
template <class T>
struct NoSoftening {
  static constexpr T share_of_ridge = T(1), threshold = T(0);
  static constexpr bool centres = false;
};

/// Whether a penalty is, or may be, elastic net.
template <class Penalty>
inline constexpr bool may_soften = [] {
  if constexpr (requires { Penalty::chosen_at_run_time; }) return Penalty::has(PenaltyKind::elastic_net);
  else return false;
}();
template <class S>
inline constexpr bool may_soften<ElasticNet<S>> = true;

}  // namespace detail

/// The part of CrammerSingerDual that ascends, which has its memory: the duals p = u + c·e_y, the coefficients w that
/// they make, and the rows `sum` = Σᵢuᵢ and `level` that stand for the intercepts. A pass is `start_pass`,
/// `visit_block` until no block is `left_`, and then `extrapolate`, or `rest` where the momentum is forgotten.
///
/// With a penalty of groups the ridge is ½ Σ_G ‖w_G‖²/a_G², and what is ascended on are the rows of X·diag(a) and
/// coefficients w/a, whose ridge has strength one instead of λ. With elastic net w is what it is with the ridge part
/// alone, and coefficients are `softened`, which go along; means cannot stay outside of them then, and a dense design
/// has rows less their means in the block.
template <class T, class Loss, class Penalty, class Design>
class DualAscent : public Workbench<T, Loss, Penalty, typename detail::RowsIn<T, Design>::type> {
 protected:
  using Held = detail::RowsIn<T, Design>;
  using Base = Workbench<T, Loss, Penalty, typename Held::type>;
  using Base::design_, Base::memory_, Base::options_, Base::report_, Base::shape_, Base::stride_, Base::targets_,
      Base::dual_entries, Base::matrix_entries, Base::dual_kind;
  using Samples = std::remove_reference_t<decltype(Held::of(std::declval<typename Held::type&>()))>;

  using Base::Base;

  using Form = detail::AscentForm;
  static constexpr bool may_reweigh = HasGrouping<Penalty>, may_soften = detail::may_soften<Penalty>;
  /// Whether the ridge stands for a penalty of groups.
  bool reweighs() const { return may_reweigh && dual_kind() == DualKind::norm; }
  /// Whether W is softened.
  bool softens() const { return may_soften && dual_kind() == DualKind::sparse_conjugate; }
  Form form() const { return reweighs() ? Form::groups : softens() ? Form::soft : Form::ridge; }
  /// Of the ridge.
  T strength() const { return reweighs() ? T(1) : options_.lambda * softening_.share_of_ridge; }
  /// Mean of a feature in the rows, which the centred design is without.
  T offset(Index j) const {
    if (softening_.centres) return T(0);
    return reweighs() ? scale()[j] * memory_.means[j] : memory_.means[j];
  }
  /// The same where steps keep it out of the intercepts.
  T mean(Index j) const { return softens() ? T(0) : offset(j); }

  struct Memory {
    CommonMemory<T> common;
    T* w;                 ///< −Σᵢ xᵢuᵢᵀ/λ, uncentred; the last row is the intercept
    T* extra;             ///< see scale() and softened()
    T* g;                 ///< scratch: gradients
    T* p;                 ///< duals plus cᵢ at the label
    T* z;                 ///< scratch: scores, duals
    T* norm;              ///< ‖xᵢ − m̄‖²
    T* mean;              ///< ⟨m̄, xᵢ⟩
    T* row[6];            ///< scratch of one visit, and what the intercepts need
    Index* order;         ///< from the front: samples to visit in a block; from the back: first samples of the blocks
    std::uint8_t* wait;   ///< passes until the next visit
    std::uint8_t* quiet;  ///< visits in a row that moved nothing
    typename Samples::Memory samples;

    static constexpr Memory lay_out(Arena& arena, Shape shape, std::size_t entries, [[maybe_unused]] Form form) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      for (T** coefficients : {&m.w, &m.g}) *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      for (T** duals : {&m.p, &m.z}) *duals = arena.take<T>(CommonMemory<T>::duals(shape));
      for (T** numbers : {&m.norm, &m.mean}) *numbers = arena.take<T>(shape.samples);
      for (T*& scratch : m.row) scratch = arena.take<T>(padded<T>(shape.classes));
      m.order = arena.take<Index>(detail::saturating_add(shape.samples, 1));  // blocks + largest block ≤ samples + 1
      for (std::uint8_t** counts : {&m.wait, &m.quiet}) *counts = arena.take<std::uint8_t>(shape.samples);
      m.samples = Samples::Memory::lay_out(arena, shape.samples, entries);
      if constexpr (may_reweigh || may_soften) m.extra = detail::AscentExtras<T>::lay_out(arena, shape, form).begin;
      return m;
    }
  };

  Samples& samples() { return Held::of(design_); }
  /// a of every feature, with a penalty of groups.
  T* scale() const { return own_.extra; }
  /// The coefficients with elastic net, as far as the duals have come.
  T* softened() const { return own_.extra; }

  /// What every visit needs of its sample, block by block, and how strongly the intercepts are held.
  [[gnu::noinline]] void measure_samples() {
    T square = 0;
    if (options_.intercept)
      for (Index j = 0; j < shape_.features; ++j) square += mean(j) * mean(j);
    mean_square_ = square;
    T total = 0;
    for (Index first = 0; first < shape_.samples;) {
      const Index count = samples().block_from(first);
      load(first, count);
      for (Index i = first; i < first + count; ++i) total += measure(i);
      block(blocks_++) = first;
      first += count;
    }
    proximal_ = T(0);
    if (options_.intercept) {
      const T typical = total / T(shape_.samples);
      proximal_ = typical > T(0) ? pull * typical / strength() : T(1);
      // Where groups are nearly zero, intercepts alone move scores.
      if (reweighs()) proximal_ = largest(proximal_, report_.objective);
    }
  }

  /// Norm of a loaded sample, and its product with the means.
  T measure(Index i) {
    const auto x = samples().row(i);
    T norm = 0, product = 0, square = 0;
    for (Index e = 0; e < x.count; ++e) {
      const T mean_of_feature = options_.intercept ? mean(x.features[e]) : T(0);
      const T centred = x.values[e] - mean_of_feature;
      norm += centred * centred;
      product += mean_of_feature * x.values[e];
      square += mean_of_feature * mean_of_feature;
    }
    norm += largest(mean_square_ - square, T(0));
    own_.norm[i] = norm;
    own_.mean[i] = product;
    return norm;
  }

  void load(Index first, Index count) {
    if (!samples().load(first, count)) return;
    if (reweighs()) samples().scale(scale());
    if (softening_.centres) samples().shift(memory_.means);
  }
  Index& block(Index b) const { return own_.order[shape_.samples - b]; }

  void start_pass() {
    left_ = blocks_;
    gap_ = moved_ = agreement_ = T(0);
    if (softens()) soften();
  }
  [[gnu::noinline]] void soften() {
    for (std::size_t e = 0; e < matrix_entries(); ++e) softened()[e] = soft(own_.w[e], softening_.threshold);
  }

  /// Forgets the momentum, or half of it: the present point is where the next one starts from.
  void rest() {
    inertia_ = softens() ? inertia_ / 2 : 0;
    copy(own_.row[sum], stride_, own_.row[old_sum]);
    copy(own_.row[level], stride_, own_.row[old_level]);
    copy(own_.p, dual_entries(), own_.z);
    copy(own_.w, matrix_entries(), own_.g);
  }

  /// Goes on from p and w in the direction of the last pass.
  [[gnu::noinline]] void extrapolate() {
    if (agreement_ < T(0)) inertia_ = 0;
    const T by = T(inertia_) / T(inertia_ + 3);
    ++inertia_;
    advance(own_.p, own_.z, dual_entries(), by);
    const std::size_t weights = static_cast<std::size_t>(shape_.features) * stride_;
    advance(own_.w, own_.g, weights, by);
    if (options_.intercept) {
      advance(own_.row[sum], own_.row[old_sum], stride_, by);
      advance(own_.row[level], own_.row[old_level], stride_, by);
    }
  }
  static void advance(T* now, T* before, std::size_t count, T by) {
    const auto factor = SimdOrScalar<T>::fill(by);
    for (std::size_t e = 0; e < count; e += SimdOrScalar<T>::width) {
      const auto x = SimdOrScalar<T>::load(now + e);
      (x + factor * (x - SimdOrScalar<T>::load(before + e))).store(now + e);
      x.store(before + e);
    }
  }

  void visit_block() {
    Index& drawn_block = block(draw(left_--));
    const Index first = drawn_block;
    drawn_block = block(left_);
    block(left_) = first;
    const Index count = samples().block_from(first);
    load(first, count);
    Index chosen = 0;
    for (Index i = first; i < first + count; ++i) {
      if (!(targets_.weight(i) > T(0))) continue;
      if (own_.wait[i] > 0) --own_.wait[i];
      else own_.order[chosen++] = i;
    }
    for (Index left = chosen; left > 0; --left) {
      const Index drawn = draw(left);
      const Index i = own_.order[drawn];
      own_.order[drawn] = own_.order[left - 1];
      visit(i);
    }
  }

  /// A number below `below`: Knuth's linear congruential generator, its upper bits.
  Index draw(Index below) {
    random_ = random_ * 1664525u + 1013904223u;
    return static_cast<Index>((static_cast<std::uint64_t>(random_) * below) >> 32);
  }

  void visit(Index i) {
    const Index stride = stride_;
    const Index classes = shape_.classes;
    const T lambda = strength();
    const auto x = samples().row(i);
    const T weight = targets_.weight(i);
    T* s = own_.row[scores];
    T* step = own_.row[change];
    T* p = row_of(own_.p, i, stride);

    const T along = own_.mean[i] / lambda;
    if (options_.intercept) {
      add_scaled_row(static_cast<const T*>(own_.row[level]), along, static_cast<const T*>(own_.row[sum]), stride, step);
    } else {
      fill(step, stride, T(0));
    }
    row_multiply(x, softens() ? softened() : own_.w, stride, step, s);
    const T margin = targets_.margin(i);
    const T own = s[targets_.labels[i]];
    for (Index k = 0; k < stride; k += SimdOrScalar<T>::width)
      (SimdOrScalar<T>::load(s + k) + SimdOrScalar<T>::fill(margin)).store(s + k);
    s[targets_.labels[i]] = own;
    work_ += x.count;

    const T curvature = own_.norm[i] / lambda + proximal_;
    T gap = 0;
    const bool moves = crammer_singer_step(s, p, classes, weight, T(1) / curvature, negligible_ * weight, step, gap);
    gap_ += largest(gap, T(0));
    const T* before = row_of(own_.z, i, stride);
    if (!moves) {
      bool still = true;  // as it was, if it rested
      for (Index k = 0; k < classes && own_.quiet[i] == 0; ++k) still = still && p[k] == before[k];
      if (still) {
        own_.quiet[i] = static_cast<std::uint8_t>(smallest(own_.quiet[i] + 1, longest_wait));
        own_.wait[i] = static_cast<std::uint8_t>((1u << own_.quiet[i]) - 1u);
        return;
      }
      for (Index k = 0; k < classes; ++k) {  // what rests must have no momentum left
        step[k] = before[k] - p[k];
        p[k] = before[k];
      }
    }
    own_.quiet[i] = 0;
    const T by = along - mean_square_ / lambda - proximal_;
    T moved = 0;
    detail::for_each_entry_that(
        step, classes, [](auto entry) { return entry != T(0); },
        [&](Index k) {
          agreement_ += step[k] * (p[k] - before[k]);
          if (options_.intercept) {
            own_.row[sum][k] += step[k];
            own_.row[level][k] += by * step[k];
          }
          moved += absolute(step[k]);
          step[k] *= T(-1) / lambda;
        });
    moved_ += moved;
    for (Index k = classes; k < stride; ++k) step[k] = T(0);
    row_update(x, step, own_.w, stride, softening_.threshold, softens() ? softened() : nullptr);
    work_ += x.count;
  }

  enum : int {
    sum,
    level,
    old_sum,
    old_level,
    scores,
    change
  };                                 // the scratch rows: Σᵢuᵢ; b − m̄ᵀw − ‖m̄‖²Σu/λ; scores; steps
  static constexpr T pull = T(0.5);  ///< of the intercepts towards bᵗ, against the curvature of a typical sample
  static constexpr int longest_wait = 5;

  Memory own_{};
  Index blocks_ = 0;
  Index left_ = 0;  ///< blocks of this pass
  std::uint32_t random_ = 1;
  std::size_t work_ = 0;  ///< values read since the last certificate
  T mean_square_ = T(0);
  T proximal_ = T(0);    ///< 1/ε
  T negligible_ = T(0);  ///< share of the gap, per weight, below which a sample rests
  T agreement_ = T(0);   ///< of the moves of this pass with those since the end of the last
  std::uint32_t inertia_ = 0;
  T gap_ = T(0);    ///< of the samples visited in this pass
  T moved_ = T(0);  ///< how far their duals went
  [[no_unique_address]] std::conditional_t<may_soften, detail::Softening<T>, detail::NoSoftening<T>> softening_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
