#pragma once
#include "../linalg/rows.hpp"
#include "../shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// One column of a design where it lies: values[e] at sample rows[e], ascending, or at sample e where `rows` is null.
/// Samples that do not occur have the value 0.
template <class T>
struct Column {
  const T* values;
  const Index* rows;
  Index count;

  [[gnu::always_inline]] Index sample(Index e) const { return rows ? rows[e] : e; }
  /// Behind the values from `first` on of which as many are not zero as are added in one block.
  Index end_of_block(Index first) const {
    if (count - first <= rows_of_block) return count;
    for (Index left = rows_of_block; first < count && left > 0; ++first) left -= values[first] != T(0);
    return first;
  }
};

/// Whether the columns of `design` can be read where they lie: one of a kind chosen while running says so itself.
template <class D>
constexpr bool has_columns(const D& design) {
  if constexpr (requires { design.has_columns(); }) return design.has_columns();
  else return requires(Index feature) { design.column(feature); };
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
