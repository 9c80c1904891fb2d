#pragma once
/// Doors to and from Eigen: views in both directions, nothing is copied.

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "design/dense.hpp"
#include "design/sparse.hpp"
#include "model/linear.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A design that looks at an Eigen matrix, map, reference or block: samples × features, column-major, entries of a
/// column next to each other. The matrix must outlive it.
template <class Derived>
DenseDesign<typename Derived::Scalar> design(const Eigen::DenseBase<Derived>& x) {
  static_assert((Derived::Flags & Eigen::DirectAccessBit) != 0, "evaluate the expression into a matrix first");
  static_assert(!Derived::IsRowMajor && Derived::InnerStrideAtCompileTime == 1,
                "the design must be column-major with columns that are not strided");
  const auto& matrix = x.derived();
  return {matrix.data(), static_cast<Index>(matrix.rows()), static_cast<Index>(matrix.cols()),
          static_cast<std::size_t>(matrix.outerStride())};
}
/// A temporary would be gone before the design is used.
template <class Scalar, int rows, int columns, int options, int max_rows, int max_columns>
void design(const Eigen::Matrix<Scalar, rows, columns, options, max_rows, max_columns>&&) = delete;

/// A design that looks at a column-major sparse matrix of samples × features, compressed or not. It must outlive it.
template <class T>
SparseDesign<T> design(const Eigen::SparseMatrix<T, Eigen::ColMajor, int>& x) {
  return {x.valuePtr(),
          reinterpret_cast<const Index*>(x.innerIndexPtr()),
          reinterpret_cast<const Index*>(x.outerIndexPtr()),
          static_cast<Index>(x.rows()),
          static_cast<Index>(x.cols()),
          reinterpret_cast<const Index*>(x.innerNonZeroPtr())};
}

/// The coefficients of a model as a features × classes matrix, a view into the arena.
template <class T>
auto coefficients(const LinearModel<T>& model) {
  using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>(
      model.coefficients, model.features, model.classes, Eigen::OuterStride<>(model.stride()));
}

/// The intercepts of a model, a view into the arena.
template <class T>
auto intercepts(const LinearModel<T>& model) {
  return Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>>(
      row_of(model.coefficients, model.features, model.stride()), model.classes);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
