#pragma once
/// The door for choices made at run time: losses, penalties and designs behind tables of functions, so that a module
/// holds each solver once per scalar, not once per combination.

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>

#include "design/dense.hpp"
#include "design/sparse.hpp"
#include "penalty/group.hpp"
#include "penalty/l1.hpp"
#include "penalty/ridge.hpp"
#include "solver/constrained_primal_dual.hpp"
#include "solver/fista.hpp"
#include "solver/primal_dual.hpp"

namespace tamis {

/// Any of the losses, called once per sample.
template <class T>
class AnyLoss {
 public:
  explicit AnyLoss(LossKind kind) : table_(kind == LossKind::hinge ? &table_for<Hinge> : &table_for<SquaredHinge>) {}

  bool label_mass_moves() const { return table_->label_mass_moves; }
  template <class>
  T max_dual_scale() const {
    return table_->max_dual_scale;
  }
  template <class>
  T curvature(Index classes) const {
    return table_->curvature(classes);
  }
  T value(const T* z, Index classes, Label y, T margin) const { return table_->value(z, classes, y, margin); }
  void guess_intercepts(const Targets<T>& targets, T* intercepts) const {
    table_->guess_intercepts(targets, intercepts);
  }
  T gradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    return table_->gradient(z, classes, y, margin, weight, u);
  }
  void dual_prox(T* u, Index classes, Label y, T margin, T weight, T sigma) const {
    table_->dual_prox(u, classes, y, margin, weight, sigma);
  }
  LevelTerms<T> level_terms(const T* u, Index classes, Label y, T margin, T weight, T sigma) const {
    return table_->level_terms(u, classes, y, margin, weight, sigma);
  }
  DualTerms<T> dual_terms(const T* u, Index classes, Label y, T margin, T weight) const {
    return table_->dual_terms(u, classes, y, margin, weight);
  }
  void null_model(const Targets<T>& targets, bool intercept, T* intercepts, T* u, Index stride) const {
    table_->null_model(targets, intercept, intercepts, u, stride);
  }

 private:
  struct Table {
    bool label_mass_moves;
    T max_dual_scale;
    T (*value)(const T*, Index, Label, T);
    DualTerms<T> (*dual_terms)(const T*, Index, Label, T, T);
    T (*gradient)(const T*, Index, Label, T, T, T*) = nullptr;
    T (*curvature)(Index) = nullptr;
    void (*guess_intercepts)(const Targets<T>&, T*) = nullptr;
    void (*dual_prox)(T*, Index, Label, T, T, T) = nullptr;
    void (*null_model)(const Targets<T>&, bool, T*, T*, Index) = nullptr;
    LevelTerms<T> (*level_terms)(const T*, Index, Label, T, T, T) = nullptr;
  };

  template <class L>
  static constexpr Table make_table() {
    Table table{L::label_mass_moves(), L::template max_dual_scale<T>(),
                [](const T* z, Index classes, Label y, T margin) { return L{}.value(z, classes, y, margin); },
                [](const T* u, Index classes, Label y, T margin, T weight) {
                  return L{}.dual_terms(u, classes, y, margin, weight);
                }};
    if constexpr (SmoothLoss<L, T>) {
      table.gradient = [](const T* z, Index classes, Label y, T margin, T weight, T* u) {
        return L{}.gradient(z, classes, y, margin, weight, u);
      };
      table.curvature = [](Index classes) { return L{}.template curvature<T>(classes); };
      table.guess_intercepts = [](const Targets<T>& targets, T* intercepts) {
        L{}.guess_intercepts(targets, intercepts);
      };
    }
    if constexpr (DualProximableLoss<L, T>) {
      table.dual_prox = [](T* u, Index classes, Label y, T margin, T weight, T sigma) {
        L{}.dual_prox(u, classes, y, margin, weight, sigma);
      };
      table.null_model = [](const Targets<T>& targets, bool intercept, T* intercepts, T* u, Index stride) {
        L{}.null_model(targets, intercept, intercepts, u, stride);
      };
    }
    if constexpr (ConstrainableLoss<L, T>)
      table.level_terms = [](const T* u, Index classes, Label y, T margin, T weight, T sigma) {
        return L{}.level_terms(u, classes, y, margin, weight, sigma);
      };
    return table;
  }
  template <class L>
  static constexpr Table table_for = make_table<L>();

  const Table* table_;
};

/// Any of the penalties, called once per group.
template <class T>
class AnyPenalty {
 public:
  explicit AnyPenalty(PenaltyKind kind, Groups groups = {})
      : table_(kind == PenaltyKind::ridge      ? &table_for<Ridge>
               : kind == PenaltyKind::l1       ? &table_for<L1>
               : kind == PenaltyKind::group_l2 ? &table_for<GroupL2>
                                               : &table_for<GroupLinf>),
        groups_(groups) {}

  Index features_together() const { return table_->grouped ? groups_.features_together() : 1; }
  DualKind dual_kind() const { return table_->dual_kind; }
  T value(Rows<const T> w) const { return table_->value(groups_, w); }
  void prox(Rows<T> w, T step) const { table_->prox(groups_, w, step); }
  T dual_norm(Rows<const T> g) const { return table_->dual_norm(groups_, g); }
  T conjugate(Rows<const T> g, T lambda) const { return table_->conjugate(groups_, g, lambda); }

 private:
  struct Table {
    bool grouped;
    DualKind dual_kind;
    T (*value)(Groups, Rows<const T>);
    void (*prox)(Groups, Rows<T>, T);
    T (*dual_norm)(Groups, Rows<const T>) = nullptr;
    T (*conjugate)(Groups, Rows<const T>, T) = nullptr;
  };

  template <class P>
  static constexpr bool is_grouped = requires(P penalty) {
    penalty.groups;
  };
  template <class P>
  static constexpr P make(Groups groups) {
    if constexpr (is_grouped<P>) return P{groups};
    else return P{};
  }
  template <class P>
  static constexpr Table make_table() {
    Table table{is_grouped<P>, tamis::dual_kind<T>(P{}),
                [](Groups groups, Rows<const T> w) { return make<P>(groups).value(w); },
                [](Groups groups, Rows<T> w, T step) { make<P>(groups).prox(w, step); }};
    if constexpr (HasDualNorm<P, T>)
      table.dual_norm = [](Groups groups, Rows<const T> g) { return make<P>(groups).dual_norm(g); };
    if constexpr (HasConjugate<P, T>)
      table.conjugate = [](Groups groups, Rows<const T> g, T lambda) { return make<P>(groups).conjugate(g, lambda); };
    return table;
  }
  template <class P>
  static constexpr Table table_for = make_table<P>();

  const Table* table_;
  Groups groups_;
};

/// Any design; keeps a pointer to it, so it must outlive the training.
template <class T>
class AnyDesign {
 public:
  template <tamis::Design<T> D>
  requires(!std::same_as<D, AnyDesign>) explicit AnyDesign(const D& design) : table_(&table_for<D>), design_(&design) {}

  Index samples() const { return table_->samples(design_); }
  Index features() const { return table_->features(design_); }
  void multiply(const Index* list, Index count, const T* w, Index stride, const T* base, T* z) const {
    table_->multiply(design_, list, count, w, stride, base, z);
  }
  void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
    table_->transposed_multiply(design_, list, count, u, stride, g);
  }
  T column_sum(Index feature) const { return table_->column_sum(design_, feature); }
  std::size_t entries(const Index* list, Index count) const { return table_->entries(design_, list, count); }
  bool find_bad_value(Index& row, Index& column) const { return table_->find_bad_value(design_, row, column); }

 private:
  struct Table {
    Index (*samples)(const void*);
    Index (*features)(const void*);
    void (*multiply)(const void*, const Index*, Index, const T*, Index, const T*, T*);
    void (*transposed_multiply)(const void*, const Index*, Index, const T*, Index, T*);
    T (*column_sum)(const void*, Index);
    std::size_t (*entries)(const void*, const Index*, Index);
    bool (*find_bad_value)(const void*, Index&, Index&);
  };

  template <class D>
  static const D& as(const void* design) {
    return *static_cast<const D*>(design);
  }
  template <class D>
  static constexpr Table table_for{
      [](const void* d) { return as<D>(d).samples(); },
      [](const void* d) { return as<D>(d).features(); },
      [](const void* d, const Index* list, Index count, const T* w, Index stride, const T* base, T* z) {
        as<D>(d).multiply(list, count, w, stride, base, z);
      },
      [](const void* d, const Index* list, Index count, const T* u, Index stride, T* g) {
        as<D>(d).transposed_multiply(list, count, u, stride, g);
      },
      [](const void* d, Index feature) { return as<D>(d).column_sum(feature); },
      [](const void* d, const Index* list, Index count) { return as<D>(d).entries(list, count); },
      [](const void* d, Index& row, Index& column) { return as<D>(d).find_bad_value(row, column); }};

  const Table* table_;
  const void* design_;
};

/// What is chosen at run time.
struct Choice {
  LossKind loss = LossKind::hinge;
  PenaltyKind penalty = PenaltyKind::l1;
  Groups groups = {};
  SolverKind solver = SolverKind::automatic;
  bool constrained = false;  ///< what `automatic` is to solve: the form with η

  constexpr SolverKind resolved_solver() const {
    return solver == SolverKind::automatic ? default_solver(loss, constrained) : solver;
  }
  /// One sentence, or null when the combination is accepted.
  constexpr const char* refusal() const { return incompatibility(resolved_solver(), loss, penalty); }
};

/// A training run with everything chosen at run time: the same interface as the solvers, the same bits.
/// `Baselines`: solver templates to offer beside the defaults, such as as_printed::PrimalDual. One that is not among
/// them is refused with `invalid_option`.
template <class T, template <class, class, class, class> class... Baselines>
class AnyTraining {
  template <template <class, class, class, class> class S>
  using Instance = S<T, AnyLoss<T>, AnyPenalty<T>, AnyDesign<T>>;

 public:
  AnyTraining(const Choice& choice, const AnyDesign<T>& design, const Targets<T>& targets, const Options<T>& options)
      : kind_(choice.resolved_solver()) {
    refusal_.status = choice.refusal() ? Status::invalid_combination : Status::invalid_option;
    refused_ = choice.refusal() || !has(kind_);
    if (refused_) return;
    dispatch(kind_, [&]<class Solver>() {
      ::new (static_cast<void*>(storage_))
          Solver(design, targets, AnyLoss<T>(choice.loss), AnyPenalty<T>(choice.penalty, choice.groups), options);
      return 0;
    });
  }
  AnyTraining(const AnyTraining&) = delete;
  AnyTraining& operator=(const AnyTraining&) = delete;

  /// Whether the solver is in this build.
  static constexpr bool has(SolverKind kind) {
    return kind == SolverKind::primal_dual || kind == SolverKind::fista ||
           kind == SolverKind::constrained_primal_dual || ((Instance<Baselines>::kind == kind) || ...);
  }

  /// Exact number of arena bytes; more than any memory has for a solver that is not in this build.
  static constexpr Requirement requirement(const Choice& choice, Shape shape) {
    const SolverKind kind = choice.resolved_solver();
    if (!has(kind)) return {detail::no_bytes_suffice};
    return dispatch(kind, [&]<class Solver>() { return Solver::requirement(shape); });
  }

  [[gnu::noinline]] bool start(std::span<std::byte> memory) {
    return !refused_ && visit([&](auto& solver) { return solver.start(memory); });
  }
  [[gnu::noinline]] bool step() {
    return !refused_ && visit([](auto& solver) { return solver.step(); });
  }
  void stop() {
    if (!refused_) visit([](auto& solver) { return solver.stop(), 0; });
  }
  const Report<T>& report() const {
    return refused_ ? refusal_ : *visit([](auto& solver) { return &solver.report(); });
  }
  LinearModel<T> model() const {
    return refused_ ? LinearModel<T>{} : visit([](auto& solver) { return solver.model(); });
  }
  std::uint32_t certificates() const {
    return refused_ ? 0 : visit([](auto& solver) { return solver.certificates(); });
  }

 private:
  /// Calls visit<Solver>() with the solver of that kind, which must be in this build.
  template <class Visit>
  static constexpr auto dispatch(SolverKind kind, Visit visit) {
    return pick<Visit, Instance<PrimalDual>, Instance<Fista>, Instance<ConstrainedPrimalDual>, Instance<Baselines>...>(
        kind, visit);
  }
  template <class Visit, class First, class... Rest>
  static constexpr auto pick(SolverKind kind, Visit visit) {
    if constexpr (sizeof...(Rest) > 0) {
      if (kind != First::kind) return pick<Visit, Rest...>(kind, visit);
    }
    return visit.template operator()<First>();
  }
  template <class Visit>
  auto visit(Visit visit) const {
    return dispatch(kind_, [&]<class Solver>() { return visit(*std::launder(reinterpret_cast<Solver*>(storage_))); });
  }

  alignas(Instance<PrimalDual>) alignas(Instance<Fista>) alignas(Instance<ConstrainedPrimalDual>)
      alignas(Instance<Baselines>...) mutable std::byte storage_[std::max(
          {sizeof(Instance<PrimalDual>), sizeof(Instance<Fista>), sizeof(Instance<ConstrainedPrimalDual>),
           sizeof(Instance<Baselines>)...})];
  SolverKind kind_;
  bool refused_;
  Report<T> refusal_{};
};

}  // namespace tamis
