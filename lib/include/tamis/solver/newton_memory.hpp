#pragma once
/// Where the linear systems of the semismooth Newton phase are in the caller's memory.

#include <type_traits>

#include "../arena.hpp"
#include "../shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What a system with groups has beside.
template <class T>
struct NewtonGroupMemory {
  T* direction;  ///< ŵ on the coordinates of a group, or the signs of those at its level
  T* scale;      ///< of a group
  T* along;
  Index* member;         ///< coordinates, group by group
  Index* group_begin;    ///< among the members
  std::uint8_t* merged;  ///< of a group: its members become one column
  std::uint8_t* gone;    ///< coordinates that another one stands for
  Index groups = 0;      ///< on which Q is not the identity
  Index members = 0;
  bool runs = false;  ///< the members of every group are consecutive coordinates

  constexpr void take_groups(Arena& arena, Index capacity) {
    for (T** numbers : {&direction, &scale, &along}) *numbers = arena.take<T>(capacity);
    member = arena.take<Index>(capacity);
    group_begin = arena.take<Index>(detail::saturating_add(capacity, 1));
    merged = arena.take<std::uint8_t>(capacity);
    gone = arena.take<std::uint8_t>(capacity);
  }
};
struct NoNewtonGroupMemory {
  constexpr void take_groups(Arena&, Index) {}
};

/// What a system works on; `grouped`: see NewtonSystem.
template <class T, bool grouped>
struct NewtonMemory : std::conditional_t<grouped, NewtonGroupMemory<T>, NoNewtonGroupMemory> {
  static constexpr Index chunk = 64;

  Index capacity;
  T* matrix;
  T* gram;
  T* samples;  ///< some samples over the slots, chunk × capacity
  T* value;    ///< one sample over the coordinates
  Index* slot_feature;
  Index* feature_slot;  ///< features + 1 entries, the last being the intercept
  Index* coordinate_feature;
  Index* coordinate_slot;
  Index* class_begin;  ///< among the coordinates, classes + 1
  Index* sample_list;
  Index* support;  ///< classes in the support of a sample

  constexpr void take(Arena& arena, Shape shape, Index most) {
    capacity = most;
    const std::size_t square = detail::saturating_multiply(capacity, capacity);
    matrix = arena.take<T>(square);
    gram = arena.take<T>(square);
    samples = arena.take<T>(detail::saturating_multiply(chunk, capacity));
    value = arena.take<T>(capacity);
    feature_slot = arena.take<Index>(detail::saturating_add(shape.features, 1));
    slot_feature = arena.take<Index>(capacity);
    coordinate_feature = arena.take<Index>(capacity);
    coordinate_slot = arena.take<Index>(capacity);
    class_begin = arena.take<Index>(detail::saturating_add(shape.classes, 1));
    sample_list = arena.take<Index>(chunk);
    support = arena.take<Index>(shape.classes);
    this->take_groups(arena, capacity);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
