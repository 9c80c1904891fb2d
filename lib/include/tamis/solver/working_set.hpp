#pragma once
/// The features that a solver works on, whole groups of the penalty at a time.

#include "linear_problem.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The active features, in a list, and what is done to rows of coefficients over them. The second layer of Workbench.
template <class T, class Loss, class Penalty, class Design>
class WorkingSet : public LinearProblem<T, Loss, Penalty, Design> {
  using Base = LinearProblem<T, Loss, Penalty, Design>;

 protected:
  using Base::active_count_, Base::dual_entries, Base::has_zeros, Base::memory_, Base::options_, Base::penalty_,
      Base::shape_, Base::stride_, Base::together_;
  using Base::Base;

  /// Visits each group of the features of the list (all when null) as (FeatureGroup).
  template <class Visit>
  void for_each_listed_group(const Index* list, Index count, Visit visit) const {
    if constexpr (TAMIS_IS_MODULE && groups_features)  // the way through them is there once
      return walk_groups(
          list, count, [](void* context, const FeatureGroup& group) { (*static_cast<Visit*>(context))(group); },
          &visit);
    Index number = 0;
    for (Index c = 0; c < count; ++number) {
      const FeatureGroup group = group_at(list, count, c, number);
      visit(group);
      c += group.count;
    }
  }
  [[gnu::noinline]] void walk_groups(const Index* list, Index count, void (*visit)(void*, const FeatureGroup&),
                                     void* context) const {
    Index number = 0;
    for (Index c = 0; c < count; ++number) {
      const FeatureGroup group = group_at(list, count, c, number);
      visit(context, group);
      c += group.count;
    }
  }
  template <class Visit>
  void for_each_active_group(Visit visit) const {
    if (!memory_.list) __builtin_unreachable();  // or the compiler looks
    for_each_listed_group(memory_.list, active_count_, visit);
  }
  Rows<T> rows(T* matrix, FeatureGroup group) const { return rows_of(matrix, group, shape_.classes, stride_); }
  Rows<const T> rows(const T* matrix, FeatureGroup group) const {
    return rows_of(matrix, group, shape_.classes, stride_);
  }

  Index active_rows() const { return active_count_ + (options_.intercept ? 1 : 0); }
  template <class Visit>
  void for_each_active_row(Visit visit) const {
    const Index* const list = memory_.list;
    const Index count = active_rows();
    for (Index c = 0; c < count; ++c) visit(list[c]);
  }

  /// to ← from + αx over the active rows of coefficients.
  void add_rows(const T* from, T alpha, const T* x, T* to) const {
    if (profile.tiles && active_count_ == shape_.features)
      return add_scaled_row(from, alpha, x, std::size_t(active_rows()) * stride_, to);
    for_each_active_row([&](Index j) {
      const std::size_t at = std::size_t(j) * stride_;
      add_scaled_row(from + at, alpha, x + at, stride_, to + at);
    });
  }

  // ---- the metric of the coefficients: ‖W‖² = Σⱼ sⱼ²‖Wⱼ‖², sⱼ a power of two near the size of column j beside others,
  // the same in a group of the penalty; that of intercepts is 1. Steps in it are those on columns of about one size.

  T scale_of(Index j) const { return power_of_two<T>(memory_.exponents[j]); }
  /// α/sⱼ², in the middle of a group at any feature of it.
  [[gnu::noinline]] T step_of(Index j, T alpha) const { return alpha * power_of_two<T>(-2 * memory_.exponents[j]); }
  /// v ← αv over the active rows, `in_metric` v ← αS⁻²v.
  [[gnu::noinline]] void scale_rows(T* v, T alpha, bool in_metric) const {
    for_each_active_row(
        [&](Index j) { scale_row(row_of(v, j, stride_), stride_, in_metric ? step_of(j, alpha) : alpha); });
  }
  /// v ← S⁻²v over the active rows: the gradient in the metric.
  void precondition(T* v) const {
    if (is_scaled_) scale_rows(v, T(1), true);
  }
  /// w ← the penalty's proximity operator of w, group by group.
  void prox(T* w, T threshold) const {
    const bool scaled = is_scaled_;
    for_each_active_group([&](FeatureGroup group) {
      penalty_.prox(rows(w, group), scaled ? step_of(group.first, threshold) : threshold);
    });
  }
  /// ‖A − B‖² over the active rows of coefficients; without B, ‖A‖².
  [[gnu::noinline]] T squared_distance_of_rows(const T* a, const T* b) const {
    auto total = Simd<T>::zero();
    for_each_active_row([&](Index j) {
      add_squared_distance(row_of(a, j, stride_), b ? row_of(b, j, stride_) : b, stride_, total, scale_of(j));
    });
    return total.sum();
  }
  /// The same over all duals.
  [[gnu::noinline]] T squared_distance_of_duals(const T* a, const T* b) const {
    auto total = Simd<T>::zero();
    add_squared_distance(a, b, dual_entries(), total);
    return total.sum();
  }

  bool is_zero(const T* row) const {
    for (Index k = 0; k < shape_.classes; ++k)
      if (row[k] != T(0)) return false;
    return true;
  }
  /// Ω of the active rows of w.
  T penalty_value(const T* w) const {
    Sum<T> total;
    for_each_active_group([&](FeatureGroup group) {
      if constexpr (profile.passes_over && HasDualNorm<Penalty, T>)  // most rows are zero, where norms are
        if (group.count == 1 && is_zero(row_of(w, group.first, stride_))) return;
      total.add(penalty_.value(rows(w, group)));
    });
    return total.value();
  }

  // ---- which features are active

  /// Whether groups of the penalty may have several features.
  static constexpr bool groups_features = HasGrouping<Penalty> || requires(const Penalty penalty) {
    penalty.features_together();
  };

  Index group_rows(Index first) const {
    if constexpr (groups_features) return smallest(together_, shape_.features - first);
    else return 1;
  }

  /// The features in the order of their groups when those are listed, null otherwise.
  const Index* group_order() const {
    if constexpr (HasGrouping<Penalty>) return penalty_.grouping().order;
    else return nullptr;
  }

  /// The group that begins at position c of the list; it has that number among all features.
  FeatureGroup group_at(const Index* list, Index count, Index c, Index number) const {
    if constexpr (HasGrouping<Penalty>)
      if (group_order()) return listed_group_at(list, count, c, number);
    const Index first = list ? list[c] : c;
    return {first, group_rows(first)};
  }
  [[gnu::noinline]] FeatureGroup listed_group_at(const Index* list, Index count, Index c, Index number) const {
    if constexpr (HasGrouping<Penalty>) {
      if (!list) {
        const Groups groups = penalty_.grouping();
        const Index start = groups.starts[number];
        return {groups.order[start], groups.starts[number + 1] - start, groups.order + start};
      }
    }
    Index end = c + 1;
    while (end < count && memory_.active[list[end]] != first_of_group) ++end;
    return {list[c], end - c, list + c};
  }

  void activate(FeatureGroup group) {
    for (Index r = 0; r < group.count; ++r) memory_.active[group.feature(r)] = 1;
    if (group.members) memory_.active[group.first] = first_of_group;
  }

  void set_active(bool active) {
    for (Index j = 0; j < shape_.features; ++j) memory_.active[j] = 0;
    if (active) for_each_listed_group(nullptr, shape_.features, [&](FeatureGroup group) { activate(group); });
    list_active();
  }

  [[gnu::noinline]] void list_active() {
    const Index* order = group_order();
    active_count_ = 0;
    for (Index i = 0; i < shape_.features; ++i) {
      const Index j = order ? order[i] : i;
      if (memory_.active[j]) memory_.list[active_count_++] = j;
    }
    memory_.list[active_count_] = shape_.features;
  }

  /// Adds the inactive groups whose score exceeds `low`, the largest first, about `wanted` features. False: there are
  /// none.
  [[gnu::noinline]] bool activate_best(Index wanted, T low) {
    T high = gauge_;
    if (above(low, false) > wanted) {
      for (int halving = 0; halving < 30; ++halving) {
        const T middle = low + (high - low) * T(0.5);
        (above(middle, false) >= wanted ? low : high) = middle;
      }
    }
    if (above(low, true) == 0) return false;
    list_active();
    return true;
  }
  /// Number of features in inactive groups whose score exceeds the level; makes them active on demand.
  [[gnu::noinline]] Index above(T level, bool become_active) {
    Index count = 0;
    for_each_listed_group(nullptr, shape_.features, [&](FeatureGroup group) {
      if (memory_.active[group.first] || !(memory_.score[group.first] > level)) return;
      count += group.count;
      if (become_active) activate(group);
    });
    return count;
  }

  bool widen(T threshold) { return activate_best(largest(active_count_ / 2, smallest_working_set), threshold); }

  void activate_all() { set_active(true); }
  void deactivate_all() { set_active(false); }

  /// Makes the most promising features active for the first time. Penalties without a dual norm keep all.
  void choose_features() { choose_features(options_.lambda); }
  void choose_features(T threshold) {
    if (!options_.working_sets || !has_zeros() || shape_.features <= smallest_working_set) return;
    deactivate_all();
    activate_best(smallest_working_set, threshold);
  }

  /// Leaves out active features without coefficients in x whose groups have no score above λ.
  [[gnu::noinline]] void release_features(const T* x) {
    if (!has_zeros() || !options_.working_sets) return;
    for_each_active_group([&](FeatureGroup group) {
      if (memory_.score[group.first] > options_.lambda) return;
      for (Index r = 0; r < group.count; ++r)
        for (Index k = 0; k < shape_.classes; ++k)
          if (row_of(x, group.feature(r), stride_)[k] != T(0)) return;
      for (Index r = 0; r < group.count; ++r) memory_.active[group.feature(r)] = 0;
    });
    list_active();
  }

  bool is_scaled_ = false;  ///< whether a scale is not 1
  T gauge_;                 ///< dual norm of the gradient at the last certificate: the largest score

  static constexpr Index smallest_working_set = 64;
  static constexpr std::uint8_t first_of_group = 2;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
