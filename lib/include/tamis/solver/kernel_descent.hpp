#pragma once
/// What both of Newton's methods for several kernels share: a model, directions from it, how far they lead down.

#include "../linalg/cholesky.hpp"
#include "kernel_workspace.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// G += Σ_j weight_j a_j a_jᵀ, its lower triangle, for columns a_j of a design and all samples, or the listed ones. The
/// columns come in panels that are in memory twice.
template <class T>
class KernelGram {
 public:
  static constexpr Index panel = 32;

  static constexpr KernelGram lay_out(Arena& arena, Shape shape) {
    KernelGram out{};
    const std::size_t size = detail::saturating_multiply(padded<T>(shape.samples), panel);
    for (T** strip : {&out.by_row_, &out.by_column_}) *strip = arena.take<T>(size);
    return out;
  }

  /// Of matrices with `count` rows, `width` apart.
  void begin(Index count, Index width, T* to) {
    count_ = count;
    width_ = width;
    to_ = to;
    filled_ = 0;
    fill(by_column_, std::size_t(panel) * width, T(0));
  }
  /// Adds the column whose entry e is entry(e).
  template <class Entry>
  void add(T weight, Entry entry) {
    T* const column = row_of(by_column_, filled_, width_);
    for (Index e = 0; e < count_; ++e) {
      const T value = entry(e);
      by_row_[std::size_t(e) * panel + filled_] = value;
      column[e] = weight * value;
    }
    if (++filled_ == panel) flush();
  }
  void flush() {
    DenseDesign<T>(by_row_, filled_, count_, panel).add_transposed_lower(by_column_, width_, to_);
    filled_ = 0;
  }

 private:
  T *by_row_ = nullptr, *by_column_ = nullptr;
  T* to_ = nullptr;
  Index count_ = 0, width_ = 0, filled_ = 0;
};

template <class T>
struct KernelNewtonMemory {
  T* squares;  ///< four matrices of samples × width, one after the other
  KernelGram<T> gram;
  T *point, *direction, *spare;     ///< the model, and directions from it: features × outputs
  T *scores, *along;                ///< of the model, and of the direction: samples × outputs
  T *right, *rest, *step;           ///< of systems with a row for each violation: samples × outputs
  T* column;                        ///< scratch of a row, then a solution
  T *x, *slopes;                    ///< coefficients of a model of F, and the loss's slopes where it begins
  T *residual, *product;            ///< the slopes at x, and how they change along a direction
  T* group_sums;                    ///< ‖α_g‖₁
  T *b, *b_direction, *b_gradient;  ///< of intercepts
  Index *sample, *output;           ///< of the rows of a system with one for each violation
  Index *place, *list;              ///< where their samples are in a matrix of samples, and these samples
  Index *entry_row, *entry_of;      ///< coefficients of a system with a row for each, and their classes
  Index* support;                   ///< rows of `point` that are not zero

  static constexpr KernelNewtonMemory lay_out(Arena& arena, Shape shape) {
    using detail::saturating_multiply;
    KernelNewtonMemory m{};
    const std::size_t outputs = padded<T>(shape.classes), width = padded<T>(shape.samples);
    m.squares = arena.take<T>(saturating_multiply(4, saturating_multiply(shape.samples, width)));
    m.gram = KernelGram<T>::lay_out(arena, shape);
    for (T** all : {&m.point, &m.direction, &m.spare})
      *all = arena.take<T>(saturating_multiply(shape.features, outputs));
    for (T** all : {&m.scores, &m.along, &m.right, &m.rest, &m.step})
      *all = arena.take<T>(saturating_multiply(shape.samples, outputs));
    const std::size_t entries = saturating_multiply(2, width);
    for (T** vector : {&m.column, &m.x, &m.slopes, &m.residual, &m.product}) *vector = arena.take<T>(entries);
    m.group_sums = arena.take<T>(shape.features);
    for (T** row : {&m.b, &m.b_direction, &m.b_gradient}) *row = arena.take<T>(outputs);
    for (Index** rows : {&m.sample, &m.output, &m.list}) *rows = arena.take<Index>(shape.samples);
    for (Index** rows : {&m.place, &m.entry_row, &m.entry_of}) *rows = arena.take<Index>(entries);
    m.support = arena.take<Index>(shape.features);
    return m;
  }
};

/// A model that descends. Each of its points is offered as a model, with the slopes of its loss as a dual point.
template <class T>
class KernelDescent {
 public:
  /// What was spent, in flops.
  T flops() const { return flops_; }
  /// Whether the point is one to go on from; then its intercepts are in b, and this puts its slopes into common.u.
  bool take_end() {
    if (!(workspace_.report.relative_gap < T(0.9) * first_gap_)) return false;
    copy(static_cast<const T*>(m_.b), workspace_.outputs, workspace_.m.b);
    copy(static_cast<const T*>(m_.scores), workspace_.scores(), workspace_.m.u);
    workspace_.take_slopes();
    return true;
  }

 protected:
  KernelDescent(KernelWorkspace<T>& workspace, KernelNewtonMemory<T>& memory)
      : workspace_(workspace), m_(memory), width_(padded<T>(workspace.shape.samples)) {}

  /// From the coefficients `start` and the intercepts in b: calls move(), which is false where it leads nowhere, until
  /// the gap is small enough, does not fall any more, or `budget` flops are spent. Counts iterations.
  template <class Move>
  void descend(const T* start, T budget, Move move) {
    copy(start, workspace_.coefficients(), m_.point);
    copy(static_cast<const T*>(workspace_.m.b), workspace_.outputs, m_.b);
    first_gap_ = workspace_.report.relative_gap;
    int failures = 0;
    look();
    while (workspace_.running() && flops_ < budget &&
           workspace_.report.iterations < workspace_.options.max_iterations) {
      const T gap = workspace_.report.relative_gap, objective = objective_;
      const bool moved = move();
      ++workspace_.report.iterations;
      look();
      const bool better =
          workspace_.report.relative_gap < T(0.7) * gap || objective - objective_ > T(0.001) * gap * objective;
      failures = moved && better ? 0 : failures + 1;
      if (failures == most_failures) return;
    }
  }

  T product_cost() const {
    return T(2) * T(workspace_.shape.samples) * T(workspace_.shape.features) * T(workspace_.shape.classes);
  }
  Rows<const T> point() const { return workspace_.rows(static_cast<const T*>(m_.point)); }

  /// Offers the point and its slopes; Aᵀ of these are in g.
  [[gnu::noinline]] void look() {
    copy(static_cast<const T*>(m_.b), workspace_.outputs, workspace_.m.b);
    workspace_.offer_model(m_.point);
    copy(static_cast<const T*>(workspace_.m.u), workspace_.scores(), m_.scores);
    objective_ = loss(T(0)) + workspace_.penalty.value(point(), workspace_.kernels);
    workspace_.take_slopes();
    workspace_.offer_slopes();
    workspace_.check_convergence();
    flops_ += T(2) * product_cost();
  }
  /// At the share t of the way.
  T loss(T t) const {
    Sum<T> total;
    T* const row = workspace_.m.row;
    for (Index i = 0; i < workspace_.shape.samples; ++i) {
      const T* f = row_of(m_.scores, i, workspace_.outputs);
      const T* d = row_of(m_.along, i, workspace_.outputs);
      for (Index k = 0; k < workspace_.shape.classes; ++k) row[k] = t == T(0) ? f[k] : f[k] + t * d[k];
      total.add(workspace_.loss_of(row, i));
    }
    return total.value();
  }
  /// violation(i, k) > 0: how much score k of sample i violates its margin.
  T violation(Index i, Index k) const {
    const T* f = row_of(m_.scores, i, workspace_.outputs);
    if (workspace_.binary()) return T(1) - workspace_.sign_of(i) * f[0];
    const Label y = workspace_.labels[i];
    return k == y ? T(0) : T(1) + f[k] - f[y];
  }

  /// Goes along `direction` as far as F falls; `slope` is F's derivative there. False where it does not fall.
  [[gnu::noinline]] bool search(T slope, int most = 12) {
    if (!(slope < T(-4) * epsilon<T> * objective_)) return false;
    workspace_.multiply(m_.direction, m_.b_direction, m_.along);
    flops_ += T(2) * T(workspace_.coefficients());
    T* const trial = workspace_.m.g;
    T t = 1;
    for (int tries = 0; tries < most; ++tries) {
      for (std::size_t e = 0; e < workspace_.coefficients(); ++e) trial[e] = m_.point[e] + t * m_.direction[e];
      const T value =
          loss(t) + workspace_.penalty.value(workspace_.rows(static_cast<const T*>(trial)), workspace_.kernels);
      if (value <= objective_ + T(1e-4) * t * slope && finite(slope)) {
        copy(static_cast<const T*>(trial), workspace_.coefficients(), m_.point);
        for (Index k = 0; k < workspace_.outputs; ++k) m_.b[k] += t * m_.b_direction[k];
        for (std::size_t e = 0; e < workspace_.scores(); ++e) m_.scores[e] += t * m_.along[e];
        fall_ = objective_ - value;
        objective_ = value;
        length_ = t;
        return true;
      }
      const T lowest = -slope * t * t / (T(2) * (value - objective_ - slope * t));  // of a parabola
      t = largest(T(0.1) * t, smallest(T(0.5) * t, lowest));
    }
    return false;
  }

  KernelWorkspace<T>& workspace_;
  KernelNewtonMemory<T>& m_;
  Index width_;
  T first_gap_ = T(0);
  T objective_ = T(0);             ///< F at the point
  T fall_ = T(0), length_ = T(0);  ///< of the last search
  T flops_ = T(0);

 private:
  static constexpr int most_failures = 3;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
