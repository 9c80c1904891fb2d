#pragma once
/// Training on Eigen's matrices.

#include "../training.hpp"
#include "design.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// X and y as solvers take them: labels or values, and columns where a solver needs them otherwise than they lie, are
/// in the first `own_bytes` of the memory, the rest is the solver's. Any other status than running: refused; what does
/// not fit, before anything is written.
template <class T, class Design>
struct GivenProblem {
  Status status = Status::invalid_shape;
  Index row = 0, column = 0;     ///< the place of what is wrong
  std::size_t needed_bytes = 0;  ///< of the memory
  std::size_t own_bytes = 0;
  Shape shape = {};
  Design design = {};
  Targets<T> targets = {};
  std::span<std::byte> rest = {};

  /// What the solver says of itself, `out`, becomes what is said of the whole.
  template <class Fit>
  Fit add_own(Fit out) const {
    out.arena_bytes += own_bytes;
    out.arena_used_bytes += own_bytes;
    return out;
  }
  template <class Fit>
  Fit refused() const {
    Fit out;
    out.status = status;
    out.row = row;
    out.column = column;
    out.arena_bytes = needed_bytes;
    return out;
  }
};

namespace detail {

/// One more than the largest label.
template <class Y>
Index classes_of(const Y& y) {
  Index classes = 1;
  for (const auto label : y)
    if (label >= 0 && static_cast<std::uint64_t>(label) < no_label)
      classes = largest(classes, static_cast<Index>(label) + 1);
  return classes;
}

/// Bytes for labels, or values of T, of so many samples.
template <class T, bool of_values>
constexpr Requirement targets_requirement(Index samples) {
  Arena arena;
  (void)arena.take<std::conditional_t<of_values, T, Label>>(samples);
  return {arena.used()};
}

/// The problem of X and y: columns(shape) says how much of the memory they take, rest(shape) how much the solver does,
/// and view(X, room) makes the design.
template <class T, class Design, bool of_values, class X, class Y, class Columns, class Rest, class View>
GivenProblem<T, Design> take_problem(const X& x, const Y& y, std::span<std::byte> memory, Index classes,
                                     Columns columns, Rest rest, View view) {
  GivenProblem<T, Design> given;
  constexpr auto most = static_cast<std::size_t>(static_cast<Index>(-1));
  const auto samples = static_cast<std::size_t>(x.rows()), features = static_cast<std::size_t>(x.cols());
  if (static_cast<std::size_t>(y.size()) != samples || samples > most || features > most) return given;
  if constexpr (of_values) classes = 1;
  else if (classes == 0) classes = classes_of(y);
  given.shape = {static_cast<Index>(samples), static_cast<Index>(features), classes};
  const Requirement of_targets = targets_requirement<T, of_values>(given.shape.samples);
  const std::size_t own = (of_targets & columns(given.shape)).bytes;
  given.needed_bytes = saturating_add(own, rest(given.shape).bytes);
  given.status = Status::invalid_arena;
  if (!Arena::aligned(memory)) return given;
  given.status = Status::arena_too_small;
  if (memory.size() < given.needed_bytes) return given;
  given.status = Status::running;
  given.own_bytes = own;
  given.targets.classes = classes;
  Arena arena(memory);
  if constexpr (of_values) {
    T* const values = arena.take<T>(samples);
    std::size_t i = 0;
    for (const auto value : y) values[i++] = static_cast<T>(value);
    given.targets.values = {values, samples};
  } else {
    given.targets.labels = labels_of(y, {arena.take<Label>(samples), samples});
  }
  given.design = view(x, memory.subspan(of_targets.bytes, own - of_targets.bytes));
  given.rest = memory.subspan(own);
  return given;
}

/// Whether X is of the kind that a training on `Matrix` is for; no other compiles.
template <class Matrix, class X>
constexpr bool are_trained_on() {
  constexpr bool same_scalar = std::is_same_v<typename X::Scalar, typename Matrix::Scalar>;
  static_assert(same_scalar,
                "these samples have another precision than the training: cast them, or name their matrix before the "
                "loss");
  constexpr bool same_kind = is_sparse<X> == is_sparse<Matrix>;
  static_assert(same_kind,
                "sparse samples are for a training on a sparse matrix, and dense ones for one on a dense matrix");
  return same_scalar && same_kind;
}

}  // namespace detail

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
  using Scalar = T;
  using typename Base::Design;
  static constexpr bool of_values = requires { requires Loss::predicts_values(); };

  constexpr explicit Training(const Options<T>& options, Loss loss = {}, Penalty penalty = {})
      : Base(options, loss, penalty) {}

  /// The least number of arena bytes, and the same with room to be fast.
  static constexpr std::size_t bytes(Shape shape) { return (own(shape) & solver_requirement(shape)).bytes; }
  static constexpr std::size_t bytes(Shape shape, WorkspaceHint hint) {
    return (own(shape, hint) & solver_requirement(shape, hint)).bytes;
  }
  /// What is the solver's of that, and what is not.
  static constexpr Requirement solver_requirement(Shape shape) { return {Base::bytes(shape)}; }
  static constexpr Requirement solver_requirement(Shape shape, WorkspaceHint hint) {
    return {Base::bytes(shape, hint)};
  }
  static constexpr Requirement own(Shape shape) {
    return own(shape, {.entries = detail::saturating_multiply(shape.samples, shape.features)});
  }
  static constexpr Requirement own(Shape shape, WorkspaceHint hint) {
    return detail::targets_requirement<T, of_values>(shape.samples) & columns(shape, hint.entries);
  }

  /// Trains on samples in the rows of X and labels from 0 on, integers of any kind in a vector, or where the loss
  /// predicts values on those. `classes`: 0 for one more than the largest label.
  template <class X, class Y, class Observe = Unobserved>
  Fit<T> fit(const X& x, const Y& y, std::span<std::byte> memory, Index classes = 0, Observe&& observe = {}) const {
    const auto given = take(x, y, memory, classes, [](Shape shape) { return solver_requirement(shape); });
    if (given.status != Status::running) return given.template refused<Fit<T>>();
    return given.add_own(this->run(given.design, given.targets, given.rest, observe));
  }

  /// What fit trains on, for a run that needs rest(shape) bytes beside.
  template <class X, class Y, class Rest>
  GivenProblem<T, Design> take(const X& x, const Y& y, std::span<std::byte> memory, Index classes, Rest rest) const {
    if constexpr (!detail::are_trained_on<Matrix, X>()) return {};
    else
      return detail::take_problem<T, Design, of_values>(
          x, y, memory, classes,
          [&](Shape shape) {
            if constexpr (writes_columns) return columns(shape, static_cast<std::size_t>(x.nonZeros()));
            else return Requirement{};
          },
          rest, [](const X& samples, std::span<std::byte> room) { return view(samples, room); });
  }

 private:
  static constexpr Requirement columns(Shape shape, std::size_t entries) {
    return writes_columns ? columns_requirement<T>(entries, shape.features) : Requirement{};
  }
  template <class X>
  static Design view(const X& x, std::span<std::byte> room) {
    if constexpr (writes_columns) {
      return design(x, room);
    } else if constexpr (std::is_convertible_v<decltype(design(x)), Design>) {
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

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
