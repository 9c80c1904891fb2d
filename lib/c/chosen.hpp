#pragma once
/// The losses, penalties and solvers that config.hpp chooses, for all sources of the C interface that take them.

#include "config.hpp"
#include "tamis/any.hpp"

#if defined(TAMIS_C_SOLVERS) || defined(TAMIS_C_LOSSES) || defined(TAMIS_C_PENALTIES)
#define TAMIS_CHOSEN
#ifdef TAMIS_ALL_SOLVERS
#error "tamis: TAMIS_C_SOLVERS, TAMIS_C_LOSSES and TAMIS_C_PENALTIES choose less than all, TAMIS_ALL_SOLVERS more"
#endif
#ifndef TAMIS_C_SOLVERS
#define TAMIS_C_SOLVERS \
  PrimalDual, Fista, ConstrainedPrimalDual, CrammerSingerDual, TwoPhase, BlockCoordinateDescent, ProximalNewtonDescent
#endif
#endif

namespace tamis::in_c {

namespace chosen {
namespace losses {
#ifdef TAMIS_C_LOSSES
using enum LossKind;
using Rows = decltype(catalogue::rows_of<catalogue::Only<TAMIS_C_LOSSES>>(catalogue::Losses{}));
#else
using Rows = catalogue::Losses;
#endif
}  // namespace losses
namespace penalties {
#ifdef TAMIS_C_PENALTIES
using enum PenaltyKind;
template <class T>
using Rows = decltype(catalogue::rows_of<catalogue::Only<TAMIS_C_PENALTIES>>(catalogue::Penalties<T>{}));
#else
template <class T>
using Rows = catalogue::Penalties<T>;
#endif
}  // namespace penalties
/// Any of the rows, or the only one itself where it has no data: as small as in C++.
template <class T, class Rows>
struct LossAmong {
  using Type = AnyLoss<T, Rows>;
};
template <class T, class Row>
requires std::is_empty_v<typename Row::Type>
struct LossAmong<T, catalogue::List<Row>> {
  using Type = typename Row::Type;
};
template <class T, class Rows>
struct PenaltyAmong {
  using Type = AnyPenaltyOf<T, Rows>;
};
template <class T, class Row>
requires std::is_empty_v<typename Row::Type>
struct PenaltyAmong<T, catalogue::List<Row>> {
  struct Type : Row::Type {
    explicit Type(PenaltyKind, const Groups& = {}, const PenaltyParameters<T>& = {}) {}
    static constexpr bool chosen_at_run_time = true;  // though there is no choice
    static constexpr bool has(PenaltyKind kind) { return kind == Row::kind; }
  };
};

template <class... L, class... P>
constexpr bool takes_one_of(SolverKind solver, catalogue::List<L...>, catalogue::List<P...>) {
  const auto with = [=](LossKind loss) { return (is_compatible(solver, loss, P::kind) || ...); };
  return (with(L::kind) || ...);
}
/// Whether a solver takes one of the losses with one of the penalties.
constexpr bool has_work(SolverKind solver) { return takes_one_of(solver, losses::Rows{}, penalties::Rows<float>{}); }

template <template <class, class, class, class> class... S>
struct Solvers {
  static constexpr bool none = sizeof...(S) == 0;
  template <template <class, class, class, class> class More>
  using And = Solvers<S..., More>;
  template <class Problem>
  using Trainer = AnyTrainingFor<Problem, S...>;
};
template <bool (*keeps)(SolverKind), class Kept, template <class, class, class, class> class... S>
struct KeptAfter {
  using Type = Kept;
};
template <bool (*keeps)(SolverKind), class Kept, template <class, class, class, class> class First,
          template <class, class, class, class> class... S>
struct KeptAfter<keeps, Kept, First, S...>
    : KeptAfter<keeps,
                std::conditional_t<keeps(First<float, AnyLoss<float>, AnyPenalty<float>, AnyDesign<float>>::kind),
                                   typename Kept::template And<First>, Kept>,
                S...> {};
/// Those of the solvers S that `keeps` says.
template <bool (*keeps)(SolverKind), template <class, class, class, class> class... S>
using Kept = typename KeptAfter<keeps, Solvers<>, S...>::Type;
}  // namespace chosen

template <class T>
using ChosenLoss = typename chosen::LossAmong<T, chosen::losses::Rows>::Type;
template <class T>
using ChosenPenalty = typename chosen::PenaltyAmong<T, chosen::penalties::Rows<T>>::Type;
template <class T>
ChosenLoss<T> chosen_loss([[maybe_unused]] LossKind kind) {
  if constexpr (std::is_constructible_v<ChosenLoss<T>, LossKind>) return ChosenLoss<T>(kind);
  else return {};
}
/// Whether a loss and a penalty are there, by their numbers.
inline bool is_chosen(std::uint32_t loss, std::uint32_t penalty) {
  return loss < std::size(all_losses) && penalty < std::size(all_penalties) &&
         AnyProblem<float, ChosenLoss<float>>::has(static_cast<LossKind>(loss)) &&
         ChosenPenalty<float>::has(static_cast<PenaltyKind>(penalty));
}

}  // namespace tamis::in_c
