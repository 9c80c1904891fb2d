#pragma once
/// Paths, cross-validation and stability selection on Eigen's matrices, each in one call.

#include "../selection/cross_validation.hpp"
#include "../selection/interaction_cross_validation.hpp"
#include "../selection/kernel_cross_validation.hpp"
#include "../selection/stability.hpp"
#include "interactions.hpp"
#include "kernels.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// How samples come to folds.
struct FoldOptions {
  Index folds = 10;
  bool stratified = true;          ///< every fold has its share of every class; not of values
  std::uint64_t seed = 0;          ///< of the order in which they are dealt
  const Index* fold_of = nullptr;  ///< as given, one for each sample (deal_groups); null: dealt
};

/// What the held-out samples say of the λs of a grid: means over the folds, of which `measures` is a view into the
/// arena. The status is that of the whole run.
template <class T>
struct Validation : Report<T> {
  Grid<T> grid;
  FoldMeasures<T> measures;

  Index points() const { return this->status == Status::converged ? grid.points : 0; }
  HeldOut<T> at(Index point) const { return measures.at(point, grid.at(point)); }
  /// As the functions of the same names. Only after a complete run.
  Index best(Measure measure = Measure::error) const {
    return tamis::best(points(), measure, [this](Index point) { return at(point); });
  }
  Index one_standard_error(Measure measure = Measure::error) const {
    return tamis::one_standard_error(points(), measure, [this](Index point) { return at(point); });
  }
};

/// How often halves keep each feature: see KeptCounts, whose figures are views into the arena.
template <class T>
struct Stability : Report<T> {
  Grid<T> grid;
  KeptCounts<T> counts;

  /// Halves that keep a unit, points × units.
  auto kept() const {
    return Eigen::Map<const Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        counts.kept, static_cast<Eigen::Index>(counts.points), static_cast<Eigen::Index>(counts.units));
  }
};

namespace detail {

/// Which path and which folds a training has.
template <class Training>
struct SelectionOf {
  using T = typename Training::Scalar;
  using Given = GivenProblem<T, typename Training::Design>;
  using Loss = std::remove_cvref_t<decltype(std::declval<const Training&>().loss())>;
  struct Make {
    const Training& training;
    const typename Training::Design& design;
    auto operator()(const Targets<T>& targets) const { return training.solver(design, targets); }
  };
  using Path = tamis::Path<T, Make>;
  using Folds = CrossValidation<T, Make, typename Training::Design, Loss>;

  static constexpr Requirement of_path(Shape shape, Requirement solver) { return Path::requirement(shape, solver); }
  static constexpr Requirement of_folds(Shape shape, Index, Index folds, Index points, Requirement solver) {
    return Folds::requirement(shape, folds, points, solver);
  }
  static Path path(const Training& training, const Given& given, const Grid<T>& grid, Index max_features) {
    return Path({training, given.design}, given.shape.features, given.targets, grid, max_features);
  }
  static Folds folds(const Training& training, const Given& given, const Index* fold_of, Index folds,
                     const Grid<T>& grid) {
    return Folds({training, given.design}, given.design, given.targets, training.loss(), fold_of, folds, grid,
                 training.options().margin);
  }
};
/// Of problems that say themselves how they are solved for a λ.
template <class Training, class FoldsOfProblem>
struct SelectionByLambda {
  using T = typename Training::Scalar;
  using Given = GivenProblem<T, DenseDesign<T>>;
  using Problem = decltype(std::declval<const Training&>().problem(std::declval<const Given&>()));
  using Path = tamis::Path<T, Problem>;
  using Folds = FoldsOfProblem;

  static constexpr Requirement of_path(Shape, Requirement solver) { return solver; }
  static constexpr Requirement of_folds(Shape shape, Index most, Index folds, Index points, Requirement solver) {
    return Folds::requirement(shape, most, folds, points) | solver;  // which finds the first λ
  }
  static Path path(const Training& training, const Given& given, const Grid<T>& grid, Index) {
    return Path(training.problem(given), grid);
  }
};
template <class Matrix>
struct SelectionOf<InteractionTraining<Matrix>>
    : SelectionByLambda<InteractionTraining<Matrix>, InteractionCrossValidation<typename Matrix::Scalar>> {
  using T = typename Matrix::Scalar;
  static auto folds(const InteractionTraining<Matrix>& training, const GivenProblem<T, DenseDesign<T>>& given,
                    const Index* fold_of, Index folds, const Grid<T>& grid) {
    return InteractionCrossValidation<T>(training.problem(given), fold_of, folds, grid);
  }
};
template <class Matrix, class Function>
struct SelectionOf<KernelTraining<Matrix, Function>>
    : SelectionByLambda<KernelTraining<Matrix, Function>, KernelCrossValidation<typename Matrix::Scalar>> {
  using T = typename Matrix::Scalar;
  static auto folds(const KernelTraining<Matrix, Function>& training, const GivenProblem<T, DenseDesign<T>>& given,
                    const Index* fold_of, Index folds, const Grid<T>& grid) {
    const auto problem = training.problem(given);
    return KernelCrossValidation<T>(problem.design, problem.labels, problem.kernels, problem.classes, problem.norm,
                                    problem.options, fold_of, folds, grid);
  }
};

/// Folds, and the scratch of dealing them.
struct FoldMemory {
  Index *fold, *order;

  static constexpr FoldMemory lay_out(Arena& arena, Index samples) {
    FoldMemory m{};
    m.fold = arena.take<Index>(samples);
    m.order = arena.take<Index>(samples);
    return m;
  }
};

/// Finds the first λ of an open grid by a path on all samples. False: refused, as `out` says.
template <class Training, class Given, class T>
bool close_grid(const Training& training, const Given& given, Grid<T>& grid, Report<T>& out) {
  if (!grid.open()) return true;
  auto path = SelectionOf<Training>::path(training, given, grid, ~Index(0));
  path.start(given.rest);
  while (path.grid().open() && path.step()) continue;
  grid = path.grid();
  if (!grid.open() && grid.valid()) return true;
  if (path.has_solver()) out = path.report();
  out.status = path.status();
  return false;
}

/// The most samples that are outside a fold.
constexpr Index most_outside(Index samples, const FoldOptions& options) {
  return options.fold_of || options.folds == 0 ? samples : samples - samples / options.folds;
}

}  // namespace detail

/// Bytes of memory for fit_path with a training on matrices of such a type, the least and with room to be fast; for
/// kernels after the shape their number.
template <class Training>
constexpr std::size_t path_bytes(Shape shape) {
  return (Training::own(shape) & detail::SelectionOf<Training>::of_path(shape, Training::solver_requirement(shape)))
      .bytes;
}
template <class Training>
constexpr std::size_t path_bytes(Shape shape, WorkspaceHint hint) {
  return (Training::own(shape, hint) &
          detail::SelectionOf<Training>::of_path(shape, Training::solver_requirement(shape, hint)))
      .bytes;
}
template <class Training>
constexpr std::size_t path_bytes(Shape shape, Index kernels) {
  return Training::bytes(shape, kernels);
}

/// Solves for the λs of a grid, each from where the one before ended: visit(path) at every point says whether to go on;
/// the point has lambda(), report() and model(). The report is that of the last one, with the status of the path.
/// `max_features`: a path of linear scores ends before models with more.
template <class Training, class X, class Y, class Visit>
Report<typename Training::Scalar> fit_path(const Training& training, const X& x, const Y& y,
                                           const Grid<typename Training::Scalar>& grid, std::span<std::byte> memory,
                                           Visit&& visit, Index classes = 0, Index max_features = ~Index(0)) {
  using T = typename Training::Scalar;
  using Selection = detail::SelectionOf<Training>;
  const auto given = training.take(x, y, memory, classes, [](Shape shape) {
    return Selection::of_path(shape, Training::solver_requirement(shape));
  });
  if (given.status != Status::running) return given.template refused<Report<T>>();
  auto path = Selection::path(training, given, grid, max_features);
  path.start(given.rest);
  advance_path(path, visit);
  Report<T> out;
  if (path.has_solver()) out = path.report();
  out.status = path.status();
  return given.add_own(out);
}

namespace detail {
template <class Training>
constexpr Requirement validation_requirement(Shape shape, const FoldOptions& options, Index points,
                                             Requirement solver) {
  return count_bytes<FoldMemory>(options.fold_of ? 0 : shape.samples) &
         SelectionOf<Training>::of_folds(shape, most_outside(shape.samples, options), options.folds, points, solver);
}
}  // namespace detail

/// Bytes of memory for cross_validate with such folds and so many points of the grid, the least and with room to be
/// fast; for kernels after the shape their number.
template <class Training>
constexpr std::size_t validation_bytes(Shape shape, const FoldOptions& options, Index points) {
  return (Training::own(shape) &
          detail::validation_requirement<Training>(shape, options, points, Training::solver_requirement(shape)))
      .bytes;
}
template <class Training>
constexpr std::size_t validation_bytes(Shape shape, WorkspaceHint hint, const FoldOptions& options, Index points) {
  return (Training::own(shape, hint) &
          detail::validation_requirement<Training>(shape, options, points, Training::solver_requirement(shape, hint)))
      .bytes;
}
template <class Training>
constexpr std::size_t validation_bytes(Shape shape, Index kernels, const FoldOptions& options, Index points) {
  const Shape matrices = Training::shape_of(shape, kernels);
  return (Training::own(shape, kernels) &
          detail::validation_requirement<Training>(matrices, options, points, Training::solver_requirement(matrices)))
      .bytes;
}

/// Measures the λs of a grid on samples that their models have not seen. An open grid begins where the path on all
/// samples does. Features are scaled beforehand, with all samples. The memory may be that of the training afterwards,
/// when nothing is asked any more.
template <class Training, class X, class Y>
Validation<typename Training::Scalar> cross_validate(const Training& training, const X& x, const Y& y,
                                                     const Grid<typename Training::Scalar>& grid,
                                                     std::span<std::byte> memory, const FoldOptions& options = {},
                                                     Index classes = 0) {
  using T = typename Training::Scalar;
  using Selection = detail::SelectionOf<Training>;
  constexpr bool has_folds = !requires { requires Training::of_values; };
  static_assert(has_folds, "cross-validation of linear scores counts wrong labels: values have a path alone");
  auto given = training.take(x, y, memory, classes, [&](Shape shape) {
    return detail::validation_requirement<Training>(shape, options, grid.points, Training::solver_requirement(shape));
  });
  if (given.status != Status::running) return given.template refused<Validation<T>>();
  Validation<T> out;
  out.grid = grid;
  const Index samples = given.shape.samples;
  const Index* fold_of = options.fold_of;
  if (!fold_of) {
    Arena arena(given.rest);
    const auto m = detail::FoldMemory::lay_out(arena, samples);
    given.rest = given.rest.subspan(arena.used());
    fill(m.fold, samples, no_fold);
    const bool stratified = options.stratified && !given.targets.labels.empty();
    const Label* const labels =  // unless stratified it is their number alone that counts
        stratified ? given.targets.labels.data() : reinterpret_cast<const Label*>(m.order);
    Index rare = given.targets.classes;
    if (!deal_folds({labels, samples}, given.targets.classes, options.folds, stratified, options.seed, m.fold, m.order,
                    rare)) {
      const bool is_rare = stratified && rare < given.targets.classes;
      out.status = is_rare ? Status::missing_class : Status::invalid_option;
      out.column = is_rare ? rare : Index(0);
      return out;
    }
    fold_of = m.fold;
  }
  if (!detail::close_grid(training, given, out.grid, static_cast<Report<T>&>(out))) return out;
  auto run = Selection::folds(training, given, fold_of, options.folds, out.grid);
  run.start(given.rest);
  while (run.step()) continue;
  static_cast<Report<T>&>(out) = given.add_own(run.report());
  out.status = run.status();
  out.measures = run.measures();
  return out;
}

/// Bytes of memory for select_stable with so many points of the grid, the least and with room to be fast.
template <class Training>
constexpr std::size_t stability_bytes(Shape shape, const StabilityOptions& options, Index points, WorkspaceHint hint) {
  using Selection = detail::SelectionOf<Training>;
  using Run = StabilitySelection<typename Training::Scalar, typename Selection::Make>;
  return (Training::own(shape, hint) &
          Run::requirement(shape, options.groups, points, Training::solver_requirement(shape, hint)))
      .bytes;
}
template <class Training>
constexpr std::size_t stability_bytes(Shape shape, const StabilityOptions& options, Index points) {
  using Selection = detail::SelectionOf<Training>;
  using Run = StabilitySelection<typename Training::Scalar, typename Selection::Make>;
  return (Training::own(shape) & Run::requirement(shape, options.groups, points, Training::solver_requirement(shape)))
      .bytes;
}

/// Counts which features are kept by models of random halves of the samples, at the λs of a grid: see
/// StabilitySelection. An open grid begins where the path on all samples does.
template <class Training, class X, class Y>
Stability<typename Training::Scalar> select_stable(const Training& training, const X& x, const Y& y,
                                                   const Grid<typename Training::Scalar>& grid,
                                                   std::span<std::byte> memory, const StabilityOptions& options = {},
                                                   Index classes = 0) {
  using T = typename Training::Scalar;
  using Selection = detail::SelectionOf<Training>;
  using Make = typename Selection::Make;
  using Run = StabilitySelection<T, Make>;
  static_assert(!Training::of_values, "halves are of labels: values have a path alone");
  const auto given = training.take(x, y, memory, classes, [&](Shape shape) {
    return Run::requirement(shape, options.groups, grid.points, Training::solver_requirement(shape));
  });
  if (given.status != Status::running) return given.template refused<Stability<T>>();
  Stability<T> out;
  out.grid = grid;
  if (!detail::close_grid(training, given, out.grid, static_cast<Report<T>&>(out))) return out;
  Run run(Make{training, given.design}, given.shape.features, given.targets, out.grid, options);
  run.start(given.rest);
  while (run.step()) continue;
  static_cast<Report<T>&>(out) = given.add_own(run.report());
  out.status = run.status();
  out.counts = run.counts();
  return out;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
