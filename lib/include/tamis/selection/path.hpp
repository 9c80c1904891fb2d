#pragma once
/// Regularisation paths: one problem solved for a descending row of λs, each from where the one before ended.

#include <new>
#include <span>
#include <type_traits>

#include "../design/mean_square_norm.hpp"
#include "../linalg/elementary.hpp"
#include "../report.hpp"
#include "../solver/solver.hpp"
#include "../solver/workbench.hpp"
#include "../targets.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The λs of a path, from the largest to the smallest.
template <class T>
struct Grid {
  const T* values = nullptr;  ///< as given, `points` of them, descending; null: equally spaced in logarithm
  Index points = 100;         ///< ≥ 1
  T first = not_a_number<T>;  ///< without values; NaN: λ_max, which penalties without zeros do not have
  T ratio = T(0.01);          ///< of the last to the first, without values; in (0, 1]

  constexpr bool valid() const {
    if (points == 0) return false;
    if (!values) return ratio > T(0) && ratio <= T(1) && (first != first || (first > T(0) && finite(first)));
    for (Index i = 0; i < points; ++i)
      if (!(values[i] >= T(0)) || !finite(values[i]) || (i > 0 && !(values[i] < values[i - 1]))) return false;
    return true;
  }
  /// Whether the first λ has to be found.
  constexpr bool open() const { return !values && first != first; }
  /// λ number i, on a grid that is not open.
  T at(Index i) const {
    if (values) return values[i];
    return i == 0 ? first : first * exponential(logarithm(ratio) * (T(i) / T(points - 1)));
  }
};

/// A problem that says itself how it is solved for a λ: `problem(lambda)` returns a solver that has not started, and
/// `problem.first_lambda(memory)` says where a path begins, NaN when the problem is refused. λs are positive. Where it
/// has `warm_start(solver, lambda)`, that takes a solver to its next λ.
template <class Problem>
concept SolvedByLambda = requires {
  typename Problem::Solver;
};

namespace detail {
template <class T, class Make>
struct PathSolver : std::invoke_result<const Make&, const Targets<T>&> {};
template <class T, SolvedByLambda Problem>
struct PathSolver<T, Problem> {
  using type = typename Problem::Solver;
};
}  // namespace detail

/// Solves for each λ of a grid in turn, in one arena. `make(targets)` returns a solver that has not started, such as
/// Training::solver gives; its λ does not matter; or `make` is a problem that is SolvedByLambda. Advance it by
/// `step()`; where `at_point()` says so, `lambda()`, `report()` and `model()` are those of a point of the path, until
/// the next step. A point that meets the iteration limit is one; a path that is stopped, or has come to more than
/// `max_features` features, ends with the point before.
///
/// Every λ begins with the certificate of the point before, on all features: it ends there if that is good enough, and
/// otherwise says which features may have coefficients (the sequential rule of screening, checked by the certificate);
/// features without, which cannot at this λ according to that, are left out. TwoPhase goes from vertex to vertex where
/// the loss is the exact hinge and the penalty ℓ1 (see HingeSimplex), and begins each λ from zero otherwise, as the
/// rounds of Reweighted do. Memory: that of the solver and, but for a problem that is SolvedByLambda, a
/// coefficient matrix, from which solvers with a use for it foresee the next point. Source: Tibshirani et al. (2012)
/// for the screening.
template <class T, class Make>
class Path {
 public:
  using Solver = typename detail::PathSolver<T, Make>::type;

  Path(const Make& make, Index features, const Targets<T>& targets, const Grid<T>& grid, Index max_features = ~Index(0))
      : make_(make),
        targets_(targets),
        shape_{targets.samples(), features, targets.classes},
        grid_(grid),
        max_features_(max_features) {}
  Path(const Make& problem, const Grid<T>& grid) requires SolvedByLambda<Make>
      : make_(problem), shape_{}, grid_(grid), max_features_(~Index(0)) {}
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  ~Path() { clear(); }

  static constexpr Requirement requirement(Shape shape, Requirement solver) {
    Arena counter;
    counter.take<T>(CommonMemory<T>::coefficients(shape));
    return Requirement{counter.used()} & solver;
  }

  /// Checks the problem and solves for the first λ as far as that goes without iterations. False: it has ended.
  bool start(std::span<std::byte> memory) {
    status_ = Status::running;
    finished_ = 0;
    at_point_ = false;
    if (!grid_.valid()) return end(Status::invalid_lambda);
    if constexpr (by_lambda) return start_by_lambda(memory);
    if (!Arena::aligned(memory)) return end(Status::invalid_arena);
    Arena arena(memory);
    before_ = arena.take<T>(CommonMemory<T>::coefficients(shape_));
    if (arena.exhausted()) return end(Status::arena_too_small);
    memory_ = memory.subspan(arena.used());
    if (grid_.open()) {  // at such a λ all coefficients are zero, and the null model says from which λ on
      begin(T(1e15));
      find_first();
    } else {
      begin(grid_.at(0));
      finish_point();
    }
    return running();
  }

  /// One step of the solver, or the start of the next λ; false when the path has ended.
  bool step() {
    if (!running()) return false;
    if (grid_.open()) {
      solver().step();
      find_first();
      return running();
    }
    if (at_point_) {
      at_point_ = false;
      const T next = grid_.at(finished_);
      if constexpr (requires { make_.warm_start(solver(), next); }) {
        make_.warm_start(solver(), next);
      } else if constexpr (requires { solver().warm_start(next, before_, next); }) {
        const T last = grid_.at(finished_ - 1);
        const T step = finished_ > 1 ? (next - last) / (last - grid_.at(finished_ - 2)) : T(0);
        solver().warm_start(next, before_, step);
      } else {
        solver().warm_start(next);
      }
    } else {
      solver().step();
    }
    finish_point();
    return running();
  }

  void stop() {
    if (!running()) return;
    solver().stop();
    status_ = Status::stopped;
  }

  bool running() const { return status_ == Status::running; }
  /// `converged`: the whole path, or up to `max_features`, whatever the status of its points.
  Status status() const { return status_; }
  bool at_point() const { return at_point_; }
  /// Points so far.
  Index points() const { return finished_; }
  /// The λ at hand.
  T lambda() const {
    if (grid_.open()) return infinity<T>;
    return grid_.at(at_point_ ? finished_ - 1 : smallest(finished_, grid_.points - 1));
  }
  const Grid<T>& grid() const { return grid_; }
  /// Whether there is a report and a model: not after a refusal of the grid or the memory.
  bool has_solver() const { return made_; }
  const Report<T>& report() const { return solver().report(); }
  auto model() const { return solver().model(); }
  std::uint32_t certificates() const { return solver().certificates(); }
  Solver& solver() const { return *std::launder(reinterpret_cast<Solver*>(storage_)); }

 private:
  static constexpr bool by_lambda = SolvedByLambda<Make>;

  void begin(T lambda) {
    clear();
    if constexpr (by_lambda) {
      ::new (static_cast<void*>(storage_)) Solver(make_(lambda));
    } else {
      ::new (static_cast<void*>(storage_)) Solver(make_(targets_));
      solver().set_lambda(lambda);
    }
    made_ = true;
    solver().start(memory_);
  }
  bool start_by_lambda(std::span<std::byte> memory) requires SolvedByLambda<Make> {
    memory_ = memory;
    if (grid_.values && !(grid_.values[grid_.points - 1] > T(0))) return end(Status::invalid_lambda);
    if (grid_.open()) {
      const T first = make_.first_lambda(memory);
      if (!finite(first)) {  // the solver says why
        begin(T(1));
        return end(has_model(report().status) ? Status::invalid_lambda : report().status);
      }
      grid_.first = first > T(0) ? first : T(1);
    }
    begin(grid_.at(0));
    finish_point();
    return running();
  }
  void clear() {
    if (made_) solver().~Solver();
    made_ = false;
  }
  bool end(Status status) {
    status_ = status;
    return false;
  }
  /// λ_max, as soon as the null model is known.
  void find_first() {
    const Status status = report().status;
    if (!has_model(status) || status == Status::stopped) {
      status_ = status;
    } else if (certificates() > 0) {
      if (!finite(report().lambda_max)) {
        status_ = Status::invalid_lambda;
        return;
      }
      grid_.first = largest(report().lambda_max, T(1e-12));
      begin(grid_.first);
      finish_point();
    }
  }
  void finish_point() {
    const Status status = report().status;
    if (status == Status::running) return;
    if (!has_model(status) || status == Status::stopped) {
      status_ = status;
    } else if (report().nonzero_rows > max_features_) {
      status_ = Status::converged;
    } else {
      at_point_ = true;
      if (++finished_ == grid_.points) status_ = Status::converged;
    }
  }

  Make make_;
  Targets<T> targets_;
  Shape shape_;
  Grid<T> grid_;
  Index max_features_;
  std::span<std::byte> memory_{};
  T* before_ = nullptr;  ///< where the solver ended at the λ before
  alignas(Solver) mutable std::byte storage_[sizeof(Solver)];
  bool made_ = false;
  bool at_point_ = false;
  Index finished_ = 0;
  Status status_ = Status::running;
};

/// Advances a path to its end; visit(path) at each point says whether to go on.
template <class Path, class Visit>
void advance_path(Path& path, Visit&& visit) {
  for (bool more = path.running();;) {
    if (path.at_point() && !visit(path)) {
      path.stop();
      return;
    }
    if (!more) return;
    more = path.step();
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
