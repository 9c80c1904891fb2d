#pragma once
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
};

/// Whether the columns of `design` can be read where they lie: one of a kind chosen while running says so itself.
template <class D>
constexpr bool has_columns(const D& design) {
  if constexpr (requires { design.has_columns(); }) return design.has_columns();
  else return requires(Index feature) { design.column(feature); };
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
