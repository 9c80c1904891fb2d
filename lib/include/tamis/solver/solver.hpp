#pragma once
/// What a solver is: one contract for all families of problems, checked by the compiler here and for its behaviour by
/// tests/unit/solver_contract_test.cpp.

#include <concepts>
#include <cstddef>
#include <span>

#include "../arena.hpp"
#include "../report.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Solves one problem in memory that it is given. Its constructor takes views of the problem and checks nothing.
///
///     S::requirement(shape)   bytes with which `start` works, aligned to Arena::alignment; one fewer is refused
///     set_lambda(λ)           another λ than that of the options, before `start`
///     start(memory)           checks the problem, takes the memory, certifies the model without coefficients
///     step()                  one iteration, certificates included
///     stop()                  ends a run that is running, with the best model so far
///     report()                what is known of the run: at every time, refused or not
///     certificates()          how many have been evaluated, so that an observer sees when there is a new one
///     model()                 that of the report, a view of the memory; of use when has_model(report().status)
///
/// `start` and `step` are false when the run has ended, and `step` then changes nothing. A refusal by `start` has
/// written nothing to the memory.
template <class S, class T>
concept Solver = requires(S solver, const S done, std::span<std::byte> memory, T lambda) {
  { S::requirement(Shape()) } -> std::same_as<Requirement>;
  solver.set_lambda(lambda);
  { solver.start(memory) } -> std::same_as<bool>;
  { solver.step() } -> std::same_as<bool>;
  { done.running() } -> std::same_as<bool>;
  solver.stop();
  { done.report() } -> std::same_as<const Report<T>&>;
  { done.certificates() } -> std::same_as<std::uint32_t>;
  done.model();
};

/// One that goes on to another λ, in the same memory: warm_start(λ) begins where the last run has ended, whose report
/// and model are gone then. It is false when the new run has ended: at once, because that point is good enough; or
/// because λ is none of this solver's, as `invalid_lambda`, after which another λ may follow; or when there is no point
/// to go on from, and nothing has changed.
template <class S, class T>
concept WarmStarted = Solver<S, T> && requires(S solver, T lambda) {
  { solver.warm_start(lambda) } -> std::same_as<bool>;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
