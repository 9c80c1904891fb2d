#pragma once
/// Sets of labels from scores that rank: thresholds chosen after training, as Blondel et al.'s (2013) section 4.7
/// proposes.

#include <algorithm>

#include "../arena.hpp"
#include "../label_sets.hpp"
#include "../linalg/cholesky.hpp"
#include "../linalg/sum.hpp"
#include "../status.hpp"
#include "folds.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// How thresholds are chosen:
///   - linear: one for all classes of a sample, t(z) = ⟨a, z⟩ + b in its scores z, by least squares to those that
///     separate its labels best. Source: Elisseeff and Weston (2001), section 4;
///   - per_class: t_k, that of the largest F1 = 2·hits/(samples + predictions) of the class. Source: Fan and Lin
///   (2007),
///     SCut, on the training samples.
enum class ThresholdKind : std::uint8_t { linear, per_class };
inline constexpr ThresholdKind all_threshold_kinds[] = {ThresholdKind::linear, ThresholdKind::per_class};

constexpr const char* name(ThresholdKind kind) { return kind == ThresholdKind::linear ? "linear" : "per-class"; }

/// A view of thresholds: class k belongs to a sample of scores z when z_k > ⟨slopes, z⟩ + offsets_k.
template <class T>
struct SetThresholds {
  const T* slopes = nullptr;   ///< one per class; null: 0
  const T* offsets = nullptr;  ///< one per class
  Index classes = 0;

  /// Calls visit(k) for the classes of the set, ascending. Scores that are NaN belong to none.
  template <class Visit>
  void for_each_label(const T* z, Visit visit) const {
    T shift = 0;
    for (Index k = 0; slopes && k < classes; ++k) shift += slopes[k] * z[k];
    for (Index k = 0; k < classes; ++k)
      if (z[k] > shift + offsets[k]) visit(k);
  }
};

/// Chooses thresholds from the scores of training samples.
///
/// Sample i has the scores z + i·stride, K of them, and the set labels[i] of `sets`. Memory: 2K entries for what comes
/// out, and (K + 1)(K + 3) of scratch, or for per_class as many indices as samples. Cost n·K², or n·K·log n.
/// `invalid_label` for a number without a set of ascending classes, `invalid_data` for scores that are not finite,
/// `arena_too_small`; then nothing comes out.
template <class T>
class ThresholdChoice {
 public:
  ThresholdChoice(ThresholdKind kind, Index samples, Index classes) : kind_(kind), n_(samples), K_(classes) {}

  static constexpr Requirement requirement(ThresholdKind kind, Index samples, Index classes) {
    Arena counter;
    (void)Memory::lay_out(counter, kind, samples, classes);
    return {counter.used()};
  }

  Status choose(const T* z, std::size_t stride, const LabelSets& sets, const Label* labels,
                std::span<std::byte> memory) {
    if (memory.size() < requirement(kind_, n_, K_).bytes) return Status::arena_too_small;
    for (Index i = 0; i < n_; ++i) {
      if (!sets.valid(labels[i], K_)) return Status::invalid_label;
      for (Index k = 0; k < K_; ++k)
        if (!finite(z[i * stride + k])) return Status::invalid_data;
    }
    Arena arena(memory);
    m_ = Memory::lay_out(arena, kind_, n_, K_);
    fill(m_.slopes, K_, T(0));
    if (kind_ == ThresholdKind::per_class) {
      for (Index k = 0; k < K_; ++k) m_.offsets[k] = cut(z, stride, sets, labels, k);
    } else {
      fit(z, stride, sets, labels);
    }
    return Status::converged;
  }
  /// What was chosen; points into the memory of `choose`.
  SetThresholds<T> thresholds() const { return {m_.slopes, m_.offsets, K_}; }

 private:
  struct Memory {
    T* slopes;
    T* offsets;
    T* matrix;     ///< (K + 1) × (K + 1)
    T* row;        ///< K + 1
    T* right;      ///< K + 1
    Index* order;  ///< per_class: samples

    static constexpr Memory lay_out(Arena& arena, ThresholdKind kind, Index samples, Index classes) {
      Memory m{};
      m.slopes = arena.take<T>(classes);
      m.offsets = arena.take<T>(classes);
      if (kind == ThresholdKind::per_class) {
        m.order = arena.take<Index>(samples);
        return m;
      }
      const std::size_t size = std::size_t{classes} + 1;
      m.matrix = arena.take<T>(size * padded<T>(static_cast<Index>(size)));
      m.row = arena.take<T>(size);
      m.right = arena.take<T>(size);
      return m;
    }
  };

  /// The threshold with the fewest classes on the wrong side; the middle of the widest interval of such, the first of
  /// equals, half a margin beyond the scores at their ends. `sorted` is scratch of K entries.
  T target(const T* z, const LabelSets& sets, Label y, T* sorted) const {
    copy(z, K_, sorted);
    std::make_heap(sorted, sorted + K_);
    std::sort_heap(sorted, sorted + K_);
    T best = 0, width = 0;
    Index least = K_ + 1;
    for (Index cut = 0; cut <= K_; ++cut) {  // below the threshold: `cut` scores
      if (cut > 0 && cut < K_ && !(sorted[cut - 1] < sorted[cut])) continue;
      const T low = cut > 0 ? sorted[cut - 1] : sorted[0] - T(1), high = cut < K_ ? sorted[cut] : sorted[K_ - 1] + T(1);
      Index wrong = 0;
      const T at = low + (high - low) / T(2);
      sets.for_each_class(y, K_, [&](Index k, bool inside) { wrong += (z[k] > at) != inside; });
      if (wrong > least || (wrong == least && !(high - low > width))) continue;
      least = wrong;
      width = high - low;
      best = at;
    }
    return best;
  }

  /// Least squares on [z 1], with a share of the mean square of its columns added to their squares: scores that add up
  /// to a constant determine no slopes.
  void fit(const T* z, std::size_t stride, const LabelSets& sets, const Label* labels) {
    const Index size = K_ + 1, across = padded<T>(size);
    fill(m_.matrix, std::size_t{size} * across, T(0));
    fill(m_.right, size, T(0));
    for (Index i = 0; i < n_; ++i) {
      const T at = target(z + i * stride, sets, labels[i], m_.row);
      copy(z + i * stride, K_, m_.row);
      m_.row[K_] = T(1);
      for (Index r = 0; r < size; ++r) {
        m_.right[r] += at * m_.row[r];
        for (Index c = 0; c <= r; ++c) m_.matrix[std::size_t{r} * across + c] += m_.row[r] * m_.row[c];
      }
    }
    T square = 0;
    for (Index r = 0; r < size; ++r) square += m_.matrix[std::size_t{r} * across + r];
    const T share = (sizeof(T) == 4 ? T(1e-4) : T(1e-8)) * largest(square, T(n_)) / T(size);
    for (Index r = 0; r < size; ++r) m_.matrix[std::size_t{r} * across + r] += share;
    T b = 0;
    if (factor_cholesky(m_.matrix, size, across)) {
      solve_cholesky(m_.matrix, size, across, m_.right);
      copy(m_.right, K_, m_.slopes);
      b = m_.right[K_];
    }
    fill(m_.offsets, K_, b);
  }

  /// The threshold of class k with the largest F1, halfway between two scores; beyond all where no sample has the
  /// class.
  T cut(const T* z, std::size_t stride, const LabelSets& sets, const Label* labels, Index k) {
    const auto score = [&](Index i) { return z[i * stride + k]; };
    for (Index i = 0; i < n_; ++i) m_.order[i] = i;
    const auto before = [&](Index a, Index b) { return score(a) > score(b) || (score(a) == score(b) && a < b); };
    sort_list(m_.order, m_.order + n_, before);
    std::size_t members = 0, hits = 0;
    for (Index i = 0; i < n_; ++i) members += sets.contains(labels[i], k);
    T best = 0, threshold = score(m_.order[0]) + T(1);
    for (Index e = 0; e < n_; ++e) {
      hits += sets.contains(labels[m_.order[e]], k);
      const bool last = e + 1 == n_;
      const T here = score(m_.order[e]), next = last ? here - T(2) : score(m_.order[e + 1]);
      if (!(next < here)) continue;
      const T f1 = T(2 * hits) / T(members + e + 1);
      if (!(f1 > best)) continue;
      best = f1;
      threshold = next + (here - next) / T(2);
    }
    return threshold;
  }

  ThresholdKind kind_;
  Index n_, K_;
  Memory m_{};
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
