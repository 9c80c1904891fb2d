#pragma once
/// Eigen's matrices as designs: they are looked at where they lie, or written by columns into memory of the caller.

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <type_traits>
#include <utility>

#include "../arena.hpp"
#include "../design/dense.hpp"
#include "../design/quantised.hpp"
#include "../design/sparse.hpp"
#include "../features/kernels.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {
template <class Matrix>
inline constexpr bool is_sparse = std::is_base_of_v<Eigen::SparseMatrixBase<Matrix>, Matrix>;
template <class Matrix>
inline constexpr bool is_eigen = std::is_base_of_v<Eigen::EigenBase<Matrix>, Matrix>;
/// Whether its entries are its own, and gone with it.
template <class Matrix>
inline constexpr bool is_owner = std::is_base_of_v<Eigen::PlainObjectBase<Matrix>, Matrix>;
template <class Scalar, int options, class Position>
inline constexpr bool is_owner<Eigen::SparseMatrix<Scalar, options, Position>> = true;
}  // namespace detail

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
namespace detail {
template <class Derived>
constexpr void check_sparse() {
  static_assert(std::is_same_v<typename Derived::Scalar, float> || std::is_same_v<typename Derived::Scalar, double>,
                "samples are of float or double: cast the matrix");
  static_assert(sizeof(typename Derived::StorageIndex) == sizeof(Index),
                "positions in a sparse matrix have 32 bits: make it one with indices of int");
}
}  // namespace detail

/// A design that looks at a column-major sparse matrix, map or reference of samples × features, compressed or not,
/// which must outlive it.
template <class Derived>
SparseDesign<typename Derived::Scalar> design(const Eigen::SparseCompressedBase<Derived>& x) {
  detail::check_sparse<Derived>();
  static_assert(!Derived::IsRowMajor,
                "the design reads sparse samples feature by feature: give it room for its columns, design(x, room), or "
                "make a column-major SparseMatrix");
  const auto& matrix = x.derived();
  return {matrix.valuePtr(),
          reinterpret_cast<const Index*>(matrix.innerIndexPtr()),
          reinterpret_cast<const Index*>(matrix.outerIndexPtr()),
          static_cast<Index>(matrix.rows()),
          static_cast<Index>(matrix.cols()),
          reinterpret_cast<const Index*>(matrix.innerNonZeroPtr())};
}

/// Bytes for the columns of sparse samples that lie by rows: of `entries` values.
template <class T>
constexpr Requirement columns_requirement(std::size_t entries, Index features) {
  Arena arena;
  (void)arena.take<T>(entries), (void)arena.take<Index>(entries), (void)arena.take<Index>(std::size_t(features) + 1);
  return {arena.used()};
}
/// A design of the columns of a row-major sparse matrix of samples × features, compressed or not, which are written to
/// `room`, an arena of columns_requirement(). Too little of it, or a position outside of the matrix: a design without
/// samples, which training refuses.
template <class Derived>
SparseDesign<typename Derived::Scalar> design(const Eigen::SparseCompressedBase<Derived>& x,
                                              std::span<std::byte> room) {
  detail::check_sparse<Derived>();
  static_assert(Derived::IsRowMajor, "column-major samples are read where they lie: design(x)");
  using T = typename Derived::Scalar;
  const auto& matrix = x.derived();
  const auto samples = static_cast<Index>(matrix.rows()), features = static_cast<Index>(matrix.cols());
  const auto entries = static_cast<std::size_t>(matrix.nonZeros());
  if (!Arena::aligned(room)) return {};
  Arena arena(room);
  T* const values = arena.take<T>(entries);
  Index* const rows = arena.take<Index>(entries);
  Index* const starts = arena.take<Index>(std::size_t(features) + 1);
  if (arena.exhausted()) return {};
  using Entry = typename Eigen::SparseCompressedBase<Derived>::InnerIterator;
  fill(starts, std::size_t(features) + 1, Index(0));
  for (Index i = 0; i < samples; ++i)
    for (Entry entry(matrix, i); entry; ++entry) {
      const auto j = static_cast<std::size_t>(entry.col());
      if (j >= features) return {};
      ++starts[j + 1];
    }
  for (Index j = 0; j < features; ++j) starts[j + 1] += starts[j];
  for (Index i = 0; i < samples; ++i)
    for (Entry entry(matrix, i); entry; ++entry) {
      const Index to = starts[entry.col()]++;
      values[to] = entry.value();
      rows[to] = i;
    }
  for (Index j = features; j > 0; --j) starts[j] = starts[j - 1];
  starts[0] = 0;
  return {values, rows, starts, samples, features};
}

/// A design of the columns of any dense or sparse matrix, which are written to `room`, samples × features numbers of an
/// arena, for solvers that read columns where they lie. Too little of it: a design without samples.
template <class X>
DenseDesign<typename X::Scalar> dense_columns(const Eigen::EigenBase<X>& x, std::span<std::byte> room) {
  using T = typename X::Scalar;
  const auto samples = static_cast<Index>(x.rows()), features = static_cast<Index>(x.cols());
  if (!Arena::aligned(room)) return {};
  T* const values = Arena(room).take<T>(detail::saturating_multiply(samples, features));
  if (!values) return {};
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>(values, x.rows(), x.cols()) = x.derived();
  return {values, samples, features};
}

/// A temporary would be gone before the design, or the table, is used.
template <class Matrix>
requires detail::is_owner<Matrix>
void design(const Matrix&&) = delete;
template <class Matrix>
requires detail::is_owner<Matrix>
void sample_table(const Matrix&&) = delete;

namespace detail {
template <class Matrix>
auto design_of() {
  if constexpr (is_sparse<Matrix>) return SparseDesign<typename Matrix::Scalar>();
  else return decltype(design(std::declval<const Matrix&>()))();
}
}  // namespace detail
/// The type of that: Training<float, Hinge, L1, DesignOf<Matrix>> takes it.
template <class Matrix>
using DesignOf = decltype(detail::design_of<Matrix>());

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
