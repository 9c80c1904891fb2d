#pragma once
/// The problem that Newton's method works on where the zeros of W stay zero.

#include "../concepts.hpp"
#include "../design/column_passes.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// The group that begins with that feature of a support; listed ones are looked for from `number` on.
[[gnu::noinline]] inline FeatureGroup group_from(const Groups& groups, Index features, Index first, Index& number) {
  if (!groups.is_listed) return {first, smallest(groups.features_together(), features - first)};
  while (groups.order[groups.starts[number]] != first) ++number;
  const Index start = groups.starts[number++];
  return {first, groups.starts[number] - start, groups.order + start};
}

/// Entries of a largest-entry norm that would grow past those that were at its level join them; whether there were
/// any.
template <class T>
bool keep_below_level(T level, const Rows<const T>& from, const Rows<T>& to) {
  if (!(level > T(0))) return false;
  T next = 0;
  for (Index r = 0; r < from.rows; ++r) {
    const T *before = from.row(r), *after = to.row(r);
    for (Index k = 0; k < from.classes; ++k)
      if (absolute(before[k]) >= level) next = largest(next, absolute(after[k]));
  }
  bool any = false;
  for (Index r = 0; r < from.rows; ++r) {
    T* after = to.row(r);
    for (Index k = 0; k < from.classes; ++k)
      if (absolute(after[k]) > next) {
        after[k] = sign(after[k]) * next;
        any = true;
      }
  }
  return any;
}

}  // namespace detail

/// What a step works on: the problem, the caller's matrices, the support of W, and the penalty on it, where it is
/// smooth (see HasManifold).
template <class T, class Design, class Loss, class Penalty>
struct SupportProblem {
  const Design& design;
  const Targets<T>& targets;
  const Loss& loss;
  const Penalty& penalty;
  Shape shape;
  T lambda;
  T value;       ///< of the objective at w
  T forcing;     ///< how far down conjugate gradients take the residual
  bool is_near;  ///< to the optimum: groups that would turn round are to be zero
  bool intercept;
  T* w;  ///< coefficients, the last row being intercepts
  T* g;  ///< scratch of the same size, like d
  T* d;
  T*& z;  ///< scores of w; samples × stride, like the scratch u and h
  T* u;
  T*& h;
  T* omega;  ///< scratch of an entry per sample
  Index stride;
  const Index* candidates;  ///< features of the groups that may have coefficients, group after group
  Index candidate_count;
  const Index* support = nullptr;  ///< features of the groups that are not zero, group after group
  Index size = 0;                  ///< how many

  /// Lists the features of the groups that are not zero.
  void find_support(Index* list) {
    support = candidates;
    size = candidate_count;
    Index found = 0;
    for_each_group([&](FeatureGroup group) {
      bool any = false;
      for (Index r = 0; r < group.count; ++r)
        for (Index k = 0; k < stride; ++k) any = any || row_of(w, group.feature(r), stride)[k] != T(0);
      if (any)
        for (Index r = 0; r < group.count; ++r) list[found++] = group.feature(r);
    });
    support = list;
    size = found;
  }

  /// Row number c of the support; after it that of the intercepts.
  Index row_at(Index c) const { return c < size ? support[c] : shape.features; }
  /// Visits each row of the support, that of the intercepts last.
  template <class Visit>
  void for_each_row(Visit visit) const {
    visit_rows([](void* context, Index j) { (*static_cast<Visit*>(context))(j); }, &visit);
  }
  /// Visits the groups of the support. What visits them is behind a pointer, so that the way through them is there
  /// once.
  template <class Visit>
  void for_each_group(Visit visit) const {
    visit_groups([](void* context, const FeatureGroup& group) { (*static_cast<Visit*>(context))(group); }, &visit);
  }
  template <class M>
  Rows<M> rows(M* matrix, FeatureGroup group) const {
    return rows_of(matrix, group, shape.classes, stride);
  }

  /// Sets to zero what must not move, and makes equal what must move together.
  void keep_on_manifold(FeatureGroup group, T* matrix) const {
    const Rows<const T> here = rows<const T>(w, group);
    const Rows<T> v = rows(matrix, group);
    for (Index r = 0; r < group.count; ++r) {
      const T* from = here.row(r);
      T* to = v.row(r);
      for (Index k = 0; k < shape.classes; ++k)
        if (from[k] == T(0)) to[k] = T(0);
    }
    if constexpr (HasScalarJacobian<Penalty>) return;
    penalty.prox_jacobian(here, T(1), [&](const ProxJacobian<T>& part) {
      const T level = part.slope.level;
      if (!(level > T(0))) return;
      const Rows<const T> top = part.entries(here);
      const Rows<T> moved = part.entries(v);
      T sum = 0, count = 0, mean = 0;
      for (int pass = 0; pass < 2; ++pass, mean = sum / count)
        for (Index r = 0; r < top.rows; ++r) {
          const T* from = top.row(r);
          T* to = moved.row(r);
          for (Index k = 0; k < top.classes; ++k) {
            if (!(absolute(from[k]) >= level)) continue;
            if (pass > 0) to[k] = sign(from[k]) * mean;
            sum += sign(from[k]) * to[k];
            ++count;
          }
        }
    });
  }

  /// out += λΩ″ v.
  void add_penalty_curvature(FeatureGroup group, const T* from, T* to) const {
    const Rows<const T> here = rows<const T>(w, group), v = rows<const T>(from, group);
    const Rows<T> out = rows(to, group);
    penalty.prox_jacobian(here, T(1), [&](const ProxJacobian<T>& part) {
      const T across = curvature_of(part.slope.scale), along = curvature_of(part.slope.along);
      if (part.slope.level > T(0) || (across == T(0) && along == T(0))) return;
      const Rows<const T> at = part.entries(here), in = part.entries(v);
      const Rows<T> sum = part.entries(out);
      T inner = 0, square = 0;
      if (along != across)
        for (Index r = 0; r < at.rows; ++r) {
          const T *a = at.row(r), *b = in.row(r);
          for (Index k = 0; k < at.classes; ++k) {
            inner += a[k] * b[k];
            square += a[k] * a[k];
          }
        }
      const T part_along = square > T(0) ? (along - across) * (inner / square) : T(0);
      for (Index r = 0; r < at.rows; ++r) {
        const T *a = at.row(r), *b = in.row(r);
        T* total = sum.row(r);
        for (Index k = 0; k < at.classes; ++k) total[k] += across * b[k] + part_along * a[k];
      }
    });
  }
  /// λΩ″ in a direction whose slope of the proximity operator of step 1 is slope².
  T curvature_of(T slope) const { return slope < T(1) ? lambda * (T(1) / (slope * slope) - T(1)) : T(0); }

  /// λΩ″ of a group across its direction, the largest of its parts; 0 where the penalty is flat.
  T penalty_curvature(FeatureGroup group) const {
    T most = 0;
    const Rows<const T> here = rows<const T>(w, group);
    penalty.prox_jacobian(here, T(1), [&](const ProxJacobian<T>& part) {
      if (!(part.slope.level > T(0))) most = largest(most, curvature_of(part.slope.scale));
    });
    return most;
  }

  /// Whether the penalty is of Euclidean norms of features' coefficients in all classes.
  bool goes_by_sizes() const {
    return !penalty.keeps_signs() && groups_of(penalty).block == 0 &&
           (HasScalarJacobian<Penalty> || penalty_curvature({support[0], 1}) > T(0));
  }
  /// out += ŵŵᵀv over the loss's own curvature along w, by the diagonal of its Hessian, where a norm is curved much
  /// more than that across w; along w it is not curved at all. Nothing for penalties that are curved everywhere.
  void add_along(FeatureGroup group, const T* v, const T* diagonal, T* out) const {
    if constexpr (HasScalarJacobian<Penalty>) return;
    T inner = 0, square = 0, own = 0;
    for (Index r = 0; r < group.count; ++r) {
      const std::size_t at = std::size_t(group.feature(r)) * stride;
      const T of_row = diagonal[group.feature(r)];
      for (Index k = 0; k < stride; ++k) {
        inner += w[at + k] * v[at + k];
        const T entry = w[at + k] * w[at + k];
        square += entry;
        own += of_row * entry;
      }
    }
    if (own == T(0) || dual_kind<T>(penalty) != DualKind::norm || !(penalty_curvature(group) * square > T(8) * own))
      return;
    for (Index r = 0; r < group.count; ++r) {
      const std::size_t at = std::size_t(group.feature(r)) * stride;
      add_scaled_row(static_cast<const T*>(out + at), inner / own, static_cast<const T*>(w + at), stride, out + at);
    }
  }
  /// Makes zero what has turned round from w to `candidate`; see detail::keep_below_level. Whether there was any.
  [[gnu::noinline]] bool stop_at_kinks(FeatureGroup group, T* candidate) const {
    const Rows<const T> here = rows<const T>(w, group);
    const Rows<T> next = rows(candidate, group);
    bool any = false;
    if (penalty.keeps_signs())
      for (Index r = 0; r < group.count; ++r) {
        const T* before = here.row(r);
        T* after = next.row(r);
        for (Index k = 0; k < shape.classes; ++k)
          if (before[k] * after[k] < T(0)) {
            after[k] = T(0);
            any = true;
          }
      }
    if constexpr (HasScalarJacobian<Penalty>) return any;
    penalty.prox_jacobian(here, T(1), [&](const ProxJacobian<T>& part) {
      const bool norm = part.slope.level > T(0) || (part.slope.scale < T(1) && part.slope.along == T(1));
      if (!norm) return;
      const Rows<const T> from = part.entries(here);
      const Rows<T> to = part.entries(next);
      T inner = 0;
      for (Index r = 0; r < from.rows; ++r) {
        const T *before = from.row(r), *after = to.row(r);
        for (Index k = 0; k < from.classes; ++k) inner += before[k] * after[k];
      }
      if (inner > T(0)) {
        any = detail::keep_below_level(part.slope.level, from, to) || any;
        return;
      }
      any = true;
      for (Index r = 0; r < from.rows; ++r) fill(to.row(r), from.classes, T(0));
    });
    return any;
  }
  /// The same in the scores too. `spare` is a matrix like `candidate`.
  void cut(FeatureGroup group, T* candidate, T* spare, T* scores) const {
    for (Index r = 0; r < group.count; ++r)
      copy(static_cast<const T*>(row_of(candidate, group.feature(r), stride)), stride,
           row_of(spare, group.feature(r), stride));
    if (!stop_at_kinks(group, candidate)) return;
    for (Index r = 0; r < group.count; ++r) {
      const Index j = group.feature(r);
      T* correction = row_of(spare, j, stride);
      const T* row = row_of(candidate, j, stride);
      for (Index k = 0; k < stride; ++k) correction[k] = row[k] - correction[k];
      add_column(design.column(j), static_cast<const T*>(correction), stride, scores);
    }
  }

 private:
  [[gnu::noinline]] void visit_rows(void (*visit)(void*, Index), void* context) const {
    for (Index c = 0; c < size + Index(intercept); ++c) visit(context, row_at(c));
  }
  [[gnu::noinline]] void visit_groups(void (*visit)(void*, const FeatureGroup&), void* context) const {
    const Groups groups = groups_of(penalty);
    Index number = 0;
    for (Index c = 0; c < size;) {
      const FeatureGroup group = detail::group_from(groups, shape.features, support[c], number);
      visit(context, group);
      c += group.count;
    }
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
