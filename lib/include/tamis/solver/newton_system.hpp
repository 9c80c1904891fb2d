#pragma once
/// The linear systems of the semismooth Newton phase, assembled and factored in caller memory.

#include "../linalg/cholesky.hpp"
#include "../linalg/rows.hpp"
#include "../penalty/prox_jacobian.hpp"
#include "newton_memory.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The system  (I/τ + QᵀAᵀBAQ) δ = Qᵀg  over the nonzero coefficients and the intercepts, with U = QQᵀ the Jacobian of
/// the penalty's proximity operator (see ProxJacobian) and B, sample by sample, bI + diag(ρ) − ρρᵀ/Σρ, where ρ is not
/// zero at a few classes.
///
/// The nonzero coefficients are numbered class by class ('coordinates'). The part b·AᵀA needs only the Gram matrix of
/// the features that occur ('slots'), which is kept from one system to the next; the rest only the samples with two
/// such classes or more. Q acts afterwards, group by group, on rows and columns.
///
/// Memory: 2 capacity² + (chunk + 6) capacity numbers, 5 capacity + features + 2 classes indices.
/// Without `grouped`, every part of the Jacobian is the identity on what is not zero, so that Q is too.
///
/// Cost: capacity³/3 for the factor, Σ over those samples of (coordinates in those classes)².
template <class T, bool grouped = true>
class NewtonSystem {
 public:
  static constexpr Index chunk = NewtonMemory<T, grouped>::chunk;
  static constexpr Index none = ~Index(0);

  using Memory = NewtonMemory<T, grouped>;

  /// What the system is about, fixed while the samples, the active features and the intercept scale are.
  template <class Design>
  struct Problem {
    const Design& design;
    const T* means;
    const std::int8_t* exponents;  ///< of the features and the intercept: see WorkingSet::scale_of
    T intercept_scale;  ///< zero without intercepts
    Shape shape;
    Index stride;
  };

  /// Room for systems of at most that many coefficients and intercepts.
  constexpr void take(Arena& arena, Shape shape, Index capacity) { m_.take(arena, shape, capacity); }

  Index capacity() const { return m_.capacity; }
  Index coordinates() const { return count_; }
  Index size() const { return size_; }

  /// Forgets the Gram matrix: another intercept scale, or a first use.
  void forget(Shape shape) {
    fill(m_.feature_slot, std::size_t(shape.features) + 1, none);
    slots_ = 0;
  }

  /// Numbers the nonzero coefficients of w. `for_each_group(visit)` calls visit(w of the group, its ProxJacobian) for
  /// every active group. False when there are more than the capacity: the system cannot be formed.
  template <class Design, class ForEachGroup>
  TAMIS_CALLED_ONCE bool collect(const Problem<Design>& problem, ForEachGroup for_each_group) {
    const Index classes = problem.shape.classes;
    const bool intercept = problem.intercept_scale > T(0);
    fill(m_.class_begin, std::size_t(classes) + 1, Index(0));
    for_each_group([&](Rows<const T> w, const ProxJacobian<T>& group) {
      for_each_nonzero(w, group, [&](Index, Index k, T) { ++m_.class_begin[k + 1]; });
    });
    for (Index k = 0; k < classes; ++k) m_.class_begin[k + 1] += m_.class_begin[k] + intercept;
    count_ = m_.class_begin[classes];
    if (count_ == 0 || count_ > m_.capacity) return false;

    // class_begin[k] serves as the next free number of class k, and is put back afterwards.
    const auto place = [&](Index feature, Index k) {
      const Index c = m_.class_begin[k]++;
      m_.coordinate_feature[c] = feature;
      return c;
    };
    if (intercept)
      for (Index k = 0; k < classes; ++k) place(problem.shape.features, k);
    if constexpr (grouped) m_.groups = m_.members = 0;
    for_each_group([&](Rows<const T> w, const ProxJacobian<T>& group) {
      if constexpr (grouped) number(w, group, place);
      else for_each_nonzero(w, group, [&](Index r, Index k, T) { place(w.feature(r), k); });
    });
    if constexpr (grouped) m_.group_begin[m_.groups] = m_.members;
    Index begin = 0;
    for (Index k = 0; k <= classes; ++k) {
      const Index end = m_.class_begin[k];
      m_.class_begin[k] = begin;
      begin = end;
    }
    return true;
  }

  /// Adds the features that occur to the Gram matrix. `columns` is scratch of samples × stride, `products` of a
  /// coefficient matrix. False when more features occur than the capacity.
  template <class Design>
  [[gnu::noinline]] bool update_gram(const Problem<Design>& problem, T* columns, T* products) {
    if (!assign_slots()) {
      forget(problem.shape);
      if (!assign_slots()) return false;
    }
    const Shape shape = problem.shape;
    while (known_ < slots_) {
      const Index batch = smallest(problem.stride, slots_ - known_);
      fill(columns, static_cast<std::size_t>(shape.samples) * problem.stride, T(0));
      for (Index c = 0; c < batch; ++c) {
        const Index feature = m_.slot_feature[known_ + c];
        if (feature == shape.features) continue;
        gather_centred(problem, feature, nullptr, shape.samples, columns + c, problem.stride);
      }
      // The intercept's column takes no part in the product.
      Index skipped = 0;
      while (skipped < known_ + batch && m_.slot_feature[skipped] == shape.features) ++skipped;
      problem.design.transposed_multiply(m_.slot_feature + skipped, known_ + batch - skipped, columns, problem.stride,
                                         products);
      for (Index c = 0; c < batch; ++c) {
        const bool own = m_.slot_feature[known_ + c] == shape.features;
        T sum = 0;  // of the centred column, over these samples
        for (Index i = 0; i < shape.samples; ++i) sum += row_of(columns, i, problem.stride)[c];
        for (Index s = 0; s < known_ + batch; ++s) {
          const Index feature = m_.slot_feature[s];
          T entry = T(0);
          if (feature != shape.features) {
            if (own) continue;  // the entry is the other one's
            entry = row_of(products, feature, problem.stride)[c] - problem.means[feature] * sum;
          } else if (own) {
            entry = problem.intercept_scale * problem.intercept_scale * T(shape.samples);
          } else {
            entry = problem.intercept_scale * sum;
          }
          gram(known_ + c, s) = gram(s, known_ + c) = entry;
        }
      }
      known_ += batch;
    }
    for (Index c = 0; c < count_; ++c) m_.coordinate_slot[c] = m_.feature_slot[m_.coordinate_feature[c]];
    return true;
  }

  /// Forms the system. weight(i, k) is ρ_k of sample i.
  template <class Design, class Weight>
  TAMIS_CALLED_ONCE NewtonSystem& form(const Problem<Design>& problem, T inverse_tau, T b, Weight weight) {
    const Index classes = problem.shape.classes;
    for (Index k = 0; k < classes; ++k)
      for (Index c = m_.class_begin[k]; c < m_.class_begin[k + 1]; ++c) {
        T* row = matrix_row(c);
        fill(row, m_.class_begin[k], T(0));
        const T* products = m_.gram + static_cast<std::size_t>(m_.coordinate_slot[c]) * m_.capacity;
        for (Index d = m_.class_begin[k]; d <= c; ++d) row[d] = b * products[m_.coordinate_slot[d]];
      }
    Index listed = 0;
    for (Index i = 0; i < problem.shape.samples; ++i) {
      Index size = 0;
      for (Index k = 0; k < classes; ++k) size += weight(i, k) > T(0);
      if (size >= 2) m_.sample_list[listed++] = i;
      if (listed == chunk || (listed > 0 && i + 1 == problem.shape.samples)) {
        add_samples(problem, listed, weight);
        listed = 0;
      }
    }
    size_ = count_;
    if constexpr (grouped) apply_groups();
    Index live = 0;
    for (Index c = 0; c < count_; ++c) {
      if constexpr (grouped)
        if (m_.gone[c]) continue;
      const T scale = power_of_two<T>(problem.exponents[m_.coordinate_feature[c]]);
      matrix_row(live)[live] += inverse_tau * scale * scale;
      ++live;
    }
    return *this;
  }
  /// Factors it; false when it is not definite in this precision.
  bool factor() { return factor_cholesky(m_.matrix, size_, m_.capacity); }

  /// g ← Q (I/τ + …)⁻¹ Qᵀ g for a coefficient matrix g; `clear` is called between reading and writing, and must set g
  /// to zero where there are no coordinates.
  template <class Clear>
  [[gnu::noinline]] void solve(T* g, Index stride, Index classes, Clear clear) {
    T* x = m_.value;
    for_each_coordinate(classes, [&](Index c, Index k) { x[c] = row_of(g, m_.coordinate_feature[c], stride)[k]; });
    if constexpr (grouped) gather_groups(x);
    solve_cholesky(m_.matrix, size_, m_.capacity, x);
    if constexpr (grouped) scatter_groups(x);
    clear();
    for_each_coordinate(classes, [&](Index c, Index k) { row_of(g, m_.coordinate_feature[c], stride)[k] = x[c]; });
  }

 private:
  T& gram(Index a, Index b) { return m_.gram[static_cast<std::size_t>(a) * m_.capacity + b]; }
  T* matrix_row(Index c) { return m_.matrix + static_cast<std::size_t>(c) * m_.capacity; }

  template <class Visit>
  static void for_each_nonzero(Rows<const T> w, const ProxJacobian<T>& group, Visit visit) {
    for (Index r = group.first_row; r < group.first_row + group.rows; ++r)
      for (Index k = group.first_class; k < group.first_class + group.classes; ++k)
        if (w(r, k) != T(0)) visit(r, k, w(r, k));
  }
  template <class Visit>
  void for_each_coordinate(Index classes, Visit visit) {
    for (Index k = 0; k < classes; ++k)
      for (Index c = m_.class_begin[k]; c < m_.class_begin[k + 1]; ++c) visit(c, k);
  }
  template <class Visit>
  void for_each_member(Index group, Visit visit) {
    for (Index e = m_.group_begin[group]; e < m_.group_begin[group + 1]; ++e) visit(m_.member[e]);
  }

  template <class Place>
  void number(Rows<const T> w, const ProxJacobian<T>& group, Place& place) {
    const Index first = m_.members;
    T square = 0;
    Index at_level = 0;
    for_each_nonzero(w, group, [&](Index r, Index k, T entry) {
      const Index c = place(w.feature(r), k);
      const bool top = group.slope.level > T(0) && absolute(entry) >= group.slope.level;
      m_.direction[c] = group.slope.level > T(0) ? (entry > T(0) ? T(1) : T(-1)) : entry;
      square += entry * entry;
      at_level += top;
      if (group.slope.level == T(0) || top) m_.member[m_.members++] = c;
    });
    const bool merged = group.slope.level > T(0);
    const bool plain = merged ? at_level < 2 : group.slope.scale == T(1) && group.slope.along == T(1);
    if (plain || m_.members == first) {
      m_.members = first;
      return;
    }
    const T inverse = T(1) / (merged ? square_root(T(at_level)) : square_root(square));
    for (Index e = first; e < m_.members; ++e) m_.direction[m_.member[e]] *= inverse;
    m_.group_begin[m_.groups] = first;
    m_.scale[m_.groups] = group.slope.scale;
    m_.along[m_.groups] = group.slope.along;
    m_.merged[m_.groups++] = merged;
  }

  /// out[s·stride] = x(list[s], feature) − m̄_feature for the listed samples (all when null).
  template <class Design>
  static void gather_centred(const Problem<Design>& problem, Index feature, const Index* list, Index count, T* out,
                             Index stride) {
    problem.design.gather(feature, list, count, out, stride);
    for (Index s = 0; s < count; ++s) out[static_cast<std::size_t>(s) * stride] -= problem.means[feature];
  }

  bool assign_slots() {
    if (slots_ == 0) known_ = 0;
    for (Index c = 0; c < count_; ++c) {
      Index& slot = m_.feature_slot[m_.coordinate_feature[c]];
      if (slot != none) continue;
      if (slots_ == m_.capacity) return false;
      m_.slot_feature[slots_] = m_.coordinate_feature[c];
      slot = slots_++;
    }
    return true;
  }

  template <class Design, class Weight>
  [[gnu::noinline]] void add_samples(const Problem<Design>& problem, Index listed, Weight weight) {
    for (Index s = 0; s < slots_; ++s) {
      const Index feature = m_.slot_feature[s];
      T* column = m_.samples + s;
      if (feature == problem.shape.features) {
        for (Index e = 0; e < listed; ++e) column[static_cast<std::size_t>(e) * m_.capacity] = problem.intercept_scale;
        continue;
      }
      gather_centred(problem, feature, m_.sample_list, listed, column, m_.capacity);
    }
    for (Index e = 0; e < listed; ++e) {
      const Index i = m_.sample_list[e];
      const T* row = m_.samples + static_cast<std::size_t>(e) * m_.capacity;
      Index size = 0;
      T total = 0;
      for (Index k = 0; k < problem.shape.classes; ++k) {
        const T own = weight(i, k);
        if (!(own > T(0))) continue;
        total += own;
        m_.support[size++] = k;
        for (Index c = m_.class_begin[k]; c < m_.class_begin[k + 1]; ++c) m_.value[c] = row[m_.coordinate_slot[c]];
      }
      for (Index s = 0; s < size; ++s) {
        const Index k = m_.support[s];
        const T own = weight(i, k), share = own / total;
        for (Index t = 0; t <= s; ++t) {
          const Index l = m_.support[t];
          const T factor = t < s ? -share * weight(i, l) : own - share * own;
          for (Index c = m_.class_begin[k]; c < m_.class_begin[k + 1]; ++c)
            if (m_.value[c] != T(0))
              add_scaled(m_.class_begin[l], t < s ? m_.class_begin[l + 1] : c + 1, factor * m_.value[c], matrix_row(c));
        }
      }
    }
  }
  void add_scaled(Index begin, Index end, T factor, T* row) {
    const T* value = m_.value;
    Index d = begin;
    const auto f = SimdOrScalar<T>::fill(factor);
    for (; d + SimdOrScalar<T>::width <= end; d += SimdOrScalar<T>::width)
      (SimdOrScalar<T>::load(row + d) + f * SimdOrScalar<T>::load(value + d)).store(row + d);
    for (; d < end; ++d) row[d] += factor * value[d];
  }

  /// x ← Qᵀx, without the entries that others stand for, and its reverse, x ← Qx.
  void gather_groups(T* x) {
    for (Index t = 0; t < m_.groups; ++t) {
      if (!m_.merged[t]) {
        spread(t, x);
        continue;
      }
      T total = 0;
      for_each_member(t, [&](Index c) { total += m_.direction[c] * x[c]; });
      x[m_.member[m_.group_begin[t]]] = total;
    }
    Index live = 0;
    for (Index c = 0; c < count_; ++c)
      if (!m_.gone[c]) x[live++] = x[c];
  }
  void scatter_groups(T* x) {
    Index live = size_;
    for (Index c = count_; c-- > 0;) x[c] = m_.gone[c] ? T(0) : x[--live];
    for (Index t = 0; t < m_.groups; ++t) {
      if (!m_.merged[t]) {
        spread(t, x);
        continue;
      }
      const T common = x[m_.member[m_.group_begin[t]]];
      for_each_member(t, [&](Index c) { x[c] = m_.direction[c] * common; });
    }
  }

  /// x ← (scale·I + (along − scale) ŵŵᵀ) x on the members of a group.
  void spread(Index group, T* x) {
    T inner = 0;
    if (m_.runs) {
      const Index first = first_member(group), count = m_.group_begin[group + 1] - m_.group_begin[group];
      const T* direction = m_.direction + first;
      inner = (m_.along[group] - m_.scale[group]) * dot(direction, static_cast<const T*>(x + first), count);
      scale_and_add(m_.scale[group], x + first, inner, direction, count);
      return;
    }
    for_each_member(group, [&](Index c) { inner += m_.direction[c] * x[c]; });
    inner *= m_.along[group] - m_.scale[group];
    for_each_member(group, [&](Index c) { x[c] = m_.scale[group] * x[c] + inner * m_.direction[c]; });
  }

  /// x ← a x + b y.
  static void scale_and_add(T a, T* x, T b, const T* y, Index count) {
    const auto scale = Simd<T>::fill(a), factor = Simd<T>::fill(b);
    Index d = 0;
    for (; d + lanes<T> <= count; d += lanes<T>)
      (scale * Simd<T>::load(x + d) + factor * Simd<T>::load(y + d)).store(x + d);
    for (; d < count; ++d) x[d] = a * x[d] + b * y[d];
  }

  [[gnu::always_inline]] Index first_member(Index group) const { return m_.member[m_.group_begin[group]]; }
  [[gnu::always_inline]] Index last_member(Index group) const { return m_.member[m_.group_begin[group + 1] - 1]; }

  /// The matrix becomes QᵀMQ, and loses the rows and columns that others stand for.
  [[gnu::noinline]] void apply_groups() {
    for (Index c = 0; c < count_; ++c) m_.gone[c] = 0;
    if (m_.groups == 0) return;
    m_.runs = true;
    for (Index t = 0; t < m_.groups; ++t)
      m_.runs = m_.runs && last_member(t) - first_member(t) + 1 == m_.group_begin[t + 1] - m_.group_begin[t];
    for (Index c = 0; c < count_; ++c)
      for (Index d = 0; d < c; ++d) matrix_row(d)[c] = matrix_row(c)[d];
    for (Index t = 0; t < m_.groups; ++t) combine_rows(t);
    for (Index c = 0; c < count_; ++c)  // columns, row by row
      for (Index t = 0; t < m_.groups; ++t) {
        if (m_.runs && first_member(t) > c) continue;  // above the diagonal
        T* row = matrix_row(c);
        if (!m_.merged[t]) {
          spread(t, row);
          continue;
        }
        T total = 0;
        for_each_member(t, [&](Index d) { total += m_.direction[d] * row[d]; });
        row[m_.member[m_.group_begin[t]]] = total;
      }
    Index live = 0;
    for (Index c = 0; c < count_; ++c) {
      if (m_.gone[c]) continue;
      Index column = 0;
      for (Index d = 0; d <= c; ++d)
        if (!m_.gone[d]) matrix_row(live)[column++] = matrix_row(c)[d];
      ++live;
    }
    size_ = live;
  }
  void combine_rows(Index t) {
    T* total = m_.value;
    const Index columns = m_.runs ? last_member(t) + 1 : count_;
    fill(total, columns, T(0));
    for_each_member(t, [&](Index c) { scale_and_add(T(1), total, m_.direction[c], matrix_row(c), columns); });
    if (m_.merged[t]) {
      const Index head = m_.member[m_.group_begin[t]];
      copy(static_cast<const T*>(total), columns, matrix_row(head));
      for_each_member(t, [&](Index c) { m_.gone[c] = c != head; });
      return;
    }
    const T more = m_.along[t] - m_.scale[t];
    for_each_member(
        t, [&](Index c) { scale_and_add(m_.scale[t], matrix_row(c), more * m_.direction[c], total, columns); });
  }

  Memory m_;
  Index count_ = 0;  ///< coordinates
  Index size_ = 0;   ///< of the matrix
  Index slots_ = 0;  ///< features with a slot
  Index known_ = 0;  ///< slots whose products are in the Gram matrix
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
