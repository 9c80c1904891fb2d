#pragma once
/// The face of a hierarchical penalty on which coefficients lie, and the directions along it.

#include "../linalg/rows.hpp"
#include "hierarchical.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Ω is linear where no coefficient changes sign and where what is equal (a main effect and the norm of its products,
/// the largest of a row) stays so. This finds that face for one matrix of coefficients, features × (features + 1), and
/// lists the directions that span it, each with the slope of Ω: entries (row, column, factor), columns as in
/// HierarchicalPenalty.
///
/// strong: the matrix need not be quite symmetric, the face is that of symmetric matrices with the products that both
/// its rows keep. Memory: two entries per feature. Cost of a visit: features².
template <class T>
class HierarchicalFace {
 public:
  /// `level` and `root` hold an entry per feature; `step` is that of the proximity operator that gave `z`.
  HierarchicalFace(const HierarchicalPenalty<T>& penalty, Index features, Index stride, const T* z, T step, T* level,
                   Index* root)
      : penalty_(penalty), features_(features), stride_(stride), z_(z), level_(level), root_(root) {
    for (Index j = 0; j < features_; ++j) {
      T sum = 0, top = 0;
      for (Index l = 0; l < features_ && products(); ++l) {
        sum += absolute(at(j, l));
        top = largest(top, absolute(at(j, l)));
      }
      const T main = absolute(at(j, features_));
      root_[j] = j;
      if (!tied()) {
        level_[j] = main > T(0) ? T(1) : T(0);
      } else if (flat()) {
        level_[j] = largest(top, main);
      } else {
        const T rounding = T(256) * epsilon<T> * (sum + main + step * penalty_.lambda1);
        level_[j] = sum + main == T(0)                 ? state_zero
                    : absolute(sum - main) <= rounding ? state_equal
                    : main > sum                       ? state_main
                                                       : state_products;
      }
    }
    if (flat() && symmetric())
      for (Index j = 0; j < features_; ++j)
        for (Index l = 0; l < j; ++l)
          if (has(j, l) && is_top(j, l) && is_top(l, j)) {
            const Index a = find(j), b = find(l);
            root_[largest(a, b)] = smallest(a, b);
          }
  }

  /// For each direction: entry(row, column, factor) for what it moves, then end(slope).
  template <class Entry, class End>
  void visit(Entry entry, End end) const {
    if (flat()) visit_flat(entry, end);
    else visit_steep(entry, end);
  }

  /// out ← the point of the face that is near z.
  void project(T* out) const {
    fill(out, std::size_t(features_) * stride_, T(0));
    for (Index j = 0; j < features_; ++j) {
      T* row = row_of(out, j, stride_);
      T sum = 0;
      for (Index l = 0; l < features_ && products(); ++l) {
        if (!has(j, l)) continue;
        row[l] = symmetric() ? T(0.5) * (at(j, l) + at(l, j)) : at(j, l);
        sum += absolute(row[l]);
      }
      row[features_] = at(j, features_);
      if (tied() && !flat() && level_[j] == state_equal) row[features_] = sign(at(j, features_)) * sum;
    }
    if (!flat()) return;
    for (Index r = 0; r < features_; ++r) {
      if (find(r) != r || level_[r] == T(0)) continue;
      T sum = 0;
      Index count = 0;
      for (Index j = r; j < features_; ++j)
        if (find(j) == r) {
          sum += level_[j];
          ++count;
        }
      const T level = sum / T(count);
      for (Index j = r; j < features_; ++j) {
        if (find(j) != r) continue;
        for (Index l = 0; l <= features_; ++l)
          if (l == features_ ? is_top(j, l) : has(j, l) && is_top(j, l)) {
            row_of(out, j, stride_)[l] = sign(at(j, l)) * level;
            if (symmetric() && l < features_) row_of(out, l, stride_)[j] = sign(at(j, l)) * level;
          }
      }
    }
  }

  /// out, a point in the directions of the face → what of it is on this side: zero where a sign would change, equal
  /// where one would pass the other. False: nothing had to. `spare` holds an entry per feature.
  bool pull(T* out, T* spare) const {
    bool pulled = false;
    for (Index j = 0; j < features_; ++j) {
      T* row = row_of(out, j, stride_);
      T sum = 0;
      for (Index l = 0; l < features_; ++l) {
        pulled |= stop_at(row[l], row[l] * at(j, l) < T(0), T(0));
        sum += absolute(row[l]);
      }
      T& main = row[features_];
      const T side = sign(at(j, features_));
      if (flat()) {
        spare[j] = infinity<T>;
        pulled |= stop_at(main, is_top(j, features_) && main * side < T(0), T(0));
        for (Index l = 0; l <= features_; ++l)
          if (is_top(j, l) && (l == features_ || has(j, l))) spare[j] = absolute(row[l]);
      } else if (level_[j] == state_main) {
        pulled |= stop_at(main, main * side < T(0), T(0));
        if (tied()) pulled |= stop_at(main, absolute(main) < sum, side * sum);
      } else if (tied() && level_[j] == state_equal) {
        main = side * sum;
      } else if (tied()) {
        pulled |= stop_at(main, absolute(main) > sum, main > T(0) ? sum : -sum);
      }
    }
    while (flat() && symmetric() && lower(spare)) {
    }
    for (Index j = 0; j < features_ && flat(); ++j)
      for (Index l = 0; l <= features_; ++l) {
        T& entry = row_of(out, j, stride_)[l];
        const T most = symmetric() && l < features_ ? smallest(spare[j], spare[l]) : spare[j];
        pulled |= stop_at(entry, absolute(entry) > most, entry > T(0) ? most : -most);
      }
    return pulled;
  }

 private:
  /// A row whose largest stands in another row too is no larger than that.
  bool lower(T* levels) const {
    bool lowered = false;
    for (Index j = 0; j < features_; ++j)
      for (Index l = 0; l < features_; ++l)
        if (is_top(j, l) && has(j, l)) lowered |= stop_at(levels[j], levels[l] < levels[j], levels[l]);
    return lowered;
  }
  static bool stop_at(T& entry, bool beyond, T stop) {
    if (beyond) entry = stop;
    return beyond;
  }
  static constexpr T state_zero = T(0), state_main = T(1), state_equal = T(2), state_products = T(3);

  bool symmetric() const { return penalty_.hierarchy == Hierarchy::strong; }
  bool products() const { return penalty_.hierarchy != Hierarchy::main; }
  bool tied() const { return penalty_.hierarchy == Hierarchy::weak || symmetric(); }
  bool flat() const { return tied() && penalty_.norm == HierarchyNorm::linf; }
  T at(Index j, Index l) const { return row_of(z_, j, stride_)[l]; }
  static T sign(T x) { return x > T(0) ? T(1) : x < T(0) ? T(-1) : T(0); }
  bool has(Index j, Index l) const { return symmetric() ? at(j, l) * at(l, j) > T(0) : at(j, l) != T(0); }
  bool is_top(Index j, Index l) const { return level_[j] > T(0) && absolute(at(j, l)) == level_[j]; }
  Index find(Index j) const {
    while (root_[j] != j) j = root_[j];
    return j;
  }

  template <class Entry, class End>
  void visit_steep(Entry entry, End end) const {
    const T lambda1 = penalty_.lambda1, lambda2 = penalty_.lambda2;
    const auto costs_main = [&](Index j) { return tied() && level_[j] >= state_equal; };
    for (Index j = 0; j < features_; ++j) {
      const T main = at(j, features_);
      if (level_[j] != state_zero && !(tied() && level_[j] == state_equal)) {
        entry(j, features_, T(1));
        end(level_[j] == state_main ? lambda1 * sign(main) : T(0));
      }
      for (Index l = symmetric() ? j : 0; l < features_ && products(); ++l) {
        if (!has(j, l)) continue;
        const T side = sign(at(j, l));
        T slope = 0;
        const auto side_of = [&](Index row, Index other) {
          entry(row, other, T(1));
          slope += lambda2;
          if (costs_main(row)) slope += lambda1;
          if (tied() && level_[row] == state_equal) entry(row, features_, side * sign(at(row, features_)));
        };
        side_of(j, l);
        if (symmetric() && l != j) side_of(l, j);
        end(side * slope);
      }
    }
  }

  template <class Entry, class End>
  void visit_flat(Entry entry, End end) const {
    const T lambda1 = penalty_.lambda1, lambda2 = penalty_.lambda2;
    for (Index r = 0; r < features_; ++r) {
      if (level_[r] == T(0)) continue;
      if (find(r) == r) {  // what is largest in the rows that are tied to this one
        T slope = 0;
        bool any = false;
        for (Index j = r; j < features_; ++j) {
          if (find(j) != r) continue;
          slope += lambda1;
          any = any || is_top(j, features_);
          for (Index l = 0; l < features_; ++l) {
            if (!has(j, l) || !is_top(j, l)) continue;
            any = true;
            entry(j, l, sign(at(j, l)));
            slope += lambda2;
            if (symmetric() && l != j && !is_top(l, j)) {
              entry(l, j, sign(at(j, l)));
              slope += lambda2;
            }
          }
          if (is_top(j, features_)) entry(j, features_, sign(at(j, features_)));
        }
        if (any) end(slope);
      }
      if (!is_top(r, features_)) {
        entry(r, features_, T(1));
        end(T(0));
      }
      for (Index l = symmetric() ? r : 0; l < features_; ++l) {
        if (!has(r, l) || is_top(r, l) || (symmetric() && is_top(l, r))) continue;
        const bool both = symmetric() && l != r;
        entry(r, l, T(1));
        if (both) entry(l, r, T(1));
        end(sign(at(r, l)) * lambda2 * (both ? T(2) : T(1)));
      }
    }
  }

  const HierarchicalPenalty<T>& penalty_;
  Index features_;
  Index stride_;
  const T* z_;
  T* level_;  ///< of norm linf the largest of a row, else its state
  Index* root_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
