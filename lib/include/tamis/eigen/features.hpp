#pragma once
/// Features made of Eigen's matrices: columns to mean 0 and variance 1, windows, scattering, texts.

#include <algorithm>
#include <string_view>

#include "../features/hashing.hpp"
#include "../features/normalise.hpp"
#include "../features/scattering.hpp"
#include "../features/signal_scattering.hpp"
#include "../features/standardise.hpp"
#include "../features/tf_idf.hpp"
#include "../features/windows.hpp"
#include "design.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {
/// Whether the entries of a row lie next to each other, as spans of them do; no other compiles.
template <class Derived>
constexpr bool has_whole_rows() {
  constexpr bool whole =
      Derived::IsRowMajor && Derived::InnerStrideAtCompileTime == 1 && (Derived::Flags & Eigen::DirectAccessBit) != 0;
  static_assert(whole,
                "the values of an image, a signal or a reading lie next to each other: give them, and what is made of "
                "them, as rows of row-major matrices, or as the transpose of a matrix of columns");
  return whole;
}
template <class X>
auto row_of_matrix(X& x, Eigen::Index i) {
  return std::span(x.data() + i * x.outerStride(), static_cast<std::size_t>(x.cols()));
}
}  // namespace detail

// Of all of these: what is done is `converged`; `invalid_shape` is what has not the rows, or the entries, that it asks
// for, and anything else what a transform says of itself.

/// Mean and scale of every column into `scales`, which has one for each.
template <class X>
Status measure_columns(const Eigen::DenseBase<X>& x, std::span<ColumnScale<typename X::Scalar>> scales) {
  const auto table = sample_table(x.derived());
  if (scales.size() != table.features) return Status::invalid_shape;
  for (Index j = 0; j < table.features; ++j)
    scales[j] = measure_column(table.values + j * table.feature_step, table.samples, table.sample_step);
  return Status::converged;
}
/// Standardises the columns by these scales, one for each, where they lie: samples of the training, and new ones.
template <class X>
Status standardise_columns(X&& x, std::span<const ColumnScale<typename std::remove_cvref_t<X>::Scalar>> scales) {
  const auto table = sample_table(x);
  if (scales.size() != table.features) return Status::invalid_shape;
  for (Index j = 0; j < table.features; ++j)
    standardise_column(x.data() + j * table.feature_step, table.samples, scales[j], table.sample_step);
  return Status::converged;
}
/// Divides every row by its norm, where it lies.
template <class X>
void normalise_rows(X&& x, SampleNorm norm) {
  const auto table = sample_table(x);
  for (Index i = 0; i < table.samples; ++i)
    normalise(x.data() + i * table.sample_step, table.features, norm, table.feature_step);
}

/// Images or signals in the rows of X, by a ScatteringTransform or SignalScatteringTransform that has started, into the
/// rows of `out`, as many. Of a refusal `row` is the row of X.
template <class Transform, class X, class Out>
Status transform_rows(Transform& transform, const X& x, Out&& out, Index* row = nullptr) {
  if (out.rows() != x.rows()) return Status::invalid_shape;
  if constexpr (detail::has_whole_rows<X>() && detail::has_whole_rows<std::remove_cvref_t<Out>>())
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      if (transform.transform(detail::row_of_matrix(x, i), detail::row_of_matrix(out, i))) continue;
      if (row) *row = static_cast<Index>(i);
      return transform.status();
    }
  return Status::converged;
}

/// Readings in the rows of X, channels in its columns, by windows that have started, into the rows of `out`, one for
/// each window: options().windows(readings).
template <class T, class X, class Out>
Status transform_readings(SensorWindows<T>& windows, const X& x, Out&& out) {
  if (out.rows() != static_cast<Eigen::Index>(windows.options().windows(static_cast<Index>(x.rows()))))
    return Status::invalid_shape;
  windows.restart();
  Eigen::Index window = 0;
  if constexpr (detail::has_whole_rows<X>() && detail::has_whole_rows<std::remove_cvref_t<Out>>())
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      if (!windows.push(detail::row_of_matrix(x, i))) return windows.status();
      if (windows.ready() && !windows.features(detail::row_of_matrix(out, window++))) return windows.status();
    }
  return Status::converged;
}

/// A row-major sparse matrix in memory of the caller.
template <class T>
using MapOfTexts = Eigen::Map<Eigen::SparseMatrix<T, Eigen::RowMajor>>;

namespace detail {
template <class T>
struct TextMemory {
  T* values;
  Index *features, *starts;

  static constexpr TextMemory lay_out(Arena& arena, std::size_t lines, std::size_t terms) {
    TextMemory m{};
    m.values = arena.take<T>(terms);
    m.features = arena.take<Index>(terms);
    m.starts = arena.take<Index>(lines + 1);
    return m;
  }
};
template <class Lines>
std::size_t terms_of(const Lines& lines, Index ngrams) {
  std::size_t terms = 0;
  for (const std::string_view line : lines) terms += count_terms({line.data(), line.size()}, ngrams);
  return terms;
}
}  // namespace detail

/// Bytes of memory for hash_lines: the lines are read.
template <class T, class Lines>
std::size_t hashing_bytes(const FeatureHashing<T>& hashing, const Lines& lines) {
  return count_bytes<detail::TextMemory<T>>(static_cast<std::size_t>(std::size(lines)),
                                            detail::terms_of(lines, hashing.options().ngrams))
      .bytes;
}
/// Lines of text as sparse samples in `memory`, lines × 2^bits. No rows: refused, as `hashing` says, or the memory is
/// too little or not aligned.
template <class T, class Lines>
MapOfTexts<T> hash_lines(FeatureHashing<T>& hashing, const Lines& lines, std::span<std::byte> memory) {
  static int nothing = 0;  // where the rows of no rows begin
  const MapOfTexts<T> none(0, 0, 0, &nothing, nullptr, nullptr);
  const std::size_t count = std::size(lines), terms = detail::terms_of(lines, hashing.options().ngrams);
  constexpr std::size_t most = static_cast<Index>(-1) / 2;
  if (!Arena::aligned(memory) || memory.size() < hashing_bytes(hashing, lines) || terms > most) return none;
  Arena arena(memory);
  const auto m = detail::TextMemory<T>::lay_out(arena, count, terms);
  Index filled = 0, next = 0;
  m.starts[0] = 0;
  for (const std::string_view line : lines) {
    if (!hashing.transform({line.data(), line.size()}, {m.features + filled, terms - filled},
                           {m.values + filled, terms - filled}))
      return none;
    filled += hashing.count();
    m.starts[++next] = filled;
  }
  return MapOfTexts<T>(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(hashing.options().features()),
                       static_cast<Eigen::Index>(filled), reinterpret_cast<int*>(m.starts),
                       reinterpret_cast<int*>(m.features), m.values);
}

/// In how many rows of a sparse matrix each column has a value, for TfIdf, into `counts`, one for each column.
template <class X>
Status count_documents(const Eigen::SparseCompressedBase<X>& x, std::span<Index> counts) {
  const auto& matrix = x.derived();
  if (counts.size() != static_cast<std::size_t>(matrix.cols())) return Status::invalid_shape;
  std::fill(counts.begin(), counts.end(), Index(0));
  for (Eigen::Index i = 0; i < matrix.outerSize(); ++i)
    for (typename Eigen::SparseCompressedBase<X>::InnerIterator entry(matrix, i); entry; ++entry)
      ++counts[static_cast<std::size_t>(entry.col())];
  return Status::converged;
}
/// The counts of terms in the rows of a row-major sparse matrix become their weights, where they lie. Of a refusal
/// `row` is the row of X; the rows before are weighed.
template <class T, class X>
Status weigh_terms(TfIdf<T>& weights, X&& x, Index* row = nullptr) {
  constexpr bool by_rows = std::remove_cvref_t<X>::IsRowMajor;
  static_assert(by_rows, "terms are weighed document by document: make a row-major SparseMatrix");
  for (Eigen::Index i = 0; i < x.rows() && by_rows; ++i) {
    const auto* const starts = x.outerIndexPtr();
    const auto* const filled = x.innerNonZeroPtr();
    const auto count = static_cast<std::size_t>(filled ? filled[i] : starts[i + 1] - starts[i]);
    if (weights.transform({reinterpret_cast<const Index*>(x.innerIndexPtr() + starts[i]), count},
                          {x.valuePtr() + starts[i], count}))
      continue;
    if (row) *row = static_cast<Index>(i);
    return weights.status();
  }
  return Status::converged;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
