#pragma once
/// Epochs of block coordinate descent: one visit to each group of features in work.

#include "../design/column_passes.hpp"
#include "workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The part of BlockCoordinateDescent that descends: it has the problem's memory, keeps scores z of the coefficients w,
/// and knows the objective at λ. `fit_null_model` moves the intercepts alone, `epoch` all groups listed in `work`. For
/// sums of squared violations a group moves by the curvature of those at present, times `caution_`, which an epoch that
/// ascends doubles; for other losses on the quadratic model at z, and a search along the step follows.
template <class T, class Loss, class Penalty, class Columns>
class DescentEpochs : public Workbench<T, Loss, Penalty, Columns> {
  using Base = Workbench<T, Loss, Penalty, Columns>;

 protected:
  using Base::add_epochs, Base::design_, Base::group_order, Base::group_rows, Base::loss_, Base::memory_,
      Base::options_, Base::penalty_, Base::penalty_value, Base::report_, Base::rows, Base::shape_, Base::stride_,
      Base::targets_, Base::update_residual, Base::dual_entries, Base::matrix_entries;

  using Base::Base;

  struct Memory {
    CommonMemory<T> common;
    T* w;         ///< coefficients, the last row being intercepts
    T* g;         ///< scratch: gradients, new coefficients
    T* d;         ///< how far an epoch or a step of Newton's method has moved
    T* z;         ///< scores of w; samples × stride like those that follow
    T* u;         ///< gradients of the loss; scores of d
    T* h;         ///< curvatures of the loss
    T* bound;     ///< of the curvature of each sample
    T* squares;   ///< Σᵢ cᵢ x_ij² of each feature
    T* numbers;   ///< the labels that scores stand for
    T* valid;     ///< 1 for a class, 0 for padding
    T* block[3];  ///< gradient and curvature of a row, its step
    Index* work;  ///< features that epochs visit, group after group

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      for (T** coefficients : {&m.w, &m.g, &m.d}) *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      for (T** duals : {&m.z, &m.u, &m.h}) *duals = arena.take<T>(CommonMemory<T>::duals(shape));
      m.bound = arena.take<T>(shape.samples);
      m.squares = arena.take<T>(shape.features);
      for (T** row : {&m.numbers, &m.valid, &m.block[0], &m.block[1], &m.block[2]})
        *row = arena.take<T>(padded<T>(shape.classes));
      m.work = arena.take<Index>(shape.features);
      return m;
    }
  };

  // ---- the problem ------------------------------------------------------------------------------------------------

  T weight(Index i) const { return targets_.weight(i); }

  /// Measures the columns. `centre`: those far from zero are from here on about their means, where there is a copy of
  /// them, and the scores of intercepts make up for it; unless that left these no digits beside the deviations.
  [[gnu::noinline]] void measure_columns(bool centre) {
    constexpr T digits = T(256) * epsilon<T>;
    for (Index j = 0; j < shape_.features; ++j) {
      const Column<T> x = design_.column(j);
      T mean = 0, square = 0;
      while (true) {
        T sum = square = T(0);
        for (Index e = 0; e < x.count; ++e) {
          const T share = weight(x.sample(e)) * x.values[e];
          sum += share;
          square += share * x.values[e];
        }
        const bool is_far = sum * sum > T(0.5) * square;
        if (!is_far || !centre || mean != T(0) || !design_.move(j, -sum)) break;
        mean = sum;
      }
      if (digits * digits * (mean * mean) > square) {
        design_.move(j, mean);
        square += mean * mean;
        mean = T(0);
      }
      memory_.means[j] = mean;
      own_.squares[j] = square;
    }
  }

  /// u ← c∇ℓ(z).
  void take_gradients() { detail::take_curved_gradients(loss_, targets_, own_.z, stride_, own_.u); }
  T objective() const {
    return detail::mean_curved_loss(loss_, targets_, own_.z, stride_) + lambda_ * penalty_value(own_.w);
  }

  /// No coefficients, and descent on the intercepts alone, with the curvature of the loss at each point.
  [[gnu::noinline]] void fit_null_model() {
    fill(own_.w, matrix_entries(), T(0));
    T* b = row_of(own_.w, shape_.features, stride_);
    if constexpr (requires { loss_.guess_intercepts(targets_, b); })
      if (options_.intercept) loss_.guess_intercepts(targets_, b);
    for (Index i = 0; i < shape_.samples; ++i) copy(static_cast<const T*>(b), stride_, row_of(own_.z, i, stride_));
    for (int round = 0; options_.intercept && round < 300; ++round)
      if (move_intercepts() <= T(8) * epsilon<T>) break;
  }

  /// A step on the intercepts; returns how far the furthest moved.
  [[gnu::noinline]] T move_intercepts() {
    take_gradients();
    T* sums = own_.block[0];
    column_sums(own_.u, shape_.samples, stride_, sums);
    // the Hessian is diagonal, or a Laplacian: its largest eigenvalue is at most twice the largest diagonal entry
    T* diagonal = own_.block[1];
    fill(diagonal, stride_, T(0));
    for (Index i = 0; i < shape_.samples; ++i) {
      T* h = own_.block[2];
      loss_.second_derivatives(row_of(own_.u, i, stride_), shape_.classes, label_of(loss_, targets_, i), weight(i), h);
      for (Index k = 0; k < shape_.classes; ++k) diagonal[k] += h[k];
    }
    T top = T(1e-6);
    for (Index k = 0; k < shape_.classes; ++k) top = largest(top, diagonal[k]);
    const T rate = T(0.5) / (top * caution_);
    T* b = row_of(own_.w, shape_.features, stride_);
    T* step = own_.block[2];
    T furthest = 0;
    fill(step, stride_, T(0));
    for (Index k = 0; k < shape_.classes; ++k) {
      step[k] = -rate * sums[k];
      b[k] += step[k];
      furthest = largest(furthest, absolute(step[k]));
    }
    for (Index i = 0; i < shape_.samples; ++i) {
      T* z = row_of(own_.z, i, stride_);
      for (Index k = 0; k < stride_; ++k) z[k] += step[k];
    }
    return furthest;
  }

  // ---- epochs -----------------------------------------------------------------------------------------------------

  /// Whether the loss is known to be a sum of violations, or one of several that are, when the code is compiled.
  static constexpr bool always_violations = is_sum_of_violations<Loss>() || requires {
    requires Loss::are_sums_of_violations;
  };
  bool follows_violations() const { return always_violations || loss_.violations() != Violations::none; }
  /// Newton's method does well at w: epochs are for groups that get their first coefficients.
  bool settled() const { return !always_violations && settled_; }

  [[gnu::noinline]] void epoch() {
    const T before = known_ ? value_ : objective();
    moved_ = size_ = T(0);
    if (follows_violations()) {
      visit_work([&](FeatureGroup group) { descend_on_violations(group); });
      if (options_.intercept) move_intercepts();
      value_ = objective();
    } else {
      descend_on_model(before);
    }
    known_ = true;
    const T decrease = before - value_;
    if (decrease < T(-8) * epsilon<T> * absolute(before)) caution_ = smallest(T(2) * caution_, T(64));
    shrinkage_ = decrease_ > T(0) ? smallest(largest(decrease, T(0)) / decrease_, T(1)) : T(1);
    decrease_ = decrease;
    update_residual(square_root(moved_), square_root(size_));
    add_epochs(design_.entries(own_.work, working_), follows_violations() ? T(1) : T(sweeps()));
  }

  template <class Visit>
  void visit_work(Visit visit) {
    if constexpr (HasGrouping<Penalty>) {
      if (group_order()) {  // `work` holds whole groups; where one ends only their list knows
        for (Index c = 0; c < working_;) {
          Index end = c + 1;
          while (end < working_ && memory_.active[own_.work[end]] != Base::first_of_group) ++end;
          visit(FeatureGroup{own_.work[c], end - c, own_.work + c});
          c = end;
        }
        return;
      }
    }
    for (Index c = 0; c < working_;) {
      const FeatureGroup group{own_.work[c], group_rows(own_.work[c])};
      visit(group);
      c += group.count;
    }
  }

  [[gnu::noinline]] void descend_on_violations(FeatureGroup group) {
    const Index stride = stride_;
    const detail::ViolationPass<T> pass{own_.z,
                                        targets_.labels.data(),
                                        targets_.weights,
                                        targets_.margins,
                                        targets_.common_margin,
                                        own_.numbers,
                                        own_.valid,
                                        dual_entries() * sizeof(T) > std::size_t(1) << 20};
    const bool pairs = loss_.violations() == Violations::of_pairs;
    const T scale = T(2) * targets_.inverse_total;
    T curvature = 0;
    for (Index r = 0; r < group.count; ++r) {
      const Index j = group.feature(r);
      const Column<T> x = design_.column(j);
      T* g = row_of(own_.g, j, stride);
      T* h = own_.block[1];
      if (pairs) detail::sum_violations<T, Violations::of_pairs>(x, pass, stride, g, h);
      else detail::sum_violations<T, Violations::of_classes>(x, pass, stride, g, h);
      T top = 0;
      for (Index k = 0; k < shape_.classes; ++k) {
        g[k] *= scale;
        top = largest(top, h[k]);
      }
      top *= scale * (pairs ? T(shape_.classes) / T(shape_.classes - 1) : T(1));
      curvature += caution_ * lasting_curvature(j, top);
    }
    move_group(group, curvature, [&](Index j, const T* step) { add_column(design_.column(j), step, stride, own_.z); });
  }

  /// The curvature of a feature, not much less than its largest of late once an epoch has ascended: which pairs are
  /// violated changes on the way of a step.
  T lasting_curvature(Index j, T curvature) {
    T least = T(0.02) * own_.squares[j];
    if (caution_ > T(1) && least > T(0)) {
      std::int8_t& kept = memory_.exponents[j];
      const int here = exponent_of(curvature / least);
      if (here > kept) kept = static_cast<std::int8_t>(here);
      else if (kept > 0 && report_.iterations % 8 == 0) --kept;
      least *= power_of_two<T>(kept);
    }
    return largest(curvature, least);
  }

  /// W_g ← prox(W_g − G_g/L), with G in g; `changed(j, step)` for each row that moves.
  template <class Changed>
  void move_group(FeatureGroup group, T curvature, Changed changed) {
    if (!(curvature > T(0))) return;
    propose(group, curvature);
    for (Index r = 0; r < group.count; ++r)
      if (accept(group.feature(r))) changed(group.feature(r), static_cast<const T*>(own_.block[2]));
  }
  /// G_g ← prox(W_g − G_g/L).
  [[gnu::noinline]] void propose(const FeatureGroup& group, T curvature) {
    const Index stride = stride_;
    const auto rate = SimdOrScalar<T>::fill(T(1) / curvature);
    for (Index r = 0; r < group.count; ++r) {
      T* g = row_of(own_.g, group.feature(r), stride);
      const T* w = row_of(own_.w, group.feature(r), stride);
      for (Index k = 0; k < stride; k += SimdOrScalar<T>::width)
        (SimdOrScalar<T>::load(w + k) - rate * SimdOrScalar<T>::load(g + k)).store(g + k);
      for (Index k = shape_.classes; k < stride; ++k) g[k] = T(0);
    }
    penalty_.prox(rows(own_.g, group), lambda_ / curvature);
  }
  /// W_j ← G_j; false when it has not moved, else block[2] is how far.
  [[gnu::noinline]] bool accept(Index j) {
    const Index stride = stride_;
    const T* g = row_of(own_.g, j, stride);
    T* w = row_of(own_.w, j, stride);
    T* step = own_.block[2];
    auto square = Simd<T>::zero(), size = Simd<T>::zero();
    for (Index k = 0; k < stride; k += SimdOrScalar<T>::width) {
      const auto next = SimdOrScalar<T>::load(g + k), difference = next - SimdOrScalar<T>::load(w + k);
      difference.store(step + k);
      next.store(w + k);
      add_squares<T>(difference, k, square);
      add_squares<T>(next, k, size);
    }
    size_ += size.sum();
    const T moved = square.sum();
    if (!(moved > T(0))) return false;
    moved_ += moved;
    return true;
  }

  /// An epoch on the quadratic model of the loss at z, then a search along its step; takes the value.
  [[gnu::noinline]] void descend_on_model(T before) {
    const Index stride = stride_;
    take_gradients();
    copy(static_cast<const T*>(own_.w), matrix_entries(), own_.d);
    visit_smooth(loss_, [&]<class One>(const One& loss) {
      if constexpr (!is_sum_of_violations<One>()) sweep_model(loss);
    });
    // d ← the step from the point before, which g and h keep; then w ← g + αd with the first α = 1, ½, … that descends.
    const auto along = [&](auto visit) {
      for (Index c = 0; c < working_ + Index(options_.intercept); ++c)
        visit(c < working_ ? own_.work[c] : shape_.features);
    };
    along([&](Index j) {
      T *d = row_of(own_.d, j, stride), *g = row_of(own_.g, j, stride);
      const T* w = row_of(own_.w, j, stride);
      for (Index k = 0; k < stride; ++k) {
        g[k] = d[k];
        d[k] = w[k] - g[k];
      }
    });
    const T* base = own_.block[0];
    fill(own_.block[0], stride, T(0));
    if (options_.intercept) base = row_of(own_.d, shape_.features, stride);
    design_.multiply(own_.work, working_, own_.d, stride, base, own_.u);
    copy(static_cast<const T*>(own_.z), dual_entries(), own_.h);
    add_scaled(own_.u, T(1), own_.z);
    T alpha = T(1);
    const T most = before + T(8) * epsilon<T> * absolute(before);  // more is no rounding
    while (!((value_ = objective()) <= most) && alpha > T(0)) {
      alpha = alpha > T(1e-3) ? T(0.5) * alpha : T(0);
      along([&](Index j) {
        T* w = row_of(own_.w, j, stride);
        const T *d = row_of(own_.d, j, stride), *g = row_of(own_.g, j, stride);
        for (Index k = 0; k < stride; ++k) w[k] = alpha > T(0) ? g[k] + alpha * d[k] : g[k];
      });
      copy(static_cast<const T*>(own_.h), dual_entries(), own_.z);
      if (alpha > T(0)) add_scaled(own_.u, alpha, own_.z);
    }
    caution_ = alpha < T(0.1) ? smallest(T(4) * caution_, T(64)) : largest(T(0.5) * caution_, T(1));
  }

  /// The share of the squares that is added to the curvature of a model once a search has ended early: where scores are
  /// far from their labels the loss is a straight line.
  T caution() const { return (caution_ - T(1)) / T(128); }

  /// Sweeps over the features of the quadratic model, whose gradient is kept in u.
  template <class Smooth>
  [[gnu::noinline]] void sweep_model(const Smooth& loss) {
    const Index stride = stride_, classes = shape_.classes;
    for (Index i = 0; i < shape_.samples; ++i) {
      T* h = row_of(own_.h, i, stride);
      loss.take_curvature(row_of(own_.z, i, stride), classes, label_of(loss, targets_, i), targets_.margin(i),
                          weight(i), T(0), h);
      for (Index k = classes; k < stride; ++k) h[k] = T(0);
      own_.bound[i] = loss.curvature_size(h, classes, label_of(loss, targets_, i), weight(i)).bound;
    }
    const auto apply = [&](Index i, T value, const T* step) {
      const T* h = row_of(own_.h, i, stride);
      if constexpr (requires { loss.add_curvature(h, stride, value, value, step, own_.u); }) {
        loss.add_curvature(h, stride, weight(i), value, step, row_of(own_.u, i, stride));
        return;
      }
      T* t = own_.block[0];
      for (Index k = 0; k < stride; ++k) t[k] = value * step[k];
      loss.apply_curvature(row_of(own_.h, i, stride), classes, label_of(loss, targets_, i), weight(i), t);
      T* u = row_of(own_.u, i, stride);
      for (Index k = 0; k < classes; ++k) u[k] += t[k];
    };
    for (int sweep = 0; sweep < sweeps(); ++sweep) {
      visit_work([&](FeatureGroup group) {
        T curvature = 0;
        for (Index r = 0; r < group.count; ++r) {
          const Index j = group.feature(r);
          const Column<T> x = design_.column(j);
          sum_column(x, static_cast<const T*>(own_.u), stride, row_of(own_.g, j, stride));
          for (Index e = 0; e < x.count; ++e) curvature += x.values[e] * x.values[e] * own_.bound[x.sample(e)];
          curvature += caution() * own_.squares[j];
        }
        move_group(group, curvature, [&](Index j, const T* step) {
          const Column<T> x = design_.column(j);
          for (Index e = 0; e < x.count; ++e) apply(x.sample(e), x.values[e], step);
        });
      });
      if (!options_.intercept || settled()) continue;
      T* sums = own_.block[1];
      column_sums(static_cast<const T*>(own_.u), shape_.samples, stride, sums);
      T curvature = caution();
      for (Index i = 0; i < shape_.samples; ++i) curvature += own_.bound[i];
      T* step = own_.block[2];
      T* b = row_of(own_.w, shape_.features, stride);
      fill(step, stride, T(0));
      for (Index k = 0; k < classes; ++k) {
        step[k] = curvature > T(0) ? -sums[k] / curvature : T(0);
        b[k] += step[k];
      }
      for (Index i = 0; i < shape_.samples; ++i) apply(i, T(1), step);
    }
  }

  /// z += factor u, samples × stride.
  void add_scaled(const T* u, T factor, T* z) const {
    const auto scale = SimdOrScalar<T>::fill(factor);
    for (std::size_t e = 0; e < dual_entries(); e += SimdOrScalar<T>::width)
      (SimdOrScalar<T>::load(z + e) + scale * SimdOrScalar<T>::load(u + e)).store(z + e);
  }

  /// Over the groups in work, of an epoch on a model.
  int sweeps() const { return settled() ? 10 : 4; }

  Memory own_{};
  T lambda_ = T(0);       ///< that epochs work with
  bool settled_ = false;  ///< see settled()
  bool known_ = false;    ///< the value
  Index working_ = 0;     ///< entries of `work`
  T caution_ = T(1);      ///< factor of the curvature; see caution() for epochs on a model
  T value_ = T(0);        ///< of the objective, while `known_`
  T decrease_ = T(0);   ///< of the objective in the last epoch
  T shrinkage_ = T(1);  ///< of that in the last two
  T moved_ = T(0);      ///< squared length of an epoch's steps
  T size_ = T(0);       ///< squared length of the coefficients
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
