#pragma once
/// The front door for C++: loss and penalty chosen at compile time, everything inlined.

#if __cplusplus < 201709L
#error "tamis trains in C++20: compile with -std=c++20 or -std=gnu++20. A header from `tamis export` needs no more than C99."
#endif

#include "observer.hpp"
#include "solver/block_coordinate_descent.hpp"
#include "solver/constrained_primal_dual.hpp"
#include "solver/crammer_singer_dual.hpp"
#include "solver/fista.hpp"
#include "solver/primal_dual.hpp"
#include "solver/two_phase.hpp"

namespace tamis {

namespace detail {
template <class T, class Loss, class Penalty, class Design>
struct DefaultSolver {
  static_assert(SmoothLoss<Loss, T> || DualProximableLoss<Loss, T>,
                "no solver accepts this loss: give it gradient and curvature, or dual_prox and null_model");
  using type = PrimalDual<T, Loss, Penalty, Design>;
};
template <class T, class Loss, class Penalty, class Design>
requires SmoothLoss<Loss, T>
struct DefaultSolver<T, Loss, Penalty, Design> {
  using type = Fista<T, Loss, Penalty, Design>;
};
template <class T, class Design>
struct DefaultSolver<T, Hinge, Ridge, Design> {
  using type = CrammerSingerDual<T, Hinge, Ridge, Design>;
};
}  // namespace detail

/// The solver that suits loss and penalty: accelerated proximal gradient where the loss has a gradient, ascent on the
/// dual for hinge with ridge (λ > 0), primal–dual otherwise.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
using DefaultSolver = typename detail::DefaultSolver<T, Loss, Penalty, Design>::type;

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

/// A loss, a penalty and a design type, with the solver that suits them:
///
///     using Training = tamis::Training<float, tamis::Hinge, tamis::L1>;
///     alignas(Training::alignment) static std::byte memory[Training::bytes(shape)];
///     auto fit = Training{{.lambda = 0.02f}}.run(design, {labels, 3}, memory);
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>,
          class Solver = DefaultSolver<T, Loss, Penalty, Design>>
class Training {
 public:
  static constexpr std::size_t alignment = Arena::alignment;
  /// Exact number of arena bytes for a shape: at that many it works, at one fewer it refuses.
  static constexpr std::size_t bytes(Shape shape) { return Solver::requirement(shape).bytes; }
  /// The same with room for more than the least, which makes solvers that have a use for it faster.
  static constexpr std::size_t bytes(Shape shape, WorkspaceHint hint) {
    if constexpr (requires { Solver::requirement(shape, hint); }) return Solver::requirement(shape, hint).bytes;
    else return bytes(shape);
  }

  constexpr explicit Training(const Options<T>& options, Loss loss = {}, Penalty penalty = {})
      : options_(options), loss_(loss), penalty_(penalty) {}

  template <class Observe = Unobserved>
  Fit<T> run(const Design& design, const Targets<T>& targets, std::span<std::byte> memory,
             Observe&& observe = {}) const {
    Solver run = solver(design, targets);  // in place: a copy would double the stack that training needs
    return detail::train<T>(run, memory, observe);
  }

  /// For training in slices: `start(memory)` it, then call `step()` until it says false.
  Solver solver(const Design& design, const Targets<T>& targets) const {
    return Solver(design, targets, loss_, penalty_, options_);
  }

 private:
  Options<T> options_;
  Loss loss_;
  Penalty penalty_;
};

/// Training with a second phase by Newton's method: far faster to high accuracy, where the arena has room.
///
///     using Training = tamis::TwoPhaseTraining<double, tamis::Hinge, tamis::L1>;
///     std::vector<std::byte> memory(Training::bytes(shape, {.active_limit = 500}));
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
using TwoPhaseTraining = Training<T, Loss, Penalty, Design, TwoPhase<T, Loss, Penalty, Design>>;

/// Training with a smooth loss by descent over features and Newton's method: far faster than the default to any
/// accuracy.
///
///     using Training = tamis::DescentTraining<float, tamis::SquaredHinge, tamis::GroupL2>;
///     std::vector<std::byte> memory(Training::bytes(shape, {.entries = nonzeros, .active_limit = 500}));
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
using DescentTraining = Training<T, Loss, Penalty, Design, BlockCoordinateDescent<T, Loss, Penalty, Design>>;

/// Training of the constrained form: the smallest penalty with a mean loss of at most η.
///
///     auto fit = tamis::ConstrainedTraining<float, tamis::Hinge, tamis::L1>{{.eta = 0.1f}}.run(design, targets,
///     memory);
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
using ConstrainedTraining = Training<T, Loss, Penalty, Design, ConstrainedPrimalDual<T, Loss, Penalty, Design>>;

/// Training for one shape known at compile time, with its memory inside: declare it static.
template <class T, class Loss, class Penalty, Shape shape, class Design = DenseDesign<T>>
class FixedTraining {
 public:
  using General = Training<T, Loss, Penalty, Design>;
  static constexpr std::size_t bytes = General::bytes(shape);

  /// As Training::run; `invalid_shape` when design and targets are not of the declared shape.
  template <class Observe = Unobserved>
  Fit<T> run(const Options<T>& options, const Design& design, const Targets<T>& targets, Observe&& observe = {},
             Loss loss = {}, Penalty penalty = {}) {
    if (Shape{targets.samples(), design.features(), targets.classes} != shape) {
      Fit<T> refused{};
      refused.status = Status::invalid_shape;
      refused.arena_bytes = bytes;
      return refused;
    }
    return General(options, loss, penalty).run(design, targets, memory_, observe);
  }

 private:
  alignas(Arena::alignment) std::byte memory_[bytes];
};

}  // namespace tamis
