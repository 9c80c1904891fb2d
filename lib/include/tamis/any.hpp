#pragma once
/// The door for choices made at run time: losses, penalties and designs behind tables of functions, so that a module
/// holds each solver once per scalar, not once per combination.

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>

#include "design/dense.hpp"
#include "design/sparse.hpp"
#include "penalty/elastic_net.hpp"
#include "penalty/group.hpp"
#include "penalty/l1.hpp"
#include "penalty/ridge.hpp"
#include "penalty/sparse_group.hpp"
#include "penalty/weighted_l1.hpp"
#include "solver/block_coordinate_descent.hpp"
#include "solver/constrained_primal_dual.hpp"
#include "solver/crammer_singer_dual.hpp"
#include "solver/fista.hpp"
#include "solver/primal_dual.hpp"
#include "solver/reweighted.hpp"
#include "solver/two_phase.hpp"

namespace tamis {

/// Any of the losses, called once per sample.
template <class T>
class AnyLoss {
 public:
  explicit AnyLoss(LossKind kind)
      : table_(kind == LossKind::hinge           ? &table_for<Hinge>
               : kind == LossKind::squared_hinge ? &table_for<SquaredHinge>
               : kind == LossKind::logistic      ? &table_for<Logistic>
                                                 : &table_for<OneVsRestSquaredHinge>) {}

  /// Whether the loss is among them: see any_multilabel.hpp for the others.
  static constexpr bool has(LossKind kind) { return kind != LossKind::ranking_squared_hinge; }

  bool label_mass_moves() const { return table_->label_mass_moves; }
  template <class>
  T max_dual_scale() const {
    return table_->max_dual_scale;
  }
  bool separate_classes() const { return table_->separate_classes; }
  bool has_quadratic_dual() const { return table_->dual_terms != nullptr; }
  bool has_excess() const { return table_->excess != nullptr; }
  template <class>
  T default_margin() const {
    return table_->default_margin;
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
  /// The gradient, or the subgradient of the one loss that has none.
  T subgradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    if (!table_->gradient) return Hinge{}.subgradient(z, classes, y, margin, weight, u);
    return table_->gradient(z, classes, y, margin, weight, u);
  }
  /// Every loss with a dual_prox has the hinge's simplex.
  static constexpr bool in_support(T entry, bool is_label, T weight) {
    return Hinge::in_support(entry, is_label, weight);
  }
  static constexpr T violation(const T* z, Index classes, Label y, T margin) {
    return Hinge::violation(z, classes, y, margin);
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
  T dual_value(const T* u, Index classes, Label y, T margin, T weight, T scale) const {
    return table_->dual_value(u, classes, y, margin, weight, scale);
  }
  Violations violations() const {
    return visit_smooth([](const auto& loss) { return loss.violations(); });
  }
  bool take_curvature(const T* z, Index classes, Label y, T margin, T weight, T slack, T* h) const {
    return visit_smooth([&](const auto& loss) { return loss.take_curvature(z, classes, y, margin, weight, slack, h); });
  }
  void apply_curvature(const T* h, Index classes, Label y, T weight, T* t) const {
    visit_smooth([&](const auto& loss) { loss.apply_curvature(h, classes, y, weight, t); });
  }
  CurvatureSize<T> curvature_size(const T* h, Index classes, Label y, T weight) const {
    return visit_smooth([&](const auto& loss) { return loss.curvature_size(h, classes, y, weight); });
  }
  T excess(const T* from, const T* to, Index classes, Label y, T margin, T* scratch) const {
    return table_->excess(from, to, classes, y, margin, scratch);
  }
  void null_model(const Targets<T>& targets, bool intercept, T* intercepts, T* u, Index stride) const {
    table_->null_model(targets, intercept, intercepts, u, stride);
  }
  /// visit(loss) with the loss itself, one that is smooth: in there its calls are inlined. It is not in the table, so
  /// that only solvers that ask bring the code.
  template <class Visit>
  auto visit_smooth(Visit visit) const {
    if (table_ == &table_for<SquaredHinge>) return visit(SquaredHinge{});
    if (table_ == &table_for<Logistic>) return visit(Logistic{});
    return visit(OneVsRestSquaredHinge{});
  }
  void second_derivatives(const T* u, Index classes, Label y, T weight, T* h) const {
    visit_smooth([=](const auto& loss) { loss.second_derivatives(u, classes, y, weight, h); });
  }
  template <class>
  T printed_lipschitz(Index classes) const {
    return visit_smooth([=](const auto& loss) { return loss.template printed_lipschitz<T>(classes); });
  }

 private:
  struct Table {
    bool label_mass_moves;
    bool separate_classes;
    T max_dual_scale;
    T default_margin;
    T (*value)(const T*, Index, Label, T);
    DualTerms<T> (*dual_terms)(const T*, Index, Label, T, T) = nullptr;
    T (*dual_value)(const T*, Index, Label, T, T, T) = nullptr;
    T (*excess)(const T*, const T*, Index, Label, T, T*) = nullptr;
    T (*gradient)(const T*, Index, Label, T, T, T*) = nullptr;
    T (*curvature)(Index) = nullptr;
    void (*guess_intercepts)(const Targets<T>&, T*) = nullptr;
    void (*dual_prox)(T*, Index, Label, T, T, T) = nullptr;
    void (*null_model)(const Targets<T>&, bool, T*, T*, Index) = nullptr;
    LevelTerms<T> (*level_terms)(const T*, Index, Label, T, T, T) = nullptr;
  };

  template <class L>
  static constexpr Table make_table() {
    Table table{L::label_mass_moves(), tamis::separate_classes(L{}), L::template max_dual_scale<T>(),
                tamis::default_margin<T>(L{}),
                [](const T* z, Index classes, Label y, T margin) { return L{}.value(z, classes, y, margin); }};
    if constexpr (QuadraticDual<L, T>)
      table.dual_terms = [](const T* u, Index classes, Label y, T margin, T weight) {
        return DualTerms<T>(L{}.dual_terms(u, classes, y, margin, weight));
      };
    if constexpr (GeneralDual<L, T>)
      table.dual_value = [](const T* u, Index classes, Label y, T margin, T weight, T scale) {
        return L{}.dual_value(u, classes, y, margin, weight, scale);
      };
    if constexpr (requires(const T* z, T* scratch) { L{}.excess(z, z, Index{}, Label{}, T{}, scratch); })
      table.excess = [](const T* from, const T* to, Index classes, Label y, T margin, T* scratch) {
        return L{}.excess(from, to, classes, y, margin, scratch);
      };
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

/// The numbers that some penalties take beside λ.
template <class T>
struct PenaltyParameters {
  T l1_ratio = T(0.5);                   ///< of elastic-net and sparse-group
  T epsilon = Reweighting<T>{}.epsilon;  ///< of reweighted-l1
};

/// Any of the penalties, called once per group.
template <class T>
class AnyPenalty {
 public:
  explicit AnyPenalty(PenaltyKind kind, const Groups& groups = {}, const PenaltyParameters<T>& parameters = {})
      : AnyPenalty(table_of(kind), Data{groups, parameters.l1_ratio, {}}) {}
  /// One round of reweighted-l1.
  explicit AnyPenalty(const WeightedL1<T>& weighted)
      : AnyPenalty(&table_for<WeightedL1<T>>, Data{{}, T(0), weighted}) {}

  Groups grouping() const { return table_->grouped ? data_.groups : Groups::rows(); }
  bool valid() const { return table_->valid(data_); }
  DualKind dual_kind() const { return table_->dual_kind(data_); }
  T value(Rows<const T> w) const { return table_->value(data_, w); }
  void prox(Rows<T> w, T step) const { table_->prox(data_, w, step); }
  template <class>
  T step_coupling() const {
    if (table_ == &table_for<Ridge>) return tamis::step_coupling<T>(Ridge{});
    if (table_ == &table_for<ElasticNet<T>>) return tamis::step_coupling<T>(make<ElasticNet<T>>(data_));
    return table_ == &table_for<SparseGroup<T>> ? not_a_number<T> : T(0);
  }
  /// Visits nothing for a penalty without: `incompatibility` keeps such penalties from the solvers that ask.
  template <class Visit>
  void prox_jacobian(Rows<const T> w, T step, Visit&& visit) const {
    if (table_->prox_jacobian)
      table_->prox_jacobian(data_, w, step, &visit, [](void* context, const ProxJacobian<T>& group) {
        (*static_cast<std::remove_reference_t<Visit>*>(context))(group);
      });
  }
  bool keeps_signs() const {
    return visit([](const auto& penalty) { return penalty.keeps_signs(); });
  }
  void gradient(Rows<const T> w, Rows<T> out) const {
    visit([&](const auto& penalty) { penalty.gradient(w, out); });
  }
  T dual_norm(Rows<const T> g) const { return table_->dual_norm(data_, g); }
  T conjugate(Rows<const T> g, T lambda) const { return table_->conjugate(data_, g, lambda); }
  /// visit(penalty) with the penalty itself.
  template <class Visit>
  auto visit(Visit visit) const {
    if (table_ == &table_for<Ridge>) return visit(make<Ridge>(data_));
    if (table_ == &table_for<GroupL2>) return visit(make<GroupL2>(data_));
    if (table_ == &table_for<GroupLinf>) return visit(make<GroupLinf>(data_));
    if (table_ == &table_for<ElasticNet<T>>) return visit(make<ElasticNet<T>>(data_));
    if (table_ == &table_for<SparseGroup<T>>) return visit(make<SparseGroup<T>>(data_));
    if (table_ == &table_for<WeightedL1<T>>) return visit(make<WeightedL1<T>>(data_));
    return visit(make<L1>(data_));
  }

 private:
  /// What the penalties are made of.
  struct Data {
    Groups groups;
    T ratio;
    WeightedL1<T> weighted;
  };
  struct Table {
    bool grouped;
    bool (*valid)(const Data&);
    DualKind (*dual_kind)(const Data&);
    T (*value)(const Data&, Rows<const T>);
    void (*prox)(const Data&, Rows<T>, T);
    void (*prox_jacobian)(const Data&, Rows<const T>, T, void*, void (*)(void*, const ProxJacobian<T>&)) = nullptr;
    T (*dual_norm)(const Data&, Rows<const T>) = nullptr;
    T (*conjugate)(const Data&, Rows<const T>, T) = nullptr;
  };

  AnyPenalty(const Table* table, const Data& data) : table_(table), data_(data) {}

  template <class P>
  static constexpr P make(const Data& data) {
    if constexpr (std::same_as<P, SparseGroup<T>>) return P{data.groups, {data.ratio}};
    else if constexpr (HasGrouping<P>) return P{data.groups};
    else if constexpr (std::same_as<P, ElasticNet<T>>) return P{data.ratio};
    else if constexpr (std::same_as<P, WeightedL1<T>>) return data.weighted;
    else return P{};
  }
  template <class P>
  static constexpr Table make_table() {
    Table table{HasGrouping<P>,
                [](const Data& data) {
                  if constexpr (requires(P penalty) { penalty.valid(); }) return make<P>(data).valid();
                  else return true;
                },
                [](const Data& data) { return tamis::dual_kind<T>(make<P>(data)); },
                [](const Data& data, Rows<const T> w) { return make<P>(data).value(w); },
                [](const Data& data, Rows<T> w, T step) { make<P>(data).prox(w, step); }};
    if constexpr (HasProxJacobian<P, T>)
      table.prox_jacobian = [](const Data& data, Rows<const T> w, T step, void* context,
                               void (*visit)(void*, const ProxJacobian<T>&)) {
        make<P>(data).prox_jacobian(w, step, [=](const ProxJacobian<T>& group) { visit(context, group); });
      };
    if constexpr (HasDualNorm<P, T>)
      table.dual_norm = [](const Data& data, Rows<const T> g) { return make<P>(data).dual_norm(g); };
    if constexpr (HasConjugate<P, T>)
      table.conjugate = [](const Data& data, Rows<const T> g, T lambda) { return make<P>(data).conjugate(g, lambda); };
    return table;
  }
  template <class P>
  static constexpr Table table_for = make_table<P>();

  static const Table* table_of(PenaltyKind kind) {
    switch (kind) {
      case PenaltyKind::ridge: return &table_for<Ridge>;
      case PenaltyKind::group_l2: return &table_for<GroupL2>;
      case PenaltyKind::group_linf: return &table_for<GroupLinf>;
      case PenaltyKind::elastic_net: return &table_for<ElasticNet<T>>;
      case PenaltyKind::sparse_group: return &table_for<SparseGroup<T>>;
      case PenaltyKind::reweighted_l1: return &table_for<WeightedL1<T>>;
      case PenaltyKind::l1: break;
    }
    return &table_for<L1>;
  }

  const Table* table_;
  Data data_;
};

/// Any design that can be read by rows too; keeps a pointer to it, so it must outlive the training.
template <class T>
class AnyDesign {
 public:
  template <Design<T> D>
  requires(!std::same_as<D, AnyDesign>) explicit AnyDesign(const D& design) : table_(&table_for<D>), design_(&design) {}

  Index samples() const { return table_->samples(design_); }
  Index features() const { return table_->features(design_); }
  void multiply(const Index* list, Index count, const T* w, Index stride, const T* base, T* z) const {
    table_->multiply(design_, list, count, w, stride, base, z);
  }
  void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
    table_->transposed_multiply(design_, list, count, u, stride, g);
  }
  void gather(Index feature, const Index* list, Index count, T* out, Index stride) const {
    table_->gather(design_, feature, list, count, out, stride);
  }
  /// Without columns, solvers that need them are refused.
  bool has_columns() const { return table_->column; }
  Column<T> column(Index feature) const { return table_->column(design_, feature); }
  T column_sum(Index feature) const { return table_->column_sum(design_, feature); }
  void column_sums(T* sums, T* scratch) const {
    if (table_->column_sums) return table_->column_sums(design_, sums, scratch);
    for (Index j = 0; j < features(); ++j) sums[j] = column_sum(j);
  }
  std::size_t entries(const Index* list, Index count) const { return table_->entries(design_, list, count); }
  bool find_bad_value(Index& row, Index& column) const { return table_->find_bad_value(design_, row, column); }
  Status failure(Index& sample) const { return table_->failure ? table_->failure(design_, sample) : Status::running; }
  void count_entries(Index* length) const { table_->count_entries(design_, length); }
  void gather(Index first, Index last, Index* position, Index* features, T* values) const {
    table_->gather_rows(design_, first, last, position, features, values);
  }

 private:
  struct Table {
    Index (*samples)(const void*);
    Index (*features)(const void*);
    void (*multiply)(const void*, const Index*, Index, const T*, Index, const T*, T*);
    void (*transposed_multiply)(const void*, const Index*, Index, const T*, Index, T*);
    void (*gather)(const void*, Index, const Index*, Index, T*, Index);
    Column<T> (*column)(const void*, Index);
    T (*column_sum)(const void*, Index);
    void (*column_sums)(const void*, T*, T*);
    std::size_t (*entries)(const void*, const Index*, Index);
    bool (*find_bad_value)(const void*, Index&, Index&);
    Status (*failure)(const void*, Index&);
    void (*count_entries)(const void*, Index*);
    void (*gather_rows)(const void*, Index, Index, Index*, Index*, T*);
  };

  template <class D>
  static const D& as(const void* design) {
    return *static_cast<const D*>(design);
  }
  template <class D>
  static constexpr auto column_of() -> Column<T> (*)(const void*, Index) {
    if constexpr (HasColumns<D, T>) return [](const void* d, Index feature) { return as<D>(d).column(feature); };
    else return nullptr;
  }
  template <class D>
  static constexpr auto column_sums_of() -> void (*)(const void*, T*, T*) {
    if constexpr (requires(const D design, T* sums) { design.column_sums(sums, sums); })
      return [](const void* d, T* sums, T* scratch) { as<D>(d).column_sums(sums, scratch); };
    else return nullptr;
  }
  template <class D>
  static constexpr auto failure_in() -> Status (*)(const void*, Index&) {
    if constexpr (requires(const D design, Index sample) { design.failure(sample); })
      return [](const void* d, Index& sample) { return as<D>(d).failure(sample); };
    else return nullptr;
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
      [](const void* d, Index feature, const Index* list, Index count, T* out, Index stride) {
        as<D>(d).gather(feature, list, count, out, stride);
      },
      column_of<D>(),
      [](const void* d, Index feature) { return as<D>(d).column_sum(feature); },
      column_sums_of<D>(),
      [](const void* d, const Index* list, Index count) { return as<D>(d).entries(list, count); },
      [](const void* d, Index& row, Index& column) { return as<D>(d).find_bad_value(row, column); },
      failure_in<D>(),
      [](const void* d, Index* length) { as<D>(d).count_entries(length); },
      [](const void* d, Index first, Index last, Index* position, Index* features, T* values) {
        as<D>(d).gather(first, last, position, features, values);
      }};

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
  bool tiny_lambda = false;  ///< see is_tiny: `automatic` may then mean another solver

  constexpr SolverKind resolved_solver() const {
    if (solver != SolverKind::automatic) return solver;
    return default_solver(loss, penalty, constrained, tiny_lambda, groups.is_listed || groups.block > 1);
  }
  /// nλ below 1/1000, zero included.
  template <class T>
  static constexpr bool is_tiny(T lambda, Index samples) {
    return !(lambda * T(samples) >= T(1e-3));
  }
  /// One sentence, or null when the combination is accepted.
  constexpr const char* refusal() const { return incompatibility(resolved_solver(), loss, penalty); }
};

/// A training run with everything chosen at run time: the same interface as the solvers, the same bits.
/// `More`: solver templates to offer beside those that are always there: TwoPhase, BlockCoordinateDescent, and
/// baselines such as as_printed::PrimalDual. One that is not among them is refused with `invalid_option`, but
/// `automatic` is content with PrimalDual and Fista where those two are not. `Loss`:
/// AnyLoss, or what has its members and more losses.
template <class T, class Loss, template <class, class, class, class> class... More>
class AnyTrainingWith {
  template <template <class, class, class, class> class S>
  using Instance = S<T, Loss, AnyPenalty<T>, AnyDesign<T>>;
  using RidgeHinge = CrammerSingerDual<T, Hinge, Ridge, AnyDesign<T>>;  // accepts no other pair

 public:
  AnyTrainingWith(const Choice& choice, const AnyDesign<T>& design, const Targets<T>& targets,
                  const Options<T>& options, const PenaltyParameters<T>& parameters = {},
                  const StochasticOptions<T>& stochastic = {})
      : AnyTrainingWith(choice, design, targets, options, parameters, Loss(choice.loss), stochastic) {}
  AnyTrainingWith(const Choice& choice, const AnyDesign<T>& design, const Targets<T>& targets,
                  const Options<T>& options, const PenaltyParameters<T>& parameters, const Loss& loss,
                  const StochasticOptions<T>& stochastic = {})
      : kind_(resolve(choice)), reweighted_(choice.penalty == PenaltyKind::reweighted_l1) {
    const bool no_combination = choice.refusal() || (needs_columns(kind_) && !design.has_columns());
    refusal_.status = no_combination ? Status::invalid_combination : Status::invalid_option;
    refused_ = no_combination || !has(kind_) || !Loss::has(choice.loss);
    if (refused_) return;
    dispatch(kind_, reweighted_, [&]<class Solver>() {
      if constexpr (std::is_same_v<Solver, RidgeHinge>)
        ::new (static_cast<void*>(storage_)) Solver(design, targets, Hinge{}, Ridge{}, options);
      else if constexpr (is_reweighted<Solver>)
        ::new (static_cast<void*>(storage_)) Solver(design, targets, loss, options, {.epsilon = parameters.epsilon});
      else if constexpr (is_stochastic(Solver::kind))
        ::new (static_cast<void*>(storage_)) Solver(
            design, targets, loss, AnyPenalty<T>(choice.penalty, choice.groups, parameters), options, stochastic);
      else
        ::new (static_cast<void*>(storage_))
            Solver(design, targets, loss, AnyPenalty<T>(choice.penalty, choice.groups, parameters), options);
      return 0;
    });
  }
  AnyTrainingWith(const AnyTrainingWith&) = delete;
  AnyTrainingWith& operator=(const AnyTrainingWith&) = delete;

  /// Whether the solver is in this build.
  static constexpr bool has(SolverKind kind) {
    return kind == SolverKind::primal_dual || kind == SolverKind::fista ||
           kind == SolverKind::constrained_primal_dual || kind == SolverKind::crammer_singer_dual ||
           ((Instance<More>::kind == kind) || ...);
  }
  /// The solver that a choice means in this build.
  static constexpr SolverKind resolve(const Choice& choice) {
    const SolverKind kind = choice.resolved_solver();
    if (choice.solver != SolverKind::automatic || has(kind)) return kind;
    return kind == SolverKind::two_phase ? SolverKind::primal_dual : SolverKind::fista;
  }

  /// Exact number of arena bytes; more than any memory has for a solver that is not in this build.
  static constexpr Requirement requirement(const Choice& choice, Shape shape) {
    const SolverKind kind = resolve(choice);
    if (!has(kind)) return {detail::no_bytes_suffice};
    return dispatch(kind, choice.penalty == PenaltyKind::reweighted_l1,
                    [&]<class Solver>() { return Solver::requirement(shape); });
  }
  /// The same with room for more than the least: never fewer bytes, and a faster solver where it has a use for them.
  static constexpr Requirement requirement(const Choice& choice, Shape shape, Room room) {
    const SolverKind kind = resolve(choice);
    if (!has(kind)) return {detail::no_bytes_suffice};
    return dispatch(kind, choice.penalty == PenaltyKind::reweighted_l1, [&]<class Solver>() {
      if constexpr (requires { Solver::requirement(shape, room); }) return Solver::requirement(shape, room);
      else return Solver::requirement(shape);
    });
  }

  /// Another λ than that of the options, before `start`.
  void set_lambda(T lambda) {
    if (!refused_) visit([=](auto& solver) { return solver.set_lambda(lambda), 0; });
  }
  /// Settings that only some baselines have (`has_stopping`, `is_random`, `is_blockwise`), before `start`. False: the
  /// solver of the choice does not have that setting, and nothing has changed.
  bool set_stopping(const Stopping<T>& stopping) {
    return !refused_ && visit([&](auto& solver) {
      if constexpr (requires { solver.set_stopping(stopping); }) return solver.set_stopping(stopping), true;
      else return stopping.rule == StoppingRule::gap;
    });
  }
  bool set_seed(std::uint64_t seed) {
    return !refused_ && visit([=](auto& solver) {
      if constexpr (requires { solver.set_seed(seed); }) return solver.set_seed(seed), true;
      else return false;
    });
  }
  bool set_shrinking(bool shrinking) {
    return !refused_ && visit([=](auto& solver) {
      if constexpr (requires { solver.set_shrinking(shrinking); }) return solver.set_shrinking(shrinking), true;
      else return !shrinking;
    });
  }

  /// Goes on with another λ from where a run has ended (not stopped); false at once for a
  /// solver that cannot: see `has_path`.
  [[gnu::noinline]] bool warm_start(T lambda, T* before = nullptr, T step = T(0)) {
    return !refused_ && visit([=](auto& solver) {
      if constexpr (requires { solver.warm_start(lambda, before, step); })
        return solver.warm_start(lambda, before, step);
      else if constexpr (requires { solver.warm_start(lambda); }) return solver.warm_start(lambda);
      else return false;
    });
  }
  /// Whether the solver of a choice can go on with another λ: all that solve the regularised form, but for baselines.
  static constexpr bool has_path(const Choice& choice) {
    const SolverKind kind = resolve(choice);
    return has(kind) && dispatch(kind, false, []<class Solver>() {
             return requires(Solver solver, T lambda) { solver.warm_start(lambda); };
           });
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
  bool has_certified_model() const {
    return !refused_ && visit([](auto& solver) { return solver.has_certified_model(); });
  }
  LinearModel<T> model() const {
    return refused_ ? LinearModel<T>{} : visit([](auto& solver) { return solver.model(); });
  }
  /// The weights of the round at hand of reweighted-l1, features × padded classes; null when all are 1.
  const T* weights() const {
    return refused_ ? nullptr : visit([](auto& solver) -> const T* {
      if constexpr (requires { solver.weights(); }) return solver.weights();
      else return nullptr;
    });
  }
  /// That of a solver that has one, NaN for the others and before it is chosen.
  T learning_rate() const {
    return refused_ ? not_a_number<T> : visit([](auto& solver) {
      if constexpr (requires { solver.learning_rate(); }) return solver.learning_rate();
      else return not_a_number<T>;
    });
  }
  std::uint32_t certificates() const {
    return refused_ ? 0 : visit([](auto& solver) { return solver.certificates(); });
  }

 private:
  template <class Solver>
  static constexpr bool is_reweighted = requires(Solver solver) {
    solver.round();
  };

  /// Calls visit<Solver>() with the solver of that kind, which must be in this build.
  template <class Visit>
  static constexpr auto dispatch(SolverKind kind, bool reweighted, Visit visit) {
    return pick<Visit, Instance<PrimalDual>, Instance<Fista>, Instance<ConstrainedPrimalDual>, RidgeHinge,
                Instance<More>...>(kind, reweighted, visit);
  }
  template <class Visit, class First, class... Rest>
  static constexpr auto pick(SolverKind kind, bool reweighted, Visit visit) {
    if constexpr (sizeof...(Rest) > 0) {
      if (kind != First::kind) return pick<Visit, Rest...>(kind, reweighted, visit);
    }
    if constexpr (!std::is_same_v<First, RidgeHinge> && !is_stochastic(First::kind))
      if (reweighted) return visit.template operator()<Reweighted<First>>();
    return visit.template operator()<First>();
  }
  template <class Visit>
  auto visit(Visit visit) const {
    return dispatch(kind_, reweighted_,
                    [&]<class Solver>() { return visit(*std::launder(reinterpret_cast<Solver*>(storage_))); });
  }

  template <template <class, class, class, class> class S>
  using Largest =  // a Reweighted<S> holds an S
      std::conditional_t<is_stochastic(Instance<S>::kind), Instance<S>, Reweighted<Instance<S>>>;
  alignas(Largest<PrimalDual>) alignas(Largest<Fista>) alignas(Largest<ConstrainedPrimalDual>) alignas(
      RidgeHinge) alignas(Largest<More>...) mutable std::byte
      storage_[std::max({sizeof(Largest<PrimalDual>), sizeof(Largest<Fista>), sizeof(Largest<ConstrainedPrimalDual>),
                         sizeof(RidgeHinge), sizeof(Largest<More>)...})];
  SolverKind kind_;
  bool reweighted_;
  bool refused_;
  Report<T> refusal_{};
};

template <class T, template <class, class, class, class> class... More>
using AnyTraining = AnyTrainingWith<T, AnyLoss<T>, More...>;

}  // namespace tamis
