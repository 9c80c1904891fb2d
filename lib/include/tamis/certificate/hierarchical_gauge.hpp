#pragma once
/// How far a symmetric matrix of products and a row of main effects are from what a hierarchical penalty allows.

#include "../linalg/rows.hpp"
#include "../penalty/hierarchical.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The gauge of Ω's dual ball at factor·(a, B), or a little more: `g` holds B = Xᵀ diag(u) X, symmetric, and a = Xᵀu
/// in its last column, features × (features + 1).
///
/// weak, full, main: the largest of the rows. strong: Θ is symmetric, so that any antisymmetric matrix may be added to
/// B. For norm l1 the pairs decide alone: the largest of |a_j|/λ₁ and (|a_j| + |a_l| + 2|B_jl|)/(2λ₁ + 2λ₂). For linf
/// the excess 2(|B_jl| − λ₂)₊ of a pair is paid for by its two rows, whose loads |a_j| + (|B_jj| − λ₂)₊ + Σ_l are
/// balanced pair by pair so that none is above λ₁; for l2 the loads are Euclidean norms of the same.
///
/// `load` holds an entry per feature, `row` features + 1; g below its diagonal is scratch until `restore`. Cost:
/// features², of which a sweep of balancing is one more.
template <class T>
class HierarchicalGauge {
 public:
  HierarchicalGauge(const HierarchicalPenalty<T>& penalty, Index features, Index stride, T* g, T factor, T* load,
                    T* row)
      : penalty_(penalty), features_(features), stride_(stride), g_(g), factor_(factor), load_(load), row_(row) {}

  /// Sweeps of balancing are at most `sweeps`, and begin with what would be right beside the coefficients `model`
  /// (features × stride): products that are below the largest of a row cost it nothing. The antisymmetric part of
  /// `multipliers` times `weight` is nearly the matrix to add.
  T value(const T* model, const T* multipliers, T weight, int sweeps) {
    if (by_pairs()) return of_pairs();
    if (balanced()) {
      begin(model, multipliers, weight);
      share_loads(sweeps);
    }
    T worst = 0;
    visit([&](Index, const T* row) { worst = largest(worst, penalty_.gauge(row, features_)); });
    return worst;
  }
  /// visit(j, row) for every row of factor·(a, B), with what may be added to it; after `value`.
  template <class Visit>
  void visit(Visit visit) const {
    for (Index j = 0; j < features_; ++j) {
      const T* from = row_of(g_, j, stride_);
      const T own = room(j);
      for (Index l = 0; l < features_; ++l) {
        row_[l] = factor_ * (l < j && balanced() ? row_of(g_, l, stride_)[j] : from[l]);
        if (l == j) continue;
        if (by_pairs()) {
          const T both = own + room(l);
          if (both > T(0)) row_[l] *= T(2) * own / both;
        } else if (balanced()) {
          const T all = excess(j, l);
          if (!(all > T(0))) continue;
          const T size = penalty_.lambda2 + (l > j ? share(j, l) : all - share(l, j));
          row_[l] = row_[l] > T(0) ? size : -size;
        }
      }
      row_[features_] = factor_ * from[features_];
      visit(j, row_);
    }
  }
  void restore() const {
    for (Index j = 0; j < features_ && balanced(); ++j)
      for (Index l = j + 1; l < features_; ++l) share(j, l) = row_of(g_, j, stride_)[l];
  }

 private:
  static constexpr T relaxation = T(0.8);  ///< a half makes two rows equal

  bool symmetric() const { return penalty_.hierarchy == Hierarchy::strong; }
  bool by_pairs() const { return symmetric() && penalty_.norm == HierarchyNorm::l1; }
  bool balanced() const { return symmetric() && !by_pairs(); }
  bool by_squares() const { return penalty_.norm == HierarchyNorm::l2; }
  /// How large the products of a row may be beside its main effect, for norm l1.
  T room(Index j) const { return largest(penalty_.lambda1 + penalty_.lambda2 - main(j), T(0)); }

  T of_pairs() const {
    const T both = T(0.5) / (penalty_.lambda1 + penalty_.lambda2);
    T worst = 0;
    for (Index j = 0; j < features_; ++j) {
      worst = largest(worst, main(j) / penalty_.lambda1);
      for (Index l = 0; l <= j; ++l) worst = largest(worst, both * (main(j) + main(l) + T(2) * entry(j, l)));
    }
    return worst;
  }

  T main(Index j) const { return absolute(factor_ * row_of(g_, j, stride_)[features_]); }
  T entry(Index j, Index l) const {
    return absolute(factor_ * (j < l ? row_of(g_, j, stride_)[l] : row_of(g_, l, stride_)[j]));
  }
  T excess(Index j, Index l) const { return T(2) * largest(entry(j, l) - penalty_.lambda2, T(0)); }
  /// What row j pays of the excess of the pair (j, l), j < l.
  T& share(Index j, Index l) const { return row_of(g_, l, stride_)[j]; }

  /// What one share of a row adds to its load; of l2 in units of λ₁².
  T added_load(T share) const { return by_squares() ? (share / penalty_.lambda1) * (share / penalty_.lambda1) : share; }
  T most_load() const { return by_squares() ? T(1) : penalty_.lambda1; }

  /// What is largest in one row alone is paid for by that row (but for l2), else as the multipliers say.
  void begin(const T* model, const T* multipliers, T weight) {
    for (Index j = 0; j < features_; ++j) load_[j] = added_load(main(j)) + added_load(T(0.5) * excess(j, j));
    T* const top = row_;
    for (Index j = 0; j < features_; ++j) {
      top[j] = T(0);
      for (Index l = 0; l <= features_; ++l) top[j] = largest(top[j], absolute(row_of(model, j, stride_)[l]));
    }
    for (Index j = 0; j < features_; ++j)
      for (Index l = j + 1; l < features_; ++l) {
        const T all = excess(j, l);
        const bool first = !by_squares() && absolute(row_of(model, j, stride_)[l]) == top[j];
        const bool second = !by_squares() && absolute(row_of(model, l, stride_)[j]) == top[l];
        const T added = T(0.5) * weight * (row_of(multipliers, j, stride_)[l] - row_of(multipliers, l, stride_)[j]);
        const T own = absolute(factor_ * row_of(g_, j, stride_)[l] + added) - penalty_.lambda2;
        const T part = first == second ? smallest(largest(own, T(0)), all) : first ? all : T(0);
        share(j, l) = part;
        load_[j] += added_load(part);
        load_[l] += added_load(all - part);
      }
  }
  /// Until no row pays too much, or sixteen sweeps have not taken a tenth of what one pays too much.
  void share_loads(int sweeps) {
    T before = infinity<T>;
    for (int round = 0; round < sweeps; ++round) {
      if (round % 16 == 0) {
        T most = 0;
        for (Index j = 0; j < features_; ++j) most = largest(most, load_[j]);
        if (most <= most_load() || !(most - most_load() < T(0.9) * before)) return;
        before = most - most_load();
      }
      for (Index j = 0; j < features_; ++j)
        for (Index l = j + 1; l < features_; ++l) {
          const T all = excess(j, l);
          if (!(all > T(0))) continue;
          const T part = share(j, l);
          const T step = by_squares() ? step_of_squares(j, l, part, all) : relaxation * (load_[l] - load_[j]);
          const T next = smallest(largest(part + step, T(0)), all);
          share(j, l) = next;
          load_[j] += added_load(next) - added_load(part);
          load_[l] += added_load(all - next) - added_load(all - part);
        }
    }
  }
  /// A Newton step on (load_j − 1)₊² + (load_l − 1)₊² in the share of row j.
  T step_of_squares(Index j, Index l, T part, T all) const {
    const T a = largest(load_[j] - T(1), T(0)), b = largest(load_[l] - T(1), T(0));
    if (!(a + b > T(0))) return T(0);
    const T p = part / penalty_.lambda1, q = (all - part) / penalty_.lambda1;
    const T curvature = a + b + T(2) * ((a > T(0) ? p * p : T(0)) + (b > T(0) ? q * q : T(0)));
    return penalty_.lambda1 * (b * q - a * p) / curvature;
  }

  const HierarchicalPenalty<T>& penalty_;
  Index features_;
  Index stride_;
  T* g_;
  T factor_;
  T* load_;
  T* row_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
