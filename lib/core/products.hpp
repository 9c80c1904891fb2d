#pragma once
/// The products of dense designs and the passes over columns, compiled once for each scalar: solvers of all losses and
/// penalties call the same ones.

#include "tamis/design/column_passes.hpp"
#include "tamis/design/dense_products.hpp"

/// All that is compiled, as `extern template` or as `template`.
#define TAMIS_PRODUCTS(DECLARE, T)                                                                                     \
  DECLARE void tamis::detail::multiply(const tamis::detail::DenseValues<T>&, const tamis::Index*, tamis::Index,        \
                                       const T*, tamis::Index, const T*, T*);                                          \
  DECLARE void tamis::detail::add_transposed_blocks(const tamis::detail::DenseValues<T>&, const tamis::Index*,         \
                                                    tamis::Index, const T*, tamis::Index, bool, T*);                   \
  DECLARE void tamis::add_column(tamis::Column<T>, const T*, tamis::Index, T*);                                        \
  DECLARE void tamis::sum_column(tamis::Column<T>, const T*, tamis::Index, T*);                                        \
  DECLARE void tamis::detail::sum_violations<T, tamis::Violations::of_pairs>(                                          \
      tamis::Column<T>, const tamis::detail::ViolationPass<T>&, tamis::Index, T*, T*);                                 \
  DECLARE void tamis::detail::sum_violations<T, tamis::Violations::of_classes>(                                        \
      tamis::Column<T>, const tamis::detail::ViolationPass<T>&, tamis::Index, T*, T*);

TAMIS_PRODUCTS(extern template, float)
TAMIS_PRODUCTS(extern template, double)
