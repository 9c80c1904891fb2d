#pragma once
/// Training in C++: loss and penalty chosen at compile time, everything inlined.

#include <concepts>
#include <type_traits>

#include "observer.hpp"
#include "penalty/ridge.hpp"
#include "solver/constrained_primal_dual.hpp"
#include "solver/crammer_singer_dual.hpp"
#include "solver/descent_or_fista.hpp"
#include "solver/primal_dual.hpp"
#include "solver/two_phase.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A choice of a solver: the one of this name, such as With<Fista> or With<ConstrainedPrimalDual>.
template <template <class T, class Loss, class Penalty, class Design> class S>
struct With {
  template <class T, class Loss, class Penalty, class Design>
  using Solver = S<T, Loss, Penalty, Design>;
};

namespace detail {

template <class T, class Loss, class Penalty, class Design>
constexpr ProblemTraits traits_of() {
  static_assert(tamis::Loss<Loss, T>,
                "a loss needs value, label_mass_moves, max_dual_scale, and dual_terms or dual_value");
  static_assert(SmoothLoss<Loss, T> || DualProximableLoss<Loss, T>,
                "no solver accepts this loss: give it gradient and curvature, or dual_prox and null_model");
  constexpr bool is_fetched = requires(const Design design, Index sample) { design.failure(sample); };
  return {.smooth = SmoothLoss<Loss, T>,
          .descends = CurvedLoss<Loss, T> && HasManifold<Penalty, T> && HasColumns<Design, T>,
          .by_entries = EntryLoss<Loss, T> && HasEntryTerms<Penalty, T>,
          .has_second_phase = SimplexLoss<Loss, T> && HasProxJacobian<Penalty, T> && !is_fetched,
          .ascends = std::same_as<Loss, Hinge> && std::same_as<Penalty, Ridge>};
}

/// The solver of that kind, of those that are a default.
template <SolverKind, class... Types>
struct DefaultOf : std::type_identity<PrimalDual<Types...>> {};
template <class... Types>
struct DefaultOf<SolverKind::fista, Types...> : std::type_identity<Fista<Types...>> {};
template <class... Types>
struct DefaultOf<SolverKind::crammer_singer_dual, Types...> : std::type_identity<CrammerSingerDual<Types...>> {};
template <class... Types>
struct DefaultOf<SolverKind::two_phase, Types...> : std::type_identity<TwoPhase<Types...>> {};
template <class... Types>
struct DefaultOf<SolverKind::block_coordinate_descent, Types...> : std::type_identity<DescentOrFista<Types...>> {};
template <class... Types>
struct DefaultOf<SolverKind::proximal_newton, Types...> : std::type_identity<DescentOrFista<Types...>> {};

}  // namespace detail

/// The choice where none is named: the fastest solver, which is that of the command's `auto`. With the exact hinge it
/// is TwoPhase, with hinge and ridge CrammerSingerDual, with Logistic and L1 or ElasticNet ProximalNewtonDescent, with
/// another smooth loss BlockCoordinateDescent, or Fista where memory, loss, penalty or design do not have what that
/// takes. Types do not tell everything: take With<TwoPhase> for hinge and ridge where nλ is below 1/1000, or below
/// 1/1000 (in float 3/1000) of the samples' mean square distance from their mean, and for SquaredHinge with few
/// unknowns, see ProblemSpec::has_few_unknowns; With<BlockCoordinateDescent> for Logistic and ElasticNet with many, see
/// has_many_unknowns; With<CrammerSingerDual> for Hinge and ElasticNet unless its ridge is small, see is_tiny there,
/// and for Hinge and GroupL2 with many classes and samples, see has_many_samples; and Smallest for a smooth loss with
/// GroupLinf over groups of several features.
struct Fastest {
  template <class T, class Loss, class Penalty, class Design>
  using Solver = typename detail::DefaultOf<default_solver(detail::traits_of<T, Loss, Penalty, Design>()), T, Loss,
                                            Penalty, Design>::type;
};

/// The choice of the least code and the least memory: Fista with a smooth loss, PrimalDual with another.
struct Smallest {
  template <class T, class Loss, class Penalty, class Design>
  using Solver =
      typename detail::DefaultOf<default_solver({.smooth = detail::traits_of<T, Loss, Penalty, Design>().smooth}), T,
                                 Loss, Penalty, Design>::type;
};

/// The solver of the plain Training.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
using DefaultSolver = Fastest::Solver<T, Loss, Penalty, Design>;

/// What a training run returns: the report, and the model as a view into the arena.
template <class T>
struct Fit : Report<T> {
  Fit() {}  // not by default, which compilers make a call of memset of

  LinearModel<T> model;  ///< features = 0 when the problem was refused, or could not be read before there was one
};

namespace detail {
template <class T, class Solver, class Observe>
Fit<T> train(Solver& solver, std::span<std::byte> memory, Observe& observe) {
  solver.start(memory);
  advance_to_end(solver, observe);
  Fit<T> fit;
  copy_object<Report<T>>(solver.report(), fit);
  if (has_model(fit.status)) fit.model = solver.model();
  if constexpr (requires { solver.has_certified_model(); })
    if (is_source_failure(fit.status) && solver.has_certified_model()) fit.model = solver.model();
  return fit;
}
}  // namespace detail

/// Trains in `memory`, shows `observe` every certificate, and returns. No heap, no exceptions, no output.
template <class Solver, class T, class Observe = Unobserved>
Fit<T> train(Solver solver, std::span<std::byte> memory, Observe&& observe = {}) {
  return detail::train<T>(solver, memory, observe);
}

namespace detail {
template <class C>
inline constexpr bool is_choice = std::same_as<C, Fastest> || std::same_as<C, Smallest>;
template <template <class, class, class, class> class S>
inline constexpr bool is_choice<With<S>> = true;

/// The one of `More` that is a choice of a solver, or the one that is not; without any, `Otherwise`.
template <bool choice, class Otherwise, class... More>
struct Pick {
  using type = Otherwise;
};
template <bool choice, class Otherwise, class First, class... More>
struct Pick<choice, Otherwise, First, More...>
    : std::conditional_t<is_choice<First> == choice, std::type_identity<First>, Pick<choice, Otherwise, More...>> {};
}  // namespace detail

/// A loss and a penalty, with the solver that suits them; in `More`, in any order, a type of design that is not
/// DenseDesign and a choice of another solver, Smallest or With<…>:
///
///     using Training = tamis::Training<float, tamis::Hinge, tamis::L1>;
///     alignas(Training::alignment) static std::byte memory[Training::bytes(shape)];
///     auto fit = Training{{.lambda = 0.02f}}.run(design, {labels, 3}, memory);
///
/// The memory says how fast: the plain Training is like that of Smallest in the least memory, but for hinge and ridge,
/// and goes on to Newton's method in what `bytes(shape, hint)` asks for.
template <class T, class Loss, class Penalty, class... More>
class Training {
  static_assert(sizeof...(More) <= 1 + (detail::is_choice<More> + ... + 0) && (detail::is_choice<More> + ... + 0) <= 1,
                "after loss and penalty come at most a design and one choice of a solver: Smallest, or With<Solver>");

 public:
  using Design = typename detail::Pick<false, DenseDesign<T>, More...>::type;
  using Solver = typename detail::Pick<true, Fastest, More...>::type::template Solver<T, Loss, Penalty, Design>;

  static constexpr std::size_t alignment = Arena::alignment;
  /// The least number of arena bytes for a shape: at that many it works, at one fewer it refuses.
  static constexpr std::size_t bytes(Shape shape) { return Solver::requirement(shape).bytes; }
  /// The same with room to be fast: never fewer bytes, and no more for solvers that have no use for them.
  static constexpr std::size_t bytes(Shape shape, WorkspaceHint hint) {
    if constexpr (requires { Solver::requirement(shape, hint); }) return Solver::requirement(shape, hint).bytes;
    else return bytes(shape);
  }

  constexpr explicit Training(const Options<T>& options, Loss loss = {}, Penalty penalty = {})
      : options_(options), loss_(loss), penalty_(penalty) {}

  /// Trains in `memory`, which may be larger than `bytes(shape)`, and faster for it.
  template <class Observe = Unobserved>
  Fit<T> run(const Design& design, const Targets<T>& targets, std::span<std::byte> memory,
             Observe&& observe = {}) const {
    Solver run = solver(design, targets);  // in place: a copy would double the stack that training needs
    return detail::train<T>(run, memory, observe);
  }

  /// Other samples than those of this training.
  template <class Other>
  requires(!std::convertible_to<const Other&, Design>) void run(const Other&, const Targets<T>&,
                                                                std::span<std::byte>) const {
    static_assert(sizeof(Other) == 0,
                  "these samples have another precision or layout than the training: name their type of design after "
                  "loss and penalty, and its precision before them");
  }

  /// For training in slices: `start(memory)` it, then call `step()` until it says false.
  Solver solver(const Design& design, const Targets<T>& targets) const {
    return Solver(design, targets, loss_, penalty_, options_);
  }

  constexpr const Options<T>& options() const { return options_; }
  constexpr const Loss& loss() const { return loss_; }

 private:
  Options<T> options_;
  Loss loss_;
  Penalty penalty_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
