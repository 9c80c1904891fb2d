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

  T* coefficients[3];  ///< direction, image, preconditioned residual: (features + 1) × stride
  T* diagonal;         ///< of A: an entry per feature, and of the intercepts
  Index* support;      ///< features of the groups that are not zero, group after group
  Index* chosen;       ///< samples that curve
  Index* place;        ///< of a sample among them
  Index* starts;       ///< of the support's columns in the sparse copy
  T* packed;           ///< limit × stride
  T* factor;           ///< of A
  T* values;           ///< the chosen samples' values at the support, by columns; then those of the sampled ones
  Index limit;         ///< rows of the factor: features of the support and the intercept
  Index class_limit;   ///< rows of the factors of classes, which follow the values; 0: there are none
  std::size_t room;    ///< values, whole vectors

  [[gnu::noinline]] static constexpr SupportMemory lay_out(Arena& arena, Shape shape, std::size_t entries, Index limit,
                                                           bool by_classes = true) {
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
    m.limit = limit;
    m.class_limit = by_classes ? limit_of_classes(shape, m.room, limit) : 0;
    m.values = arena.take<T>(detail::saturating_add(m.room, size_of_classes(shape, m.class_limit)));
    return m;
  }
  /// With the largest limit that the memory is enough for, and factors of classes unless that would be much smaller for
  /// them. Without a limit it is too little for this method.
  TAMIS_COLD_IN_MODULES static constexpr SupportMemory of(Arena& arena, Shape shape, std::size_t entries,
                                                          std::size_t bytes) {
    const Index most = limit_of(shape, entries, bytes, false), with = limit_of(shape, entries, bytes, true);
    const bool by_classes = with >= smallest(most, saturated_features(shape)) / 4 * 3;
    const Index limit = by_classes ? with : most;
    return limit > 0 ? lay_out(arena, shape, entries, limit, by_classes) : SupportMemory{};
  }

  /// Rows and columns of a factor for that many active coefficients: the features and the intercept at most.
  static constexpr Index limit_for(Shape shape, Index active_limit) {
    return smallest(active_limit, saturated_features(shape));
  }
  /// Entries of a row of a factor.
  static constexpr Index capacity(Index limit) { return (limit + 3) / 4 * 4; }

 private:
  /// The largest limit that `bytes` of memory are enough for, or 0.
  [[gnu::noinline]] static constexpr Index limit_of(Shape shape, std::size_t entries, std::size_t bytes,
                                                    bool by_classes) {
    Index low = 0, high = saturated_features(shape) + 1;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      Arena counter;
      (void)lay_out(counter, shape, entries, middle, by_classes);
      (counter.used() <= bytes ? low : high) = middle;
    }
    return low;
  }
  static constexpr Index saturated_features(Shape shape) {
    return shape.features < 0xfffe ? shape.features + 1 : 0xffff;
  }
  /// Values of copies: twice those that are not zero, no more than there are, and the samples of the preconditioner.
  static constexpr std::size_t copied_values(Shape shape, std::size_t entries, Index limit) {
    const std::size_t all = detail::saturating_multiply(shape.samples, smallest(limit, shape.features));
    const std::size_t twice = detail::saturating_multiply(entries, 2);
    const std::size_t sampled = detail::saturating_multiply(smallest(shape.samples, most_sampled), limit);
    const std::size_t padding = detail::saturating_multiply(2 * BlockedColumns<T>::block, limit);
    const std::size_t values =
        detail::saturating_add(detail::saturating_add(all < twice ? all : twice, sampled), padding);
    return detail::saturating_add(values, (lanes<T> - values % lanes<T>) % lanes<T>);
  }
  /// The most rows with which factors of classes have no more entries than the copies, or a megabyte of doubles.
  static constexpr Index limit_of_classes(Shape shape, std::size_t copies, Index limit) {
    if (shape.classes < 2) return 0;
    const std::size_t most = largest(std::size_t{1} << 17, copies);
    while (size_of_classes(shape, limit) > most) limit -= limit / 16 + 1;
    return limit;
  }
  static constexpr std::size_t size_of_classes(Shape shape, Index rows) {
    return detail::saturating_multiply(std::size_t{rows} * capacity(rows), shape.classes);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
