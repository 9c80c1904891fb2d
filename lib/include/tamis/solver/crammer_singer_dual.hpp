#pragma once
/// The default solver for the exact multiclass hinge with ridge: ascent on the dual, one sample at a time.

#include <type_traits>
#include <utility>

#include "../catalogue.hpp"
#include "../design/dense.hpp"
#include "../design/sample_rows.hpp"
#include "../design/sorted_columns.hpp"
#include "../loss/hinge.hpp"
#include "../penalty/ridge.hpp"
#include "workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Moves the dual point p = u + c·e_y of one sample to the maximum of ⟨s, p⟩ − ‖p − p₀‖²/2σ over the simplex of size c,
/// s being the scores plus margins (K entries, overwritten); σ infinite: to a vertex. `gap` becomes Σ_k p₀_k (max s −
/// s_k), the sample's share of the duality gap. Where it is at most `negligible` and p₀ is in the simplex nothing
/// moves: false. Otherwise step = p − p₀ (K entries). p₀ itself need not be in the simplex. Cost O(K). Source: Keerthi
/// et al. (2008), section 3.
template <class T>
bool crammer_singer_step(T* s, T* p, Index classes, T c, T sigma, T negligible, T* step, T& gap) {
  T top = s[0];
  for (Index k = 1; k < classes; ++k) top = largest(top, s[k]);
  gap = T(0);
  bool inside = true;
  for (Index k = 0; k < classes; ++k) {
    s[k] = top - s[k];
    gap += p[k] * s[k];
    inside = inside && !(p[k] < T(0));
  }
  if (inside && !(gap > negligible)) return false;
  if (finite(sigma)) {
    T highest = -infinity<T>;
    for (Index k = 0; k < classes; ++k) {
      s[k] = p[k] - sigma * s[k];
      highest = largest(highest, s[k]);
    }
    const T level = detail::water_level(classes, c, highest - c, [=](auto visit) {
      for (Index k = 0; k < classes; ++k) visit(s[k]);
    });
    for (Index k = 0; k < classes; ++k) s[k] = largest(s[k] - level, T(0));
  } else {
    Index best = 0;
    while (s[best] > T(0)) ++best;
    for (Index k = 0; k < classes; ++k) s[k] = k == best ? c : T(0);
  }
  for (Index k = 0; k < classes; ++k) {
    step[k] = s[k] - p[k];
    p[k] = s[k];
  }
  return true;
}

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
/// left out for 1, 3, 7 or 15 passes, and every certificate, which looks at all samples, calls those back that have a
/// share again. Between passes u and W go on in their direction, with Nesterov's weights, from anew when the pass turns
/// against it; rows that leave the simplex so return to it at their next visit, which is in the next pass.
///
/// A free intercept asks for Σᵢ uᵢ = 0, which no single row can keep: a proximal method of multipliers penalises
/// ε/2 ‖b − bᵗ‖² instead, which makes b one more feature, on the centred design, and moves bᵗ to b whenever the inner
/// problem is solved well enough for its Σᵢ uᵢ.
///
/// Memory: `requirement(shape)`: 3(p+1) + 2n rows of padded classes, 5n + 4p entries, and room for one sample; more
/// memory holds more samples at once, `requirement(shape, entries)` all of a design with that many values that are not
/// zero, and then no product touches the design again. Cost per pass: at most 4·entries·K flops.
/// Source: Keerthi, Sundararajan, Chang, Hsieh and Lin (2008), A sequential dual method for large scale multi-class
/// linear SVMs; Rockafellar (1976) for the multipliers; O'Donoghue and Candès (2015) for the restarts.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class CrammerSingerDual : public Workbench<T, Loss, Penalty, typename detail::RowsIn<T, Design>::type> {
  static_assert(detail::MayBe<Loss, Hinge> && detail::MayBe<Penalty, Ridge>, TAMIS_NEEDS_HINGE_AND_RIDGE);
  static_assert(tamis::Design<Design, T>, TAMIS_NEEDS_DESIGN);
  using Held = detail::RowsIn<T, Design>;
  using Base = Workbench<T, Loss, Penalty, typename Held::type>;
  using Base::begin_again, Base::bind, Base::centre, Base::certify, Base::certify_null_model, Base::count_iteration,
      Base::design_, Base::end_at_limit, Base::intercept_scale_, Base::loss_, Base::memory_, Base::multiply,
      Base::offer_primal, Base::options_, Base::report_, Base::shape_, Base::stride_, Base::targets_,
      Base::transposed_multiply, Base::update_residual, Base::validate;
  using Samples = std::remove_reference_t<decltype(Held::of(std::declval<typename Held::type&>()))>;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::crammer_singer_dual;

  CrammerSingerDual(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                    const Options<T>& options)
      : Base(typename Held::type(design), targets, loss, penalty, options) {}

  /// Bytes that `start` needs, aligned to Arena::alignment; the memory of the data is not in it.
  static constexpr Requirement requirement(Shape shape) { return requirement(shape, shape.features); }
  /// Bytes with which all samples fit at once, for a design with that many values that are not zero.
  static constexpr Requirement requirement(Shape shape, WorkspaceHint hint) { return requirement(shape, hint.entries); }
  static constexpr Requirement requirement(Shape shape, std::size_t entries) {
    return count_bytes<Memory>(shape, largest<std::size_t>(entries, shape.features));
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
    const T by = before / lambda;  // the duals stay
    const std::size_t weights = static_cast<std::size_t>(shape_.features) * stride_;
    for (std::size_t e = 0; e < weights; ++e) own_.w[e] *= by;
    proximal_ *= by;
    certify_coefficients(false);
    if (!running()) return false;
    for (Index i = 0; i < shape_.samples; ++i) own_.wait[i] = own_.quiet[i] = 0;
    if (blocks_ == 0) measure_samples();
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
  struct Memory {
    CommonMemory<T> common;
    T* w;                 ///< −Σᵢ xᵢuᵢᵀ/λ, uncentred; the last row is the intercept
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

    static constexpr Memory lay_out(Arena& arena, Shape shape, std::size_t entries) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      for (T** coefficients : {&m.w, &m.g}) *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      for (T** duals : {&m.p, &m.z}) *duals = arena.take<T>(CommonMemory<T>::duals(shape));
      for (T** numbers : {&m.norm, &m.mean}) *numbers = arena.take<T>(shape.samples);
      for (T*& scratch : m.row) scratch = arena.take<T>(padded<T>(shape.classes));
      m.order = arena.take<Index>(detail::saturating_add(shape.samples, 1));  // blocks + largest block ≤ samples + 1
      for (std::uint8_t** counts : {&m.wait, &m.quiet}) *counts = arena.take<std::uint8_t>(shape.samples);
      m.samples = Samples::Memory::lay_out(arena, shape.samples, entries);
      return m;
    }
  };

  Samples& samples() { return Held::of(design_); }

  [[gnu::noinline]] bool prepare(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    if (!(options_.lambda > T(0))) {
      report_.status = Status::invalid_lambda;
      return false;
    }
    // As many entries as fit, and as there are.
    const std::size_t least = shape_.features;
    const std::size_t spare = memory.size() - requirement(shape_).bytes;
    const std::size_t room = smallest(least + spare / (sizeof(T) + sizeof(Index)), std::size_t{~Index(0)});
    std::size_t entries = smallest(room, largest(least, design_.entries(nullptr, shape_.features)));
    while (entries > least && requirement(shape_, entries).bytes > memory.size()) --entries;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_, entries);
    bind(own_.common, arena.used());
    centre();
    samples().bind(own_.samples, entries);
    fill(own_.w, CommonMemory<T>::coefficients(shape_), T(0));
    fill(own_.p, CommonMemory<T>::duals(shape_), T(0));
    for (T* row : own_.row) fill(row, stride_, T(0));
    for (Index i = 0; i < shape_.samples; ++i) {
      row_of(own_.p, i, stride_)[targets_.labels[i]] = targets_.weight(i);
      own_.wait[i] = own_.quiet[i] = 0;
    }
    return true;
  }

  /// W = 0, u = 0, the best intercepts, and what every visit needs of its sample.
  [[gnu::noinline]] void start_from_zero() {
    T* intercepts = row_of(own_.w, shape_.features, stride_);
    loss_.null_model(targets_, options_.intercept, intercepts, own_.z, stride_);
    intercept_scale_ = T(1);
    for (Index i = 0; i < shape_.samples; ++i) copy(intercepts, stride_, row_of(own_.z, i, stride_));
    offer_primal(own_.w, own_.z);
    fill(own_.z, CommonMemory<T>::duals(shape_), T(0));
    certify_null_model(own_.z, own_.g);
    if (!running()) return;
    measure_samples();
    rest();
    start_pass();
  }

  /// What every visit needs of its sample, block by block, and how strongly the intercepts are held.
  [[gnu::noinline]] void measure_samples() {
    T square = 0;
    if (options_.intercept)
      for (Index j = 0; j < shape_.features; ++j) square += memory_.means[j] * memory_.means[j];
    mean_square_ = square;
    T total = 0;
    for (Index first = 0; first < shape_.samples;) {
      const Index count = samples().block_from(first);
      samples().load(first, count);
      for (Index i = first; i < first + count; ++i) total += measure(i);
      block(blocks_++) = first;
      first += count;
    }
    proximal_ = T(0);
    if (options_.intercept) {
      const T typical = total / T(shape_.samples);
      proximal_ = typical > T(0) ? pull * typical / options_.lambda : T(1);
    }
    copy(row_of(own_.w, shape_.features, stride_), stride_, own_.row[level]);
  }

  /// Norm of a loaded sample, and its product with the means.
  T measure(Index i) {
    const auto x = samples().row(i);
    T norm = 0, product = 0, square = 0;
    for (Index e = 0; e < x.count; ++e) {
      const T mean = options_.intercept ? memory_.means[x.features[e]] : T(0);
      const T centred = x.values[e] - mean;
      norm += centred * centred;
      product += mean * x.values[e];
      square += mean * mean;
    }
    norm += largest(mean_square_ - square, T(0));
    own_.norm[i] = norm;
    own_.mean[i] = product;
    return norm;
  }

  Index& block(Index b) const { return own_.order[shape_.samples - b]; }

  void start_pass() {
    left_ = blocks_;
    gap_ = moved_ = agreement_ = T(0);
  }

  /// Forgets the momentum: the present point is where the next one starts from.
  void rest() {
    inertia_ = 0;
    copy(own_.row[sum], stride_, own_.row[old_sum]);
    copy(own_.row[level], stride_, own_.row[old_level]);
    copy(own_.p, CommonMemory<T>::duals(shape_), own_.z);
    copy(own_.w, CommonMemory<T>::coefficients(shape_), own_.g);
  }

  /// Goes on from p and w in the direction of the last pass.
  [[gnu::noinline]] void extrapolate() {
    if (agreement_ < T(0)) inertia_ = 0;
    const T by = T(inertia_) / T(inertia_ + 3);
    ++inertia_;
    advance(own_.p, own_.z, CommonMemory<T>::duals(shape_), by);
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
    samples().load(first, count);
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
    const T lambda = options_.lambda;
    const auto x = samples().row(i);
    const T weight = targets_.weight(i);
    T* s = own_.row[score];
    T* step = own_.row[change];
    T* p = row_of(own_.p, i, stride);

    const T along = own_.mean[i] / lambda;
    if (options_.intercept) {
      for (Index k = 0; k < stride; ++k) step[k] = own_.row[level][k] + along * own_.row[sum][k];
    } else {
      fill(step, stride, T(0));
    }
    row_multiply(x, own_.w, stride, step, s);
    const T margin = targets_.margin(i);
    for (Index k = 0; k < classes; ++k) s[k] += k != targets_.labels[i] ? margin : T(0);
    work_ += x.count;

    const T curvature = own_.norm[i] / lambda + proximal_;
    T gap = 0;
    const bool moves = crammer_singer_step(s, p, classes, weight, T(1) / curvature, negligible_ * weight, step, gap);
    gap_ += largest(gap, T(0));
    const T* before = row_of(own_.z, i, stride);
    if (!moves) {
      bool still = true;
      for (Index k = 0; k < classes; ++k) still = still && p[k] == before[k];
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
    T moved = 0;
    for (Index k = 0; k < classes; ++k) agreement_ += step[k] * (p[k] - before[k]);
    if (options_.intercept) {
      const T by = along - mean_square_ / lambda - proximal_;
      for (Index k = 0; k < classes; ++k) {
        own_.row[sum][k] += step[k];
        own_.row[level][k] += by * step[k];
      }
    }
    for (Index k = 0; k < classes; ++k) {
      moved += absolute(step[k]);
      step[k] *= T(-1) / lambda;
    }
    moved_ += moved;
    for (Index k = classes; k < stride; ++k) step[k] = T(0);
    row_update(x, step, own_.w, stride);
    work_ += x.count;
  }

  [[gnu::noinline]] void end_pass() {
    const bool last = !count_iteration();
    negligible_ = share * gap_;
    const T scale = largest(report_.objective, T(1e-12));
    const std::size_t all = design_.entries(nullptr, shape_.features);
    ++since_;
    const bool promising =
        gap_ <= T(0.7) * options_.tolerance * scale && work_ >= all && since_ >= report_.iterations / 20;
    const bool due = work_ >= patience * all && since_ >= report_.iterations / 5;
    if (options_.intercept) {
      T square = 0;
      for (Index k = 0; k < shape_.classes; ++k) square += own_.row[sum][k] * own_.row[sum][k];
      if (gap_ <= outer * proximal_ * square) move_centre();
    }
    if (last || promising || due) {
      since_ = 0;
      certify_point(last);
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
      const T by = sign * memory_.means[j] / options_.lambda;
      for (Index k = 0; k < stride_; ++k) row[k] += by * own_.row[sum][k];
    }
  }

  [[gnu::noinline]] void certify_point(bool last) {
    const Index stride = stride_;
    const Index features = shape_.features;
    T* b = row_of(own_.w, features, stride);
    if (options_.intercept) {
      // level = b − m̄ᵀw − ‖m̄‖² Σu/λ
      copy(own_.row[level], stride, b);
      for (Index j = 0; j < features; ++j)
        for (Index k = 0; k < stride; ++k) b[k] += memory_.means[j] * row_of(own_.w, j, stride)[k];
      for (Index k = 0; k < stride; ++k) b[k] += mean_square_ / options_.lambda * own_.row[sum][k];
      shift_coefficients(T(1));
    }
    certify_coefficients(last);
  }

  /// The certificate of the coefficients of the centred design. When the run has ended they stay, otherwise they are
  /// those of the design itself afterwards.
  [[gnu::noinline]] void certify_coefficients(bool last) {
    const Index stride = stride_;
    const Index features = shape_.features;
    multiply(own_.w, own_.z);
    offer_primal(own_.w, own_.z);
    call_back();
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
    const T by = T(-1) / options_.lambda;
    for (Index j = 0; j < features; ++j)
      for (Index k = 0; k < stride; ++k) row_of(own_.w, j, stride)[k] = by * row_of(own_.g, j, stride)[k];
    if (!options_.intercept) return;
    shift_coefficients(T(-1));
    T* level_row = own_.row[level];
    copy(row_of(own_.w, features, stride), stride, level_row);
    for (Index j = 0; j < features; ++j)
      for (Index k = 0; k < stride; ++k) level_row[k] -= memory_.means[j] * row_of(own_.w, j, stride)[k];
    for (Index k = 0; k < stride; ++k) level_row[k] -= mean_square_ / options_.lambda * own_.row[sum][k];
  }

  void duals(T* u) const {
    copy(own_.p, CommonMemory<T>::duals(shape_), u);
    for (Index i = 0; i < shape_.samples; ++i)
      row_of(u, i, stride_)[targets_.labels[i]] -= targets_.weight(i);
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

  enum : int {
    sum,
    level,
    old_sum,
    old_level,
    score,
    change
  };  // the scratch rows: Σᵢuᵢ; b − m̄ᵀw − ‖m̄‖²Σu/λ; scores; steps
  static constexpr T pull = T(0.5);
  static constexpr T outer = T(100);  ///< accuracy of a pass against the imbalance of the duals, for a new centre
  static constexpr T share = T(0.01);
  static constexpr int longest_wait = 4;
  static constexpr std::size_t patience = 6;

  Memory own_{};
  Index blocks_ = 0;
  Index left_ = 0;  ///< blocks of this pass
  std::uint32_t random_ = 1;
  std::size_t work_ = 0;
  T mean_square_ = T(0);
  T proximal_ = T(0);    ///< 1/ε
  T negligible_ = T(0);  ///< share of the gap, per weight, below which a sample rests
  T agreement_ = T(0);   ///< of the moves of this pass with those since the end of the last
  std::uint32_t inertia_ = 0;
  std::uint32_t since_ = 0;  ///< passes since the last certificate
  T gap_ = T(0);
  T moved_ = T(0);
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
