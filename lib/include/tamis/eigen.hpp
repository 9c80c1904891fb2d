#pragma once
/// Doors to and from Eigen: fit, predict and scores; views in both directions. Samples are copied only where sparse
/// ones lie by rows, and labels, into the memory of the caller.

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <type_traits>
#include <utility>

#include "catalogue.hpp"
#include "design/dense.hpp"
#include "design/quantised.hpp"
#include "design/sparse.hpp"
#include "features/kernels.hpp"
#include "model/interaction_terms.hpp"
#include "model/linear.hpp"
#include "training.hpp"

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

namespace detail {
template <class Matrix>
inline constexpr bool is_sparse = std::is_base_of_v<Eigen::SparseMatrixBase<Matrix>, Matrix>;
template <class Matrix>
inline constexpr bool is_eigen = std::is_base_of_v<Eigen::EigenBase<Matrix>, Matrix>;
template <class Matrix>
auto design_of() {
  if constexpr (is_sparse<Matrix>) return SparseDesign<typename Matrix::Scalar>();
  else return decltype(design(std::declval<const Matrix&>()))();
}
}  // namespace detail
/// The type of that: Training<float, Hinge, L1, DesignOf<Matrix>> takes it.
template <class Matrix>
using DesignOf = decltype(detail::design_of<Matrix>());

/// Training on matrices of such a type, `fit(X, y, memory)` in one call:
///
///     using Training = tamis::Training<Eigen::MatrixXf, tamis::Hinge, tamis::L1>;
///     auto fit = Training({.lambda = 0.02f}).fit(X, y, memory);
///
/// A column-major matrix stands for its maps, references and blocks whose columns lie together, a row-major one for
/// every dense layout. The memory, of `bytes`, holds the labels as well, and sparse samples by columns where they lie
/// by rows: then `entries` of the hint, without one every value, are their number.
template <class Matrix, class Loss, class Penalty, class... More>
requires detail::is_eigen<Matrix>
class Training<Matrix, Loss, Penalty, More...>
    : public Training<typename Matrix::Scalar, Loss, Penalty, DesignOf<Matrix>, More...> {
  using T = typename Matrix::Scalar;
  using Base = Training<T, Loss, Penalty, DesignOf<Matrix>, More...>;
  static constexpr bool writes_columns = detail::is_sparse<Matrix> && Matrix::IsRowMajor;

 public:
  using typename Base::Design;

  constexpr explicit Training(const Options<T>& options, Loss loss = {}, Penalty penalty = {})
      : Base(options, loss, penalty) {}

  /// The least number of arena bytes, and the same with room to be fast.
  static constexpr std::size_t bytes(Shape shape) {
    return own(shape, std::size_t{shape.samples} * shape.features, Requirement{Base::bytes(shape)}).bytes;
  }
  static constexpr std::size_t bytes(Shape shape, WorkspaceHint hint) {
    return own(shape, hint.entries, Requirement{Base::bytes(shape, hint)}).bytes;
  }

  /// Trains on samples in the rows of X and labels from 0 on, integers of any kind in a vector, or where the loss
  /// predicts values on those. `classes`: 0 for one more than the largest label.
  template <class X, class Y, class Observe = Unobserved>
  Fit<T> fit(const X& x, const Y& y, std::span<std::byte> memory, Index classes = 0, Observe&& observe = {}) const {
    constexpr bool same_scalar = std::is_same_v<typename X::Scalar, T>;
    static_assert(same_scalar,
                  "these samples have another precision than the training: cast them, or name their matrix before the "
                  "loss");
    constexpr bool same_kind = detail::is_sparse<X> == detail::is_sparse<Matrix>;
    static_assert(same_kind,
                  "sparse samples are for a training on a sparse matrix, and dense ones for one on a dense matrix");
    Fit<T> refused;
    refused.status = Status::invalid_shape;
    constexpr auto most = static_cast<std::size_t>(static_cast<Index>(-1));
    const auto samples = static_cast<std::size_t>(x.rows()), features = static_cast<std::size_t>(x.cols());
    if (static_cast<std::size_t>(y.size()) != samples || samples > most || features > most) return refused;
    if (classes == 0) classes = classes_of(y);
    const Shape shape{static_cast<Index>(samples), static_cast<Index>(features), classes};
    std::size_t entries = 0;
    if constexpr (writes_columns && same_kind) entries = static_cast<std::size_t>(x.nonZeros());
    const std::size_t mine = own(shape, entries, {}).bytes;
    refused.arena_bytes = detail::saturating_add(mine, Base::bytes(shape));
    refused.status = Status::invalid_arena;
    if (!Arena::aligned(memory)) return refused;
    refused.status = Status::arena_too_small;
    if (memory.size() < refused.arena_bytes) return refused;
    Targets<T> targets{{}, classes};
    Arena arena(memory);
    if constexpr (of_values) {
      T* const values = arena.take<T>(samples);
      std::size_t i = 0;
      for (const auto value : y) values[i++] = static_cast<T>(value);
      targets.values = {values, samples};
    } else {
      targets.labels = labels_of(y, {arena.take<Label>(samples), samples});
    }
    Design samples_of_x;
    if constexpr (!same_scalar || !same_kind) return refused;
    else if constexpr (!writes_columns) samples_of_x = view(x);
    else samples_of_x = design(x, memory.subspan(arena.used(), mine - arena.used()));
    auto fit = this->run(samples_of_x, targets, memory.subspan(mine), observe);
    fit.arena_bytes += mine;
    fit.arena_used_bytes += mine;
    return fit;
  }

 private:
  static constexpr bool of_values = requires { requires Loss::predicts_values(); };

  static constexpr Requirement own(Shape shape, std::size_t entries, Requirement solver) {
    Arena arena;
    (void)arena.take<std::conditional_t<of_values, T, Label>>(shape.samples);
    const Requirement labels{arena.used()};
    return labels & (writes_columns ? columns_requirement<T>(entries, shape.features) : Requirement{}) & solver;
  }
  template <class Y>
  static Index classes_of(const Y& y) {
    Index classes = 1;
    if constexpr (!of_values)
      for (const auto label : y)
        if (label >= 0 && static_cast<std::uint64_t>(label) < no_label)
          classes = largest(classes, static_cast<Index>(label) + 1);
    return classes;
  }
  template <class X>
  static Design view(const X& x) {
    if constexpr (std::is_convertible_v<decltype(design(x)), Design>) {
      return design(x);
    } else if constexpr (std::is_same_v<Design, StridedDesign<T>>) {
      const SampleTable<T> table = sample_table(x);
      return Design(table.values, table.samples, table.features, {},
                    {.sample_stride = table.sample_step, .column_stride = table.feature_step});
    } else {
      static_assert(sizeof(X) == 0,
                    "columns of these samples do not lie together: name their own type of matrix before the loss");
    }
  }
};

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

namespace detail {
/// Whether samples are what a model of T predicts; no such ones compile.
template <class T, class Derived>
constexpr bool are_samples() {
  constexpr bool in_memory = is_sparse<Derived> || (Derived::Flags & Eigen::DirectAccessBit) != 0;
  static_assert(in_memory, "samples lie in memory: evaluate the expression into a matrix or vector first");
  constexpr bool by_samples = !is_sparse<Derived> || Derived::IsRowMajor;
  static_assert(by_samples, "scores are taken sample by sample: make a row-major SparseMatrix");
  constexpr bool same_scalar = std::is_same_v<typename Derived::Scalar, T>;
  static_assert(same_scalar, "the samples and the model are of different precision: cast the samples");
  return in_memory && by_samples && same_scalar;
}
template <class Model>
Index outputs_of(const Model& model) {
  if constexpr (requires { model.outputs; }) return model.outputs;
  else return model.classes;
}
/// Whether samples of so many features are the model's: that of a refused run, without any, takes all.
template <class Model>
bool suits(const Model& model, Eigen::Index features) {
  return model.features == 0 || features == static_cast<Eigen::Index>(model.features);
}
/// Calls visit(k, score_k) for one sample.
template <class T, class Visit>
void for_each_score(const LinearModel<T>& model, const T* x, std::size_t step, Visit visit) {
  constexpr Index width = SimdOrScalar<T>::width;
  for (Index first = 0; first < model.classes && model.coefficients; first += width) {
    const auto part = model.scores(x, step, first);
    for (Index k = first; k < smallest(model.classes, first + width); ++k) visit(k, part.entry[k - first]);
  }
}
template <template <class> class Model, class T, class Visit>
void for_each_score(const Model<T>& model, const T* x, std::size_t step, Visit visit) {
  for (Index k = 0; k < model.outputs; ++k) visit(k, model.score(x, step, k));
}
/// The same for row i of sparse samples, whose zeros are left out: the same bits.
template <class T, class Derived, class Visit>
void for_each_score(const LinearModel<T>& model, const Eigen::SparseCompressedBase<Derived>& x, Eigen::Index i,
                    Visit visit) {
  using Piece = SimdOrScalar<T>;
  const Index stride = model.stride();
  for (Index first = 0; first < model.classes && model.coefficients; first += Piece::width) {
    auto total = Piece::load(row_of(model.coefficients, model.features, stride) + first);
    for (typename Eigen::SparseCompressedBase<Derived>::InnerIterator entry(x.derived(), i); entry; ++entry)
      total = total + Piece::fill(entry.value()) *
                          Piece::load(row_of(model.coefficients, static_cast<Index>(entry.col()), stride) + first);
    for (Index k = first; k < smallest(model.classes, first + Piece::width); ++k) visit(k, total.entry[k - first]);
  }
}
}  // namespace detail

/// The class of one sample: a row of a matrix, a vector or another expression that lies in memory. The model is that of
/// a Fit, or has products of features.
template <template <class> class Model, class T, class Derived>
requires(bool(Derived::IsVectorAtCompileTime)) Label
    predict(const Model<T>& model, const Eigen::DenseBase<Derived>& sample) {
  eigen_assert(detail::suits(model, sample.size()));
  if constexpr (!detail::are_samples<T, Derived>()) return no_label;
  else return model.predict(sample.derived().data(), static_cast<std::size_t>(sample.derived().innerStride()));
}
/// Its scores, one per class, into `out`.
template <template <class> class Model, class T, class Derived>
requires(bool(Derived::IsVectorAtCompileTime)) void scores(
    const Model<T>& model, const Eigen::DenseBase<Derived>& sample,
    Eigen::Ref<Eigen::Matrix<std::type_identity_t<T>, Eigen::Dynamic, 1>> out) {
  eigen_assert(detail::suits(model, sample.size()) &&
               out.size() == static_cast<Eigen::Index>(detail::outputs_of(model)));
  if constexpr (detail::are_samples<T, Derived>())
    model.scores(sample.derived().data(), out.data(), static_cast<std::size_t>(sample.derived().innerStride()));
}

/// The classes of the samples in the rows of a dense or a row-major sparse X, into `labels`, which has one for each: a
/// VectorXi, a std::vector, a span.
template <template <class> class Model, class T, class X, class Labels>
void predict(const Model<T>& model, const Eigen::EigenBase<X>& x, Labels&& labels) {
  const auto& matrix = x.derived();
  eigen_assert(static_cast<Eigen::Index>(labels.size()) == matrix.rows() && detail::suits(model, matrix.cols()));
  using To = std::remove_cvref_t<decltype(labels[0])>;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    if constexpr (!detail::are_samples<T, X>()) {
    } else if constexpr (detail::is_sparse<X>) {
      Label best = model.coefficients ? Label(0) : no_label;
      T top = -infinity<T>;
      detail::for_each_score(model, matrix, i, [&](Index k, T score) {
        if (score > top) top = score, best = static_cast<Label>(k);
      });
      labels[static_cast<Index>(i)] = static_cast<To>(best);
    } else {
      const auto row = sample_table(matrix)[static_cast<Index>(i)];
      labels[static_cast<Index>(i)] = static_cast<To>(model.predict(row.values, row.step));
    }
  }
}
/// Their scores, samples × classes, into a matrix of any layout.
template <template <class> class Model, class T, class X, class Scores>
requires(!X::IsVectorAtCompileTime) void scores(const Model<T>& model, const Eigen::EigenBase<X>& x, Scores&& out) {
  const auto& matrix = x.derived();
  eigen_assert(out.rows() == matrix.rows() && out.cols() == static_cast<Eigen::Index>(detail::outputs_of(model)) &&
               detail::suits(model, matrix.cols()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const auto visit = [&](Index k, T score) { out(i, static_cast<Eigen::Index>(k)) = score; };
    if constexpr (!detail::are_samples<T, X>()) {
    } else if constexpr (detail::is_sparse<X>) {
      detail::for_each_score(model, matrix, i, visit);
    } else {
      const auto row = sample_table(matrix)[static_cast<Index>(i)];
      detail::for_each_score(model, row.values, row.step, visit);
    }
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
