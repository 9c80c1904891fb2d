#pragma once
/// One of several solvers, chosen at run time: the part of AnyTraining that knows the solvers.

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>

#include "design/sorted_columns.hpp"
#include "solver/crammer_singer_dual.hpp"
#include "solver/path_descent.hpp"
#include "solver/reweighted.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// Whether a solver copies the columns of its design, or the rows.
template <template <class, class, class, class> class>
inline constexpr bool copies_columns = false;
template <>
inline constexpr bool copies_columns<BlockCoordinateDescent> = true;
template <>
inline constexpr bool copies_columns<PathDescent> = true;
template <>
inline constexpr bool copies_columns<ProximalNewtonDescent> = true;
template <template <class, class, class, class> class>
inline constexpr bool copies_rows = false;
template <>
inline constexpr bool copies_rows<CrammerSingerDual> = true;

/// The design that all of some solvers work on, so that what they share is there once: block coordinate descent may
/// copy its columns, and the Crammer–Singer dual its rows.
template <class T, class Design, template <class, class, class, class> class... S>
struct SharedBy {
  static constexpr bool columns = (copies_columns<S> || ...);
  using Rows = std::conditional_t<(copies_rows<S> || ...), SampleRows<T, Design>, Design>;
  using type = std::conditional_t<columns, SortedColumns<T, Rows>, Rows>;
  /// What a solver is made for: those that copy do so themselves.
  template <template <class, class, class, class> class Some>
  using For =
      std::conditional_t<copies_columns<Some>, Rows, std::conditional_t<copies_rows<Some> && !columns, Design, type>>;
};

template <class Design>
const Design& without_copies(const Design& design) {
  return design;
}
template <class T, class Design>
const Design& without_copies(const SampleRows<T, Design>& design) {
  return design.uncopied();
}
template <class T, class Design>
const auto& without_copies(const SortedColumns<T, Design>& design) {
  return without_copies(design.uncopied());
}

template <class Solver>
struct DesignOf;
template <template <class, class, class, class> class S, class T, class Loss, class Penalty, class Design>
struct DesignOf<S<T, Loss, Penalty, Design>> {
  using type = Design;
};

}  // namespace detail

/// One of the solvers `S`, with the interface of a solver; what only some of them have is there for all. Each function
/// finds the solver's own in a list that no other function shares, so that a program holds what it calls.
template <template <class, class, class, class> class... S>
struct AnySolver {
  template <class T, class Loss, class Penalty, class Design>
  class Of {
    using Shared = detail::SharedBy<T, Design, S...>;
    template <template <class, class, class, class> class Some>
    using Instance = Some<T, Loss, Penalty, typename Shared::template For<Some>>;
    using Base = Workbench<T, Loss, Penalty, typename Shared::type>;
    using Place = std::uint8_t;
    static_assert((std::is_trivially_copyable_v<Instance<S>> && ...));

   public:
    static constexpr SolverKind kind = SolverKind::automatic;  ///< not known when this is compiled

    /// The solver of that kind, which must be among them.
    Of(SolverKind chosen, const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
       const Options<T>& options, const StochasticOptions<T>& stochastic = {})
        : place_(place_of(chosen)) {
      make(design, targets, loss, penalty, options, stochastic);
    }
    /// The same solver for another penalty and other options; not for stochastic ones.
    Of(const Of& other, const Penalty& penalty, const Options<T>& options) : place_(other.place_) {
      const Base& base = other.base();
      make(detail::without_copies(base.design()), base.targets(), base.loss(), penalty, options, {});
      constexpr void (*of[])(void*, void*) = {&Its<Instance<S>>::take_settings...};
      of[place_](memory_, other.memory_);
    }

    static constexpr bool has(SolverKind which) { return ((Instance<S>::kind == which) || ...); }
    /// Whether it can go on with another λ.
    static constexpr bool has_path(SolverKind which) { return (Its<Instance<S>>::goes_on(which) || ...); }
    static constexpr Requirement requirement(SolverKind which, Shape shape) {
      constexpr Requirement (*of[])(Shape) = {&Its<Instance<S>>::least...};
      return of[place_of(which)](shape);
    }
    static constexpr Requirement requirement(SolverKind which, Shape shape, WorkspaceHint hint) {
      constexpr Requirement (*of[])(Shape, WorkspaceHint) = {&Its<Instance<S>>::hinted...};
      return of[place_of(which)](shape, hint);
    }
    /// Of the one that is chosen.
    Requirement requirement() const {
      constexpr Requirement (*of[])(Shape) = {&Its<Instance<S>>::least...};
      return of[place_](shape());
    }
    const Options<T>& options() const { return base().options(); }  ///< these three not of stochastic ones
    Shape shape() const { return base().shape(); }
    Index stride() const { return base().stride(); }

    void set_lambda(T lambda) {
      constexpr void (*of[])(void*, T) = {&Its<Instance<S>>::set_lambda...};
      of[place_](memory_, lambda);
    }
    bool set_stopping(const Stopping<T>& stopping) {
      constexpr bool (*of[])(void*, const Stopping<T>&) = {&Its<Instance<S>>::set_stopping...};
      return of[place_](memory_, stopping);
    }
    bool set_seed(std::uint64_t seed) {
      constexpr bool (*of[])(void*, std::uint64_t) = {&Its<Instance<S>>::set_seed...};
      return of[place_](memory_, seed);
    }
    bool set_shrinking(bool shrinking) {
      constexpr bool (*of[])(void*, bool) = {&Its<Instance<S>>::set_shrinking...};
      return of[place_](memory_, shrinking);
    }

    bool start(std::span<std::byte> memory) {
      constexpr bool (*of[])(void*, std::span<std::byte>) = {&Its<Instance<S>>::start...};
      return of[place_](memory_, memory);
    }
    /// False at once for a solver that cannot.
    bool warm_start(T lambda, T* before = nullptr, T step = T(0)) {
      constexpr bool (*of[])(void*, T, T*, T) = {&Its<Instance<S>>::warm_start...};
      return of[place_](memory_, lambda, before, step);
    }
    bool step() {
      constexpr bool (*of[])(void*) = {&Its<Instance<S>>::step...};
      return of[place_](memory_);
    }
    void stop() {
      constexpr void (*of[])(void*) = {&Its<Instance<S>>::stop...};
      of[place_](memory_);
    }
    const Report<T>& report() const {
      constexpr const Report<T>& (*of[])(void*) = {&Its<Instance<S>>::report...};
      return of[place_](memory_);
    }
    bool has_certified_model() const {
      constexpr bool (*of[])(void*) = {&Its<Instance<S>>::has_certified_model...};
      return of[place_](memory_);
    }
    std::uint32_t certificates() const {
      constexpr std::uint32_t (*of[])(void*) = {&Its<Instance<S>>::certificates...};
      return of[place_](memory_);
    }
    LinearModel<T> model() const {
      constexpr LinearModel<T> (*of[])(void*) = {&Its<Instance<S>>::model...};
      return of[place_](memory_);
    }
    /// That of a solver that has one, NaN for the others and before it is chosen.
    T learning_rate() const {
      constexpr T (*of[])(void*) = {&Its<Instance<S>>::learning_rate...};
      return of[place_](memory_);
    }

   private:
    /// Of a solver that is not stochastic.
    const Base& base() const { return as<Base>(memory_); }

    template <class Solver>
    static Solver& as(void* memory) {
      return *std::launder(static_cast<Solver*>(memory));
    }
    static constexpr Place place_of(SolverKind which) {
      Place place = 0;
      (void)((Instance<S>::kind == which || (++place, false)) || ...);
      return place;
    }

    void make(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
              const Options<T>& options, const StochasticOptions<T>& stochastic) {
      constexpr void (*of[])(void*, const Design&, const Targets<T>&, const Loss&, const Penalty&, const Options<T>&,
                             const StochasticOptions<T>&) = {&Its<Instance<S>>::make...};
      of[place_](memory_, design, targets, loss, penalty, options, stochastic);
    }

    /// What one solver does.
    template <class Solver>
    struct Its {
      static void make(void* memory, const Design& given, const Targets<T>& targets, const Loss& loss,
                       const Penalty& penalty, const Options<T>& options,
                       [[maybe_unused]] const StochasticOptions<T>& stochastic) {
        const typename detail::DesignOf<Solver>::type design(given);
        if constexpr (is_stochastic(Solver::kind))
          ::new (memory) Solver(design, targets, loss, penalty, options, stochastic);
        else ::new (memory) Solver(design, targets, loss, penalty, options);
      }
      static void take_settings([[maybe_unused]] void* to, [[maybe_unused]] void* from) {
        if constexpr (requires { as<Solver>(to).take_settings(as<Solver>(from)); })
          as<Solver>(to).take_settings(as<Solver>(from));
      }
      static constexpr bool goes_on(SolverKind which) {
        return Solver::kind == which && requires(Solver solver, T lambda) { solver.warm_start(lambda); };
      }
      static constexpr Requirement least(Shape shape) { return Solver::requirement(shape); }
      static constexpr Requirement hinted(Shape shape, [[maybe_unused]] WorkspaceHint hint) {
        if constexpr (requires { Solver::requirement(shape, hint); }) return Solver::requirement(shape, hint);
        else return Solver::requirement(shape);
      }
      static void set_lambda(void* memory, T lambda) { as<Solver>(memory).set_lambda(lambda); }
      static bool set_stopping([[maybe_unused]] void* memory, const Stopping<T>& stopping) {
        if constexpr (requires { as<Solver>(memory).set_stopping(stopping); })
          return as<Solver>(memory).set_stopping(stopping), true;
        else return stopping.rule == StoppingRule::gap;
      }
      static bool set_seed([[maybe_unused]] void* memory, [[maybe_unused]] std::uint64_t seed) {
        if constexpr (requires { as<Solver>(memory).set_seed(seed); }) return as<Solver>(memory).set_seed(seed), true;
        else return false;
      }
      static bool set_shrinking([[maybe_unused]] void* memory, bool shrinking) {
        if constexpr (requires { as<Solver>(memory).set_shrinking(shrinking); })
          return as<Solver>(memory).set_shrinking(shrinking), true;
        else return !shrinking;
      }
      static bool start(void* memory, std::span<std::byte> arena) { return as<Solver>(memory).start(arena); }
      static bool warm_start([[maybe_unused]] void* memory, [[maybe_unused]] T lambda, [[maybe_unused]] T* before,
                             [[maybe_unused]] T step) {
        if constexpr (requires { as<Solver>(memory).warm_start(lambda, before, step); })
          return as<Solver>(memory).warm_start(lambda, before, step);
        else if constexpr (requires { as<Solver>(memory).warm_start(lambda); })
          return as<Solver>(memory).warm_start(lambda);
        else return false;
      }
      static bool step(void* memory) { return as<Solver>(memory).step(); }
      static void stop(void* memory) { as<Solver>(memory).stop(); }
      static const Report<T>& report(void* memory) { return as<Solver>(memory).report(); }
      static bool has_certified_model(void* memory) { return as<Solver>(memory).has_certified_model(); }
      static std::uint32_t certificates(void* memory) { return as<Solver>(memory).certificates(); }
      static LinearModel<T> model(void* memory) { return as<Solver>(memory).model(); }
      static T learning_rate([[maybe_unused]] void* memory) {
        if constexpr (requires { as<Solver>(memory).learning_rate(); }) return as<Solver>(memory).learning_rate();
        else return not_a_number<T>;
      }
    };

    alignas(Instance<S>...) mutable std::byte memory_[(std::max)({sizeof(Instance<S>)...})];
    Place place_;
  };
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
