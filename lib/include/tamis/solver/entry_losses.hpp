#pragma once
/// A loss with a Hessian of entries over all samples: gradients, balanced duals and their value, many samples at once.

#include "../arena.hpp"
#include "../concepts.hpp"
#include "../linalg/cholesky.hpp"
#include "../linalg/rows.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// visit(loss) with the loss itself, if it is an EntryLoss.
template <class T, class Loss, class Visit>
void visit_entry_loss(const Loss& loss, Visit visit) {
  visit_smooth(loss, [&]<class One>(const One& one) {
    if constexpr (EntryLoss<One, T>) visit(one);
  });
}

/// What a point of a path takes of its loss. `take_losses` comes first.
template <class T>
class EntryLosses {
 public:
  struct Memory {
    T* row;    ///< scratch: curvatures of a sample
    T* shift;  ///< of the intercepts
    T* small;  ///< the Hessian of the intercepts alone
    T* block;  ///< scratch: rows of a block of samples

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      const Index stride = padded<T>(shape.classes);
      for (T** row : {&m.row, &m.shift}) *row = arena.take<T>(stride);
      m.small = arena.take<T>(detail::saturating_multiply(stride, stride));
      m.block = arena.take<T>(detail::saturating_multiply(EntryLosses::block, std::size_t{stride} + 2));
      return m;
    }
  };

  EntryLosses() = default;
  explicit EntryLosses(const Memory& memory) : m_(memory) {}

  /// Of the intercepts, from w to where shift_intercepts has led.
  const T* shift() const { return m_.shift; }

  /// Σ cℓ at scores z; u ← its gradients.
  template <class Loss>
  [[gnu::noinline]] T take_losses(const Loss& any_loss, const Targets<T>& targets, const T* z, T* u, Index stride) {
    Sum<T> total;
    fill(m_.row, stride, T(0));
    fill(m_.small, std::size_t(targets.classes) * stride, T(0));
    visit_entry_loss<T>(any_loss, [&](const auto& loss) {
      each_block(targets.samples(), [&](Index first, Index end) {
        loss.gradients(targets, z, first, end, stride, u, m_.block, total);
        for (Index i = first; i < end; ++i) {
          loss.curvature_of_gradient(row_of(u, i, stride), targets.classes, label_of(loss, targets, i),
                                     targets.weight(i), m_.row);
          for (Index k = 0; k < targets.classes; ++k) {
            T* const row = row_of(m_.small, k, stride);
            const T scale = targets.weight(i) * m_.row[k];
            add_scaled_row(static_cast<const T*>(row), -scale, static_cast<const T*>(m_.row), padded<T>(k + 1), row);
            row[k] += scale;
          }
        }
      });
    });
    return total.value();
  }

  /// A step of Newton's method on the intercepts alone, and the duals u of take_losses to where it leads:
  /// u + H·1·shift, which is nearly balanced and needs no exponentials. The step is not taken, but the next one of all
  /// begins with it. True: u is balanced up to rounding. `sums`: of the columns of u then.
  template <class Loss>
  [[gnu::noinline]] bool shift_intercepts(const Loss& any_loss, const Targets<T>& targets, T* u, Index stride,
                                          T* sums) {
    const Index last = targets.classes - 1;  // the same shift of all classes changes nothing
    const Index samples = targets.samples();
    block_sums(static_cast<const T*>(u), samples, stride, sums);
    for (Index k = 0; k < stride; ++k) m_.shift[k] = k < last ? -sums[k] : T(0);
    T most = infinity<T>, mass = 0, left = 0;
    if (factor_cholesky(m_.small, last, stride)) {
      solve_cholesky(static_cast<const T*>(m_.small), last, stride, m_.shift);
      most = largest_magnitude(m_.shift, last);
    }
    if (!(most < T(0.25))) {  // probabilities would leave their range
      fill(m_.shift, stride, T(0));
      return false;
    }
    visit_entry_loss<T>(any_loss, [&](const auto& loss) {
      for (Index i = 0; i < samples; ++i) {
        T* row = row_of(u, i, stride);
        loss.curvature_of_gradient(row, targets.classes, label_of(loss, targets, i), targets.weight(i), m_.row);
        loss.add_curvature(m_.row, stride, targets.weight(i), T(1), m_.shift, row);
        T size = 0;
        for (Index k = 0; k < targets.classes; ++k) size += absolute(row[k]);
        mass += size;
      }
    });
    block_sums(static_cast<const T*>(u), samples, stride, sums);
    for (Index k = 0; k < stride; ++k) left += absolute(sums[k]);
    return left <= T(64) * epsilon<T> * mass;
  }
  /// What the samples contribute to the dual objective at s·u.
  template <class Loss>
  [[gnu::noinline]] T loss_dual(const Loss& any_loss, const Targets<T>& targets, const T* u, Index stride,
                                T scale) const {
    Sum<T> total;
    visit_entry_loss<T>(any_loss, [&](const auto& loss) {
      each_block(targets.samples(), [&](Index first, Index end) {
        loss.dual_values(targets, u, first, end, stride, scale, m_.block, total);
      });
    });
    return total.value();
  }

 private:
  static constexpr Index block = 64;  ///< samples that are looked at together

  template <class Visit>
  static void each_block(Index samples, Visit visit) {
    for (Index first = 0; first < samples; first += smallest(block, samples - first))
      visit(first, first + smallest(block, samples - first));
  }

  Memory m_{};
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
