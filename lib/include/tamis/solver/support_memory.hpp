#pragma once
/// Where Newton's method on the support is in the caller's memory.

#include "../arena.hpp"
#include "../design/blocked_columns.hpp"
#include "../shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Memory of SupportNewton.
template <class T>
struct SupportMemory {
  static constexpr Index most_sampled = 1536;  ///< samples of the preconditioner
  /// Entries of a system that is solved by a factor of all of it, for which it takes as many products: the most with
  /// few features, whose support stays, and with many.
  static constexpr Index most_entries = 300, most_of_many = 180;

  T* coefficients[3];  ///< direction, image, preconditioned residual: (features + 1) × stride
  T* diagonal;         ///< of A: an entry per feature, and of the intercepts
  Index* support;      ///< features of the groups that are not zero, group after group
  Index* chosen;       ///< samples that curve
  Index* place;        ///< of a sample among them
  Index* starts;       ///< of the support's columns in the sparse copy
  T* packed;           ///< limit × stride
  T* factor;           ///< of A
  T* values;           ///< the chosen samples' values at the support, by columns; then those of the sampled ones
  Index limit;         ///< rows of the factor: features of the support and the intercept, or entries of a small system
  std::size_t room;    ///< values

  static constexpr SupportMemory lay_out(Arena& arena, Shape shape, std::size_t entries, Index limit) {
    SupportMemory m{};
    const Index stride = padded<T>(shape.classes);
    for (T*& matrix : m.coefficients)
      matrix = arena.take<T>(detail::saturating_multiply(detail::saturating_add(shape.features, 1), stride));
    m.diagonal = arena.take<T>(detail::saturating_add(shape.features, 1));
    m.support = arena.take<Index>(shape.features);
    for (Index** list : {&m.chosen, &m.place}) *list = arena.take<Index>(shape.samples);
    m.starts = arena.take<Index>(detail::saturating_add(shape.features, 1));
    m.packed = arena.take<T>(detail::saturating_multiply(limit, stride));
    m.factor = arena.take<T>(detail::saturating_multiply(capacity(limit), limit));
    m.room = copied_values(shape, entries, limit);
    m.values = arena.take<T>(m.room);
    m.limit = limit;
    return m;
  }

  /// Rows and columns of a factor for that many active coefficients: the features and the intercept at most, or all
  /// coefficients where they are few.
  static constexpr Index highest_limit(Shape shape, Index active_limit) {
    const Index all = shape.features < most_entries ? (shape.features + 1) * shape.classes : 0;
    const Index few = all <= most_entries ? all : 0;
    return smallest(smallest(active_limit, Index(0xffff)), largest(saturated_features(shape), few));
  }
  /// The largest limit that `bytes` of memory are enough for; 0: they are too few for this method.
  static constexpr Index limit_of(Shape shape, std::size_t entries, std::size_t bytes) {
    Index low = 0, high = highest_limit(shape, 0xffff) + 1;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      Arena counter;
      (void)lay_out(counter, shape, entries, middle);
      (counter.used() <= bytes ? low : high) = middle;
    }
    return low;
  }
  /// Entries of a row of the factor.
  static constexpr Index capacity(Index limit) { return (limit + 3) / 4 * 4; }

 private:
  static constexpr Index saturated_features(Shape shape) {
    return shape.features < 0xfffe ? shape.features + 1 : 0xffff;
  }
  /// Values of copies: twice those that are not zero, no more than there are, and the samples of the preconditioner.
  static constexpr std::size_t copied_values(Shape shape, std::size_t entries, Index limit) {
    const Index most = smallest(limit, saturated_features(shape));
    const std::size_t all = detail::saturating_multiply(shape.samples, smallest(limit, shape.features));
    const std::size_t twice = detail::saturating_multiply(entries, 2);
    const std::size_t sampled = detail::saturating_multiply(smallest(shape.samples, most_sampled), most);
    const std::size_t padding = detail::saturating_multiply(2 * BlockedColumns<T>::block, most);
    return detail::saturating_add(detail::saturating_add(all < twice ? all : twice, sampled), padding);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
