#pragma once
/// Training with products of features on Eigen's matrices.

#include "../selection/interaction_path.hpp"
#include "training.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The report, and the model as a view into the arena.
template <class T>
struct InteractionFit : Report<T> {
  InteractionModel<T> model;
};

/// InteractionAdmm on matrices of such a type:
///
///     using Training = tamis::InteractionTraining<Eigen::MatrixXf>;
///     auto fit = Training({.hierarchy = tamis::Hierarchy::weak, .options = {.lambda = 0.01f}}).fit(X, y, memory);
///
/// A column-major matrix stands for its maps, references and blocks whose columns lie together; a row-major or a sparse
/// one for every layout, and the memory then holds the columns as well. It holds the labels, or the values, too.
template <class Matrix>
class InteractionTraining {
  using T = typename Matrix::Scalar;
  static constexpr bool writes_columns = detail::is_sparse<Matrix> || Matrix::IsRowMajor;

 public:
  using Scalar = T;
  static constexpr std::size_t alignment = Arena::alignment;

  /// Design and targets of the problem do not matter.
  constexpr explicit InteractionTraining(const InteractionProblem<T>& problem) : problem_(problem) {}

  /// The least number of arena bytes; `classes` is 1 where y holds values.
  static constexpr std::size_t bytes(Shape shape) { return (own(shape) & solver_requirement(shape)).bytes; }
  /// What is the solver's of that, and what is not.
  static constexpr Requirement solver_requirement(Shape shape) { return InteractionAdmm<T>::requirement(shape); }
  static constexpr Requirement own(Shape shape) {
    return (shape.classes == 1 ? detail::targets_requirement<T, true>(shape.samples)
                               : detail::targets_requirement<T, false>(shape.samples)) &
           columns(shape);
  }

  /// Trains on samples in the rows of X, and y of integers, labels from 0 on, or of floating-point numbers, values.
  /// `classes`: 0 for one more than the largest label.
  template <class X, class Y, class Observe = Unobserved>
  InteractionFit<T> fit(const X& x, const Y& y, std::span<std::byte> memory, Index classes = 0,
                        Observe&& observe = {}) const {
    const auto given = take(x, y, memory, classes, solver_requirement);
    if (given.status != Status::running) return given.template refused<InteractionFit<T>>();
    auto solver = problem(given)(problem_.options.lambda);
    solver.start(given.rest);
    advance_to_end(solver, observe);
    return given.add_own(InteractionFit<T>{solver.report(), solver.model()});
  }

  /// What fit trains on, for a run that needs rest(shape) bytes beside.
  template <class X, class Y, class Rest>
  GivenProblem<T, DenseDesign<T>> take(const X& x, const Y& y, std::span<std::byte> memory, Index classes,
                                       Rest rest) const {
    constexpr bool of_values = std::is_floating_point_v<std::remove_cvref_t<decltype(y[0])>>;
    if constexpr (!detail::are_trained_on<Matrix, X>()) return {};
    else
      return detail::take_problem<T, DenseDesign<T>, of_values>(
          x, y, memory, classes, columns, rest, [](const X& samples, std::span<std::byte> room) {
            if constexpr (writes_columns) {
              return dense_columns(samples, room);
            } else {
              constexpr bool is_dense = std::is_convertible_v<decltype(design(samples)), DenseDesign<T>>;
              static_assert(is_dense,
                            "columns of these samples do not lie together: name a row-major matrix, which stands for "
                            "every layout");
              if constexpr (is_dense) return design(samples);
              else return DenseDesign<T>();
            }
          });
  }
  InteractionProblem<T> problem(const GivenProblem<T, DenseDesign<T>>& given) const {
    InteractionProblem<T> out = problem_;
    out.design = given.design;
    out.targets = {given.targets.values.data(), given.targets.labels, given.targets.classes};
    return out;
  }

 private:
  static constexpr Requirement columns(Shape shape) {
    Arena arena;
    if (writes_columns) (void)arena.take<T>(detail::saturating_multiply(shape.samples, shape.features));
    return {arena.used()};
  }

  InteractionProblem<T> problem_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
