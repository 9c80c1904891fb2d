#pragma once
/// What a solver of linear scores has at hand all the time: its report, its sizes and the memory that all solvers need.

#include "../arena.hpp"
#include "../report.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The memory that all solvers need beside their own iterates. Row `features` of a coefficient matrix holds intercepts.
template <class T>
struct CommonMemory {
  T* best;    ///< coefficients of the reported model, (features + 1) × stride; first, so that it may be kept
  T* means;   ///< of the columns of the design
  T* row[3];  ///< scratch rows
  T* score;   ///< dual norm of each group at the last full certificate
  std::int8_t* exponents;  ///< of features: see scale_of; in descent, lasting_curvature
  Index* list;  ///< active features, ascending or in the order of their listed groups, then the row of intercepts
  std::uint8_t* active;  ///< 0: not; 1: active; 2: active, and the first of its listed group

  static constexpr std::size_t coefficients(Shape shape) {
    return detail::saturating_multiply(detail::saturating_add(shape.features, 1), padded<T>(shape.classes));
  }
  static constexpr std::size_t duals(Shape shape) {
    return detail::saturating_multiply(shape.samples, padded<T>(shape.classes));
  }

  constexpr void take(Arena& arena, Shape shape) {
    best = arena.take<T>(coefficients(shape));
    means = arena.take<T>(shape.features);
    for (T*& scratch : row) scratch = arena.take<T>(padded<T>(shape.classes));
    score = arena.take<T>(shape.features);
    exponents = arena.take<std::int8_t>(detail::saturating_add(shape.features, 1));
    list = arena.take<Index>(detail::saturating_add(shape.features, 1));
    active = arena.take<std::uint8_t>(shape.features);
  }
  static constexpr CommonMemory lay_out(Arena& arena, Shape shape) {
    CommonMemory m;
    m.take(arena, shape);
    return m;
  }
};

/// First in every solver: short instructions reach only the first 128 bytes of an object on a Cortex-M.
template <class T>
struct RunState {
  Report<T> report_;
  Shape shape_;
  Index stride_;
  CommonMemory<T> memory_;
  Index active_count_ = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
