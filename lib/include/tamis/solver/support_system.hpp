#pragma once
/// The linear system of Newton's method on the coefficients that are not zero: products with it, and a preconditioner.

#include "../linalg/cholesky.hpp"
#include "support_memory.hpp"
#include "support_problem.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The system (XᵀHX + λΩ″ + damping) D = … of SupportNewton, with a copy of the samples that curve, dense or sparse,
/// where there is room. The preconditioner is A ⊗ I_K, A = Σ ωᵢ xᵢxᵢᵀ + diag(λΩ″), ωᵢ the mean curvature of a sample,
/// over up to 1536 of them, those that curve most and a selection of the others. Where the loss is a sum over classes,
/// or conjugate gradients have not solved a system, it is an A for each class, of its own curvatures at its own
/// coefficients, if there is room, and unless that takes longer than 64 more conjugate gradients. Where samples are
/// fewer than the support and Ω curves everywhere, it is A over all by a factor of their number; the diagonal of A
/// alone where the memory was not made for that many. The factors of the support are joined by a step along the
/// coefficients of each group, where a norm has no curvature.
template <class T>
class SupportSystem {
 public:
  using Memory = SupportMemory<T>;
  SupportSystem() = default;
  explicit SupportSystem(const Memory& memory) : m_(memory) {}
  bool has_memory() const { return m_.coefficients[0] != nullptr; }

 protected:
  template <class Problem>
  static constexpr bool may_curve_everywhere = curves_everywhere<T, std::remove_cvref_t<decltype(Problem::penalty)>>();
  T* direction() const { return m_.coefficients[0]; }
  T* image() const { return m_.coefficients[1]; }
  T* preconditioned() const { return m_.coefficients[2]; }

  // ---- the samples that curve ---------------------------------------------------------------------------------------

  /// Lists them and writes their curvatures, one after the other, into h; copies their values where there is room and
  /// the products get faster.
  template <class Problem>
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] void choose_samples(const Problem& p) {
    chosen_ = 0;
    visit_smooth_samples(p.loss, [&](const auto& loss) {
      for (Index i = 0; i < p.shape.samples; ++i) {
        const bool curves = take_curvature(p, loss, i, chosen_);
        m_.place[i] = curves ? chosen_ : none;
        if (curves) m_.chosen[chosen_++] = i;
      }
    });
    std::size_t stored = 0;
    for (Index c = 0; c < p.size; ++c) stored += p.design.column(p.support[c]).count;
    entries_ = p.design.copied() ? stored * chosen_ / largest(p.shape.samples, Index(1)) : stored;  // about as many
    const std::size_t all = BlockedColumns<T>::size(chosen_, p.size);
    copy_ = Copy::none;
    if (all <= 2 * entries_ && all <= m_.room && p.size <= m_.limit) copy_ = Copy::dense;
    else if (2 * stored <= m_.room) copy_ = Copy::sparse;
    if (copy_ == Copy::none)
      for (Index i = 0; i < p.shape.samples; ++i) take_curvature(p, p.loss, i, i);
    if (copy_ == Copy::dense) {
      dense_ = BlockedColumns<T>(m_.values, chosen_, p.size);
      dense_.clear();
    }
    used_ = copy_ == Copy::dense ? all : copy_ == Copy::sparse ? 2 * stored : 0;
    sparse_rows_ = reinterpret_cast<Index*>(m_.values + stored);
    Index next = 0;
    for (Index c = 0; c < p.size && copy_ != Copy::none; ++c) {
      const Column<T> x = p.design.column(p.support[c]);
      m_.starts[c] = next;
      for (Index e = 0; e < x.count; ++e) {
        const Index a = m_.place[x.sample(e)];
        if (a == none || x.values[e] == T(0)) continue;
        if (copy_ == Copy::dense) {
          dense_.at(a, c) = x.values[e];
        } else {
          m_.values[next] = x.values[e];
          sparse_rows_[next++] = a;
        }
      }
    }
    m_.starts[p.size] = next;
  }
  template <class Problem, class Loss>
  bool take_curvature(const Problem& p, const Loss& loss, Index i, Index row) const {
    const T margin = p.targets.margin(i);
    return loss.take_curvature(row_of(p.z, i, stride_), p.shape.classes, label_of(loss, p.targets, i), margin,
                               p.targets.weight(i), slack_of(p) * margin, row_of(p.h, row, stride_));
  }
  /// Violations are of the size of the loss's square root: beside a slack that is larger all pairs would take part.
  template <class Problem>
  T slack_of(const Problem& p) const {
    return slack_ * smallest(T(1), square_root(p.value));
  }
  /// A column of the support, of the samples in use; not for the dense copy.
  template <class Problem>
  Column<T> column(const Problem& p, Index c) const {
    if (copy_ == Copy::none) return p.design.column(p.support[c]);
    return {m_.values + m_.starts[c], sparse_rows_ + m_.starts[c], m_.starts[c + 1] - m_.starts[c]};
  }
  Index samples_in_use(Shape shape) const { return copy_ == Copy::none ? shape.samples : chosen_; }
  [[gnu::always_inline]] Index sample(Index place) const { return copy_ == Copy::none ? place : m_.chosen[place]; }

  template <class Problem>
  void count_work(const Problem& p) {
    const std::size_t all = p.design.entries(nullptr, p.shape.features);
    const std::size_t here = copy_ == Copy::none ? p.design.entries(p.support, p.size) : entries_;
    if (all > 0) work_ += T(0.5) * T(here) / T(all);
  }

  /// image ← (XᵀHX + λΩ″ + damping) direction.
  template <class Problem>
  [[gnu::noinline]] void apply_hessian(const Problem& p) {
    T* const t = p.u;
    const T* v = direction();
    T* const out = image();
    const Index samples = samples_in_use(p.shape);
    multiply(p, v, t);
    visit_smooth_samples(p.loss, [&](const auto& loss) {
      for (Index a = 0; a < samples; ++a) {
        const Index i = sample(a);
        loss.apply_curvature(row_of(p.h, a, stride_), p.shape.classes, label_of(loss, p.targets, i),
                             p.targets.weight(i), row_of(t, a, stride_));
      }
    });
    transposed_multiply(p, t, out);
    p.for_each_group([&](FeatureGroup group) {
      p.add_penalty_curvature(group, v, out);
      for (Index r = 0; r < group.count; ++r) {
        const Index j = group.feature(r);
        const T more = damping_ * m_.diagonal[j];
        for (Index k = 0; k < p.shape.classes; ++k) row_of(out, j, stride_)[k] += more * row_of(v, j, stride_)[k];
        for (Index k = p.shape.classes; k < stride_; ++k) row_of(out, j, stride_)[k] = T(0);
      }
      p.keep_on_manifold(group, out);
    });
    if (p.intercept) {
      T* row = row_of(out, p.shape.features, stride_);
      for (Index k = p.shape.classes; k < stride_; ++k) row[k] = T(0);
    }
  }
  /// t ← the scores of v, of the samples in use.
  template <class Problem>
  void multiply(const Problem& p, const T* v, T* t) {
    const T* base = p.intercept ? row_of(v, p.shape.features, stride_) : zero_row(p);
    if (copy_ == Copy::dense) {
      for (Index c = 0; c < p.size; ++c) copy(row_of(v, p.support[c], stride_), stride_, row_of(m_.packed, c, stride_));
      dense_.multiply(m_.packed, stride_, base, t);
    } else {
      for (Index a = 0; a < samples_in_use(p.shape); ++a) copy(base, stride_, row_of(t, a, stride_));
      for (Index c = 0; c < p.size; ++c) add_column(column(p, c), row_of(v, p.support[c], stride_), stride_, t);
    }
    count_work(p);
  }
  /// The same transposed.
  template <class Problem>
  void transposed_multiply(const Problem& p, T* t, T* out) {
    if (copy_ == Copy::dense) {
      dense_.transposed_multiply(t, stride_, m_.packed);
      for (Index c = 0; c < p.size; ++c)
        copy(static_cast<const T*>(row_of(m_.packed, c, stride_)), stride_, row_of(out, p.support[c], stride_));
    } else {
      for (Index c = 0; c < p.size; ++c)
        sum_column(column(p, c), static_cast<const T*>(t), stride_, row_of(out, p.support[c], stride_));
    }
    if (p.intercept)
      column_sums(static_cast<const T*>(t), samples_in_use(p.shape), stride_, row_of(out, p.shape.features, stride_));
    count_work(p);
  }
  template <class Problem>
  const T* zero_row(const Problem& p) const {  // where nothing else is: below the coefficients
    T* row = row_of(image(), p.shape.features, stride_);
    fill(row, stride_, T(0));
    return row;
  }

  // ---- the preconditioner -------------------------------------------------------------------------------------------

  template <class Problem>
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] void precondition(const Problem& p) {
    const Index samples = samples_in_use(p.shape);
    p.for_each_row([&](Index j) { m_.diagonal[j] = T(0); });
    T* const omega = p.omega;
    Sum<T> total;
    for (Index a = 0; a < samples; ++a) {
      const Index i = sample(a);
      omega[a] = p.loss
                     .curvature_size(row_of(p.h, a, stride_), p.shape.classes, label_of(p.loss, p.targets, i),
                                     p.targets.weight(i))
                     .mean;
      total.add(omega[a]);
    }
    for (Index c = 0; c < p.size; ++c) {
      T sum = 0;
      if (copy_ == Copy::dense) {
        for (Index a = 0; a < chosen_; ++a) sum += omega[a] * dense_.at(a, c) * dense_.at(a, c);
      } else {
        const Column<T> x = column(p, c);
        for (Index e = 0; e < x.count; ++e) sum += omega[x.sample(e)] * x.values[e] * x.values[e];
      }
      m_.diagonal[p.support[c]] = sum;
    }
    if (p.intercept) m_.diagonal[p.shape.features] = total.value();
    factor_ = Factor::none;
    if constexpr (may_curve_everywhere<Problem>) {
      if (samples < p.size && samples <= m_.limit && dual_kind<T>(p.penalty) != DualKind::norm) {
        if (factor_samples(p, total.value())) factor_ = Factor::of_samples;
        return;
      }
    }
    if (copy_ == Copy::none) return;
    if ((is_hard_ || separate_classes(p.loss)) && factor_classes(p)) factor_ = Factor::of_classes;
    else if (factor_support(p, total.value(), m_.factor)) factor_ = Factor::of_support;
  }

  /// A for each class by itself, of its own curvatures, without the coefficients that are zero.
  template <class Problem>
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] bool factor_classes(const Problem& p) {
    const Index order = p.size + Index(p.intercept), capacity = Memory::capacity(order);
    if (order > m_.class_limit) return false;
    T* factor = m_.values + m_.room;
    for (Index k = 0; k < p.shape.classes; ++k, factor += std::size_t(order) * capacity) {
      T* const row = row_of(image(), p.shape.features, stride_);
      T total = 0;
      for (Index a = 0; a < chosen_; ++a) {
        fill(row, stride_, T(0));
        row[k] = T(1);
        const Index i = m_.chosen[a];
        p.loss.apply_curvature(row_of(p.h, a, stride_), p.shape.classes, label_of(p.loss, p.targets, i),
                               p.targets.weight(i), row);
        p.omega[a] = row[k];
        total += row[k];
      }
      if (!factor_support(p, total, factor, k)) return false;
    }
    return true;
  }
  /// The factor of A, of weights of the samples in omega; of a class, or of all.
  template <class Problem>
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] bool factor_support(const Problem& p, T total, T* factor,
                                                              Index label = none) {
    const Index order = p.size + Index(p.intercept), most = smallest(chosen_, Memory::most_sampled);
    const Index capacity = Memory::capacity(order);
    if (order > m_.limit || used_ + std::size_t(most) * order > m_.room) return false;
    // Where samples are sparse, or few, 64 conjugate gradients more are cheaper.
    if (T(order) * T(order) * T(most + order) > T(256 * p.shape.classes) * T(entries_)) return false;
    // Samples whose curvature is above a level, and of the others as many as have that level together: the roots of
    // their weights, and their rows times those, a column of ones last.
    const T level = most < chosen_ ? total / T(most) : T(0);
    T* const root = p.omega;
    Index sampled = 0;
    T due = T(0);
    for (Index a = 0; a < chosen_; ++a) {
      const bool is_small = root[a] < level;
      if (is_small) due += root[a];
      m_.place[m_.chosen[a]] = none;
      if ((is_small && due < level) || sampled == most || !(root[a] > T(0))) continue;
      if (is_small) due -= level;
      m_.place[m_.chosen[a]] = sampled;
      root[sampled++] = square_root(largest(root[a], level));
    }
    T* const x = m_.values + used_;
    T* to = x;
    for (Index c = 0; c < p.size; ++c, to += sampled) {
      fill(to, sampled, T(0));
      if (label != none && row_of(p.w, p.support[c], stride_)[label] == T(0)) continue;
      const Column<T> from = p.design.column(p.support[c]);
      for (Index e = 0; e < from.count; ++e)
        if (const Index s = m_.place[from.sample(e)]; s != none) to[s] = from.values[e] * root[s];
    }
    if (p.intercept) copy(static_cast<const T*>(root), sampled, to);
    T* const batch_rows = p.u;
    const Index width = smallest(stride_, order);
    for (Index first = 0; first < order; first += width) {
      const Index batch = smallest(width, order - first);
      for (Index b = 0; b < batch; ++b)
        for (Index s = 0; s < sampled; ++s) row_of(batch_rows, s, stride_)[b] = x[std::size_t(first + b) * sampled + s];
      DenseDesign<T>(x + std::size_t(first) * sampled, sampled, order - first)
          .transposed_multiply(nullptr, order - first, batch_rows, stride_, m_.packed);
      for (Index r = first; r < order; ++r)
        for (Index b = 0; b < batch; ++b)  // of those above the diagonal nothing is read
          factor[std::size_t(r) * capacity + first + b] = row_of(m_.packed, r - first, stride_)[b];
    }
    T trace = 0;
    for (Index r = 0; r < order; ++r) trace += factor[std::size_t(r) * capacity + r];
    // A column with an outlier has most of the trace: the others keep a floor of their own size. Where no sample of a
    // class curves it is all there is. A column of zeros is nothing beside the others of its group.
    const T mean = trace / T(order);
    for (Index r = 0; r < order; ++r) {
      const T here = m_.diagonal[p.row_at(r)], own = here > T(0) ? here : mean;
      const T floor = trace > T(0) ? T(1e-5) * smallest(mean, own) : own;
      factor[std::size_t(r) * capacity + r] += floor + (r < p.size ? damping_ : T(0)) * own;
    }
    Index c = 0;
    p.for_each_group([&](FeatureGroup group) {
      for (Index r = 0; r < group.count; ++r, ++c) factor[std::size_t(c) * capacity + c] += p.penalty_curvature(group);
    });
    return factor_cholesky(factor, order, capacity);
  }

  /// The same by Woodbury's identity, where samples are fewer than features of the support: with Ω^½ in omega and D,
  /// the diagonal of penalty and damping, in `diagonal`, the factor of I + Ω^½ X D⁻¹ Xᵀ Ω^½. Intercepts have no
  /// penalty; their D is small beside their curvature.
  template <class Problem>
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] bool factor_samples(const Problem& p, T total) {
    const Index samples = samples_in_use(p.shape), capacity = Memory::capacity(samples);
    T most = 0;
    p.for_each_row([&](Index j) { most = largest(most, m_.diagonal[j]); });
    const T least = T(1e-5) * most;
    if (!(least > T(0))) return false;
    p.for_each_group([&](FeatureGroup group) {
      for (Index r = 0; r < group.count; ++r) {
        T& entry = m_.diagonal[group.feature(r)];
        entry = largest(p.penalty_curvature(group) + damping_ * entry, least * T(1e-3));
      }
    });
    if (p.intercept) m_.diagonal[p.shape.features] = T(1e-2) * total;
    for (Index a = 0; a < samples; ++a) {
      p.omega[a] = square_root(p.omega[a]);
      T* const row = m_.factor + std::size_t(a) * capacity;
      fill(row, capacity, T(0));
      row[a] = T(1);
    }
    T* const values = p.u;
    fill(values, padded<T>(samples), T(0));
    const auto add = [&](T d) {
      for (Index a = 0; a < samples; ++a) {
        T* const row = m_.factor + std::size_t(a) * capacity;
        if (values[a] != T(0))
          add_scaled_row(static_cast<const T*>(row), values[a] / d, static_cast<const T*>(values), padded<T>(a + 1),
                         row);
      }
    };
    for (Index c = 0; c < p.size; ++c) {
      if (copy_ == Copy::dense) {
        for (Index a = 0; a < samples; ++a) values[a] = p.omega[a] * dense_.at(a, c);
      } else {
        const Column<T> x = column(p, c);
        if (x.count < samples) fill(values, samples, T(0));
        for (Index e = 0; e < x.count; ++e) values[x.sample(e)] = p.omega[x.sample(e)] * x.values[e];
      }
      add(m_.diagonal[p.support[c]]);
    }
    if (p.intercept) {
      copy(static_cast<const T*>(p.omega), samples, values);
      add(m_.diagonal[p.shape.features]);
    }
    return factor_cholesky(m_.factor, samples, capacity);
  }

  /// preconditioned ← A⁻¹ g.
  template <class Problem>
  [[gnu::noinline]] void apply_preconditioner(const Problem& p) {
    if constexpr (may_curve_everywhere<Problem>)
      if (factor_ == Factor::of_samples) return apply_factor_of_samples(p);
    T* const out = preconditioned();
    if (factor_ != Factor::none) {
      centre(p, p.g);
      solve_factors(p, p.size + Index(p.intercept), static_cast<const T*>(p.g), out);
      p.for_each_group([&](FeatureGroup group) {
        p.add_along(group, p.g, m_.diagonal, out);
        p.keep_on_manifold(group, out);
      });
      centre(p, out);
      return;
    }
    p.for_each_group([&](FeatureGroup group) {
      for (Index r = 0; r < group.count; ++r) {
        const Index j = group.feature(r);
        const T total = (T(1) + damping_) * m_.diagonal[j] + p.penalty_curvature(group);
        const T inverse = total > T(0) ? T(1) / total : T(0);
        for (Index k = 0; k < stride_; ++k) row_of(out, j, stride_)[k] = inverse * row_of(p.g, j, stride_)[k];
      }
      p.keep_on_manifold(group, out);
    });
    if (p.intercept) {
      const T total = m_.diagonal[p.shape.features];
      const T inverse = total > T(0) ? T(1) / total : T(0);
      for (Index k = 0; k < stride_; ++k)
        row_of(out, p.shape.features, stride_)[k] = inverse * row_of(p.g, p.shape.features, stride_)[k];
    }
  }

  /// Where all classes of a feature move alike a loss of differences does not change, nor has a penalty by size a
  /// gradient that way: the factors of single classes know neither, and are of the rest. Not where the coefficient of
  /// a class is to stay zero.
  template <class Problem>
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] void centre(const Problem& p, T* matrix) const {
    if (factor_ != Factor::of_classes || separate_classes(p.loss)) return;
    const bool all = p.goes_by_sizes();
    p.for_each_row([&](Index j) {
      T* const row = row_of(matrix, j, stride_);
      T sum = T(0);
      for (Index k = 0; k < p.shape.classes; ++k) {
        if (j < p.shape.features && (!all || row_of(p.w, j, stride_)[k] == T(0))) return;
        sum += row[k];
      }
      for (Index k = 0; k < p.shape.classes; ++k) row[k] -= sum / T(p.shape.classes);
    });
  }

  /// The rows of the support and the intercepts, or of the samples in use: to ← A⁻¹ from, class by class.
  template <class Problem>
  [[gnu::noinline]] void solve_factors(const Problem& p, Index order, const T* from, T* to) {
    const bool of_samples = factor_ == Factor::of_samples, of_classes = factor_ == Factor::of_classes;
    const Index capacity = Memory::capacity(order);
    const T* factor = of_classes ? m_.values + m_.room : m_.factor;
    for (Index k = 0; k < stride_; ++k) {
      const auto at = [&](Index c) { return std::size_t(of_samples ? c : p.row_at(c)) * stride_ + k; };
      for (Index c = 0; c < order; ++c) m_.packed[c] = from[at(c)];
      if (k < p.shape.classes) solve_cholesky(factor, order, capacity, m_.packed);
      for (Index c = 0; c < order; ++c) to[at(c)] = m_.packed[c];
      if (of_classes) factor += std::size_t(order) * capacity;
    }
  }

  template <class Problem>
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] void apply_factor_of_samples(const Problem& p) {
    T *const out = preconditioned(), *const t = p.u;
    const Index samples = samples_in_use(p.shape);
    const auto scale_samples = [&] {
      for (Index a = 0; a < samples; ++a)
        for (Index k = 0; k < stride_; ++k) row_of(t, a, stride_)[k] *= p.omega[a];
    };
    const auto take_rest = [&](T part) {  // out ← D⁻¹(g − part · image)
      p.for_each_row([&](Index j) {
        const T *g = row_of(p.g, j, stride_), *less = row_of(image(), j, stride_);
        for (Index k = 0; k < stride_; ++k) row_of(out, j, stride_)[k] = (g[k] - part * less[k]) / m_.diagonal[j];
      });
    };
    p.for_each_row([&](Index j) { fill(row_of(image(), j, stride_), stride_, T(0)); });
    take_rest(T(0));
    multiply(p, static_cast<const T*>(out), t);
    scale_samples();
    solve_factors(p, samples, static_cast<const T*>(t), t);
    scale_samples();
    transposed_multiply(p, t, image());
    take_rest(T(1));
    p.for_each_group([&](FeatureGroup group) { p.keep_on_manifold(group, out); });
  }

  Memory m_{};
  Index stride_ = 0;
  Index chosen_ = 0;  ///< samples that curve
  enum class Copy : std::uint8_t { none, dense, sparse };
  static constexpr Index none = ~Index(0);
  Copy copy_ = Copy::none;  ///< of the values of the chosen samples at the support
  enum class Factor : std::uint8_t { none, of_support, of_classes, of_samples };
  Factor factor_ = Factor::none;
  bool is_hard_ = false;  ///< conjugate gradients have not solved a system
  BlockedColumns<T> dense_;
  Index* sparse_rows_ = nullptr;
  std::size_t entries_ = 0;  ///< of those values, that are not zero
  std::size_t used_ = 0;     ///< of the room for values
  T work_ = T(0);            ///< so far, in products with the whole design
  T slack_ = T(0);
  T damping_ = T(0);
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
