#pragma once
/// Doors to and from Eigen: views in both directions, nothing is copied.

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <type_traits>
#include <utility>

#include "design/dense.hpp"
#include "design/quantised.hpp"
#include "design/sparse.hpp"
#include "features/kernels.hpp"
#include "model/linear.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A design that looks at an Eigen matrix, map, reference or block of samples × features, which must outlive it: a
/// DenseDesign where entries of a column lie next to each other, a StridedDesign in every other layout. Same bits.
template <class Derived>
auto design(const Eigen::DenseBase<Derived>& x) {
  static_assert((Derived::Flags & Eigen::DirectAccessBit) != 0, "evaluate the expression into a matrix first");
  using T = typename Derived::Scalar;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "samples are of float or double: cast the matrix, or take a QuantisedDesign of its integers");
  const auto& matrix = x.derived();
  const auto samples = static_cast<Index>(matrix.rows()), features = static_cast<Index>(matrix.cols());
  const auto inner = static_cast<std::size_t>(matrix.innerStride()),
             outer = static_cast<std::size_t>(matrix.outerStride());
  if constexpr (!Derived::IsRowMajor && Derived::InnerStrideAtCompileTime == 1)
    return DenseDesign<T>(matrix.data(), samples, features, outer);
  else if constexpr (Derived::IsRowMajor)
    return StridedDesign<T>(matrix.data(), samples, features, {}, {.sample_stride = outer, .column_stride = inner});
  else return StridedDesign<T>(matrix.data(), samples, features, {}, {.sample_stride = inner, .column_stride = outer});
}
/// The type of that: Training<float, Hinge, L1, DesignOf<Matrix>> takes it, with or without the last.
template <class Matrix>
using DesignOf = decltype(design(std::declval<const Matrix&>()));
/// A temporary would be gone before the design is used.
template <class Scalar, int rows, int columns, int options, int max_rows, int max_columns>
void design(const Eigen::Matrix<Scalar, rows, columns, options, max_rows, max_columns>&&) = delete;

/// The same samples for kernels.
template <class Derived>
SampleTable<typename Derived::Scalar> sample_table(const Eigen::DenseBase<Derived>& x) {
  static_assert((Derived::Flags & Eigen::DirectAccessBit) != 0, "evaluate the expression into a matrix first");
  const auto& matrix = x.derived();
  const auto step = [&](bool along) {
    return static_cast<std::size_t>(along ? matrix.outerStride() : matrix.innerStride());
  };
  return {matrix.data(), static_cast<Index>(matrix.rows()), static_cast<Index>(matrix.cols()),
          step(Derived::IsRowMajor), step(!Derived::IsRowMajor)};
}
/// Rows of sparse samples are no columns.
template <class T>
void design(const Eigen::SparseMatrix<T, Eigen::RowMajor, int>&) {
  static_assert(sizeof(T) == 0, "the design reads sparse samples feature by feature: make a column-major SparseMatrix");
}
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

/// The class of one sample: a row of a matrix, a vector or another expression that lies in memory.
template <class T, class Derived>
Label predict(const LinearModel<T>& model, const Eigen::DenseBase<Derived>& sample) {
  static_assert(Derived::IsVectorAtCompileTime && (Derived::Flags & Eigen::DirectAccessBit) != 0,
                "a sample is a vector that lies in memory: evaluate the expression first");
  static_assert(std::is_same_v<typename Derived::Scalar, T>,
                "the sample and the model are of different precision: cast the sample");
  eigen_assert(sample.size() == static_cast<Eigen::Index>(model.features));
  return model.predict(sample.derived().data(), static_cast<std::size_t>(sample.derived().innerStride()));
}
/// Its scores, `classes` of them, into `out`.
template <class T, class Derived>
void scores(const LinearModel<T>& model, const Eigen::DenseBase<Derived>& sample,
            Eigen::Ref<Eigen::Matrix<std::type_identity_t<T>, Eigen::Dynamic, 1>> out) {
  static_assert(Derived::IsVectorAtCompileTime && (Derived::Flags & Eigen::DirectAccessBit) != 0 &&
                    std::is_same_v<typename Derived::Scalar, T>,
                "a sample is a vector that lies in memory, of the model's precision");
  eigen_assert(sample.size() == static_cast<Eigen::Index>(model.features) &&
               out.size() == static_cast<Eigen::Index>(model.classes));
  model.scores(sample.derived().data(), out.data(), static_cast<std::size_t>(sample.derived().innerStride()));
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
