#pragma once
/// Choices made at run time: losses, penalties and designs behind tables of functions, so that a module
/// holds each solver once per scalar, not once per combination.

#include <cstddef>
#include <new>
#include <type_traits>

#include "any_solver.hpp"
#include "design/dense.hpp"
#include "design/mean_square_norm.hpp"
#include "design/sparse.hpp"
#include "solver/constrained_primal_dual.hpp"
#include "solver/fista.hpp"
#include "solver/primal_dual.hpp"
#include "solver/two_phase.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {
/// visit(R{}) with the first row R for which is(R{}), or else the last, of those that have what is wanted.
template <unsigned wanted, class R>
inline constexpr bool is_wanted = wanted == 0 || ((R::has & wanted) && !(R::has & catalogue::has::label_sets));
template <unsigned wanted, class Is, class Visit, class First, class... Rest>
[[gnu::always_inline]] constexpr auto visit_row(catalogue::List<First, Rest...>, const Is& is, Visit& visit) {
  if constexpr (!is_wanted<wanted, First>) {
    return visit_row<wanted>(catalogue::List<Rest...>{}, is, visit);
  } else if constexpr ((is_wanted<wanted, Rest> || ...)) {
    if (is(First{})) return visit(First{});
    return visit_row<wanted>(catalogue::List<Rest...>{}, is, visit);
  } else {
    return visit(First{});
  }
}
/// Whether is(R{}) of any row R.
template <class... R>
constexpr bool any_row(catalogue::List<R...>, const auto& is) {
  return (is(R{}) || ...);
}
template <class First, class... R>
First first_of(catalogue::List<First, R...>);
template <class>
inline constexpr bool some_has_groups = false;
template <class... R>
inline constexpr bool some_has_groups<catalogue::List<R...>> = (has_groups(R::kind) || ...);
}  // namespace detail

/// Any of the losses in the rows `Losses` of the catalogue that take one class per sample, called once per sample.
template <class T, class Losses = catalogue::Losses>
class AnyLoss {
 public:
  explicit AnyLoss(LossKind kind) : table_(table_of(catalogue::Losses{}, kind)) {}

  static constexpr bool chosen_at_run_time = true;
  /// Whether the loss is among them: see any_multilabel.hpp for the others.
  static constexpr bool has(LossKind kind) {
    return !has_label_sets(kind) && detail::any_row(Losses{}, [=]<class R>(R) { return R::kind == kind; });
  }

  /// Whether all of them that have a curvature are sums of squared violations.
  static constexpr bool are_sums_of_violations = !detail::any_row(Losses{}, []<class R>(R) {
    if constexpr ((R::has & catalogue::has::curvature) == 0) return false;
    else return !is_sum_of_violations<typename R::Type>();
  });

  bool is_exact_hinge() const {
    if constexpr (has(LossKind::hinge)) return table_ == &table_for<Hinge>;
    else return false;
  }
  bool label_mass_moves() const { return table_->label_mass_moves; }
  template <class>
  T max_dual_scale() const {
    return table_->max_dual_scale;
  }
  bool separate_classes() const { return table_->separate_classes; }
  bool has_quadratic_dual() const { return table_->dual_terms != nullptr; }
  bool has_bregman_divergence() const { return table_->has_bregman_divergence; }
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
  /// The gradient, or the subgradient of a loss that has none.
  T subgradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    if (table_->gradient) return table_->gradient(z, classes, y, margin, weight, u);
    return visit<catalogue::has::subgradient>(
        [=](const auto& loss) { return loss.subgradient(z, classes, y, margin, weight, u); });
  }
  T stiffness(T entry, bool is_label, T weight, T sigma) const {
    return visit<catalogue::has::simplex>(
        [=](const auto& loss) { return loss.stiffness(entry, is_label, weight, sigma); });
  }
  T violation(const T* z, Index classes, Label y, T margin) const {
    return visit<catalogue::has::simplex>([=](const auto& loss) { return loss.violation(z, classes, y, margin); });
  }
  void dual_prox(T* u, Index classes, Label y, T margin, T weight, T sigma) const {
    visit<catalogue::has::dual_prox>([=](const auto& loss) { loss.dual_prox(u, classes, y, margin, weight, sigma); });
  }
  void enter_domain(T* u, Index classes, Label y, T weight) const {
    visit<catalogue::has::dual_prox>([=](const auto& loss) { loss.enter_domain(u, classes, y, weight); });
  }
  void null_model(const Targets<T>& targets, bool intercept, T* intercepts, T* u, Index stride) const {
    visit<catalogue::has::dual_prox>(
        [&](const auto& loss) { loss.null_model(targets, intercept, intercepts, u, stride); });
  }
  LevelTerms<T> level_terms(const T* u, Index classes, Label y, T margin, T weight, T sigma) const {
    return visit<catalogue::has::level_sets>(
        [=](const auto& loss) -> LevelTerms<T> { return loss.level_terms(u, classes, y, margin, weight, sigma); });
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
  T bregman_divergence(const T* from, const T* to, Index classes, Label y, T margin, T* scratch) const {
    return visit<catalogue::has::divergence>(
        [=](const auto& loss) { return loss.bregman_divergence(from, to, classes, y, margin, scratch); });
  }
  /// visit(loss) with the loss itself, one whose curvature is known: in there its calls are inlined. It is not in the
  /// table, so that only solvers that ask bring the code.
  template <class Visit>
  auto visit_smooth(Visit to_loss) const {
    return visit<catalogue::has::curvature>(to_loss);
  }
  void second_derivatives(const T* u, Index classes, Label y, T weight, T* h) const {
    visit_smooth([=](const auto& loss) { loss.second_derivatives(u, classes, y, weight, h); });
  }
  template <class>
  T printed_lipschitz(Index classes, Label y) const {
    return visit<catalogue::has::printed_lipschitz>(
        [=](const auto& loss) { return loss.template printed_lipschitz<T>(classes, y); });
  }

 private:
  struct Table {
    bool label_mass_moves;
    bool separate_classes;
    bool has_bregman_divergence;
    T max_dual_scale;
    T default_margin;
    T (*value)(const T*, Index, Label, T);
    DualTerms<T> (*dual_terms)(const T*, Index, Label, T, T) = nullptr;
    T (*dual_value)(const T*, Index, Label, T, T, T) = nullptr;
    T (*gradient)(const T*, Index, Label, T, T, T*) = nullptr;
    T (*curvature)(Index) = nullptr;
    void (*guess_intercepts)(const Targets<T>&, T*) = nullptr;
  };

  template <class L>
  static constexpr Table make_table() {
    static_assert(
        !requires(const L loss, Targets<T> targets, T* u) { loss.make_dual_feasible(targets, u, 0, u, u); },
        "a loss that repairs its dual point itself is not for choices at run time");
    Table table{L::label_mass_moves(),
                tamis::separate_classes(L{}),
                knows_bregman_divergence<T>(L{}),
                L::template max_dual_scale<T>(),
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
    if constexpr (SmoothLoss<L, T>) {
      table.gradient = [](const T* z, Index classes, Label y, T margin, T weight, T* u) {
        return L{}.gradient(z, classes, y, margin, weight, u);
      };
      table.curvature = [](Index classes) { return L{}.template curvature<T>(classes); };
      table.guess_intercepts = [](const Targets<T>& targets, T* intercepts) {
        L{}.guess_intercepts(targets, intercepts);
      };
    }
    return table;
  }
  template <class L>
  static constexpr Table table_for = make_table<L>();

  /// That of a loss; the first one for those that are not among them.
  template <class... R>
  static const Table* table_of(catalogue::List<R...>, LossKind kind) {
    using First = decltype(detail::first_of(Losses{}));
    static constexpr const Table* tables[] = {&table_for<typename std::conditional_t<has(R::kind), R, First>::Type>...};
    return tables[static_cast<std::size_t>(kind)];
  }

  /// visit(loss) with the loss itself, of those that have what is wanted.
  template <unsigned wanted, class Visit>
  auto visit(Visit to_loss) const {
    auto to_row = [&]<class R>(R) { return to_loss(typename R::Type{}); };
    return detail::visit_row<wanted>(
        Losses{}, [this]<class R>(R) { return table_ == &table_for<typename R::Type>; }, to_row);
  }

  const Table* table_;
};

/// Any of the norms of groups among the rows `Penalties`: their sums are one penalty.
template <class T, class Penalties = catalogue::Penalties<T>>
struct AnyNorm {
  static constexpr bool knows_sizes_alone = true;
  PenaltyKind kind = PenaltyKind::group_l2;
  T l1_ratio = T(0.5);  ///< of norms with a ratio

  bool valid() const {
    return visit([](const auto& norm) {
      if constexpr (requires { norm.valid(); }) return norm.valid();
      else return true;
    });
  }
  T value(const Rows<const T>& w) const {
    return visit([=](const auto& norm) { return norm.value(w); });
  }
  void prox(const Rows<T>& w, T step) const {
    visit([=](const auto& norm) { norm.prox(w, step); });
  }
  template <class>
  T step_coupling() const {
    return visit([](const auto& norm) { return tamis::step_coupling<T>(norm); });
  }
  T dual(const Rows<const T>& g) const {
    return visit([=](const auto& norm) { return norm.dual(g); });
  }
  ProxSlope<T> prox_slope(const Rows<const T>& w, T step) const {
    return visit([=](const auto& norm) { return norm.prox_slope(w, step); });
  }
  bool keeps_signs() const {
    return visit([](const auto& norm) {
      if constexpr (requires { norm.keeps_signs(); }) return norm.keeps_signs();
      else return false;
    });
  }
  void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    visit([=](const auto& norm) { norm.gradient(w, out); });
  }

 private:
  template <class Visit>
  auto visit(Visit to_norm) const {
    auto to_row = [&]<class R>(R) {
      using Norm = decltype(R::Type::norm);
      if constexpr (requires(Norm norm) { norm.ratio; }) return to_norm(Norm{l1_ratio});
      else return to_norm(Norm{});
    };
    return detail::visit_row<catalogue::has::groups>(
        Penalties{}, [this]<class R>(R) { return kind == R::kind; }, to_row);
  }
};

/// The numbers that some penalties take beside λ.
template <class T>
struct PenaltyParameters {
  T l1_ratio = T(0.5);                   ///< of elastic-net and sparse-group
  T epsilon = Reweighting<T>{}.epsilon;  ///< of reweighted-l1
};

/// Any of the penalties in the rows `Penalties` of the catalogue, called once per group.
template <class T, class Penalties>
class AnyPenaltyOf {
 public:
  explicit AnyPenaltyOf(PenaltyKind kind, const Groups& groups = {}, const PenaltyParameters<T>& parameters = {})
      : AnyPenaltyOf(table_of(catalogue::Penalties<T>{}, kind),
                     Data{groups, {kind, l1_ratio_of(kind, parameters.l1_ratio)}, {}}) {}
  /// One round of reweighted-l1.
  explicit AnyPenaltyOf(const WeightedL1<T>& weighted)
      : AnyPenaltyOf(&table_for<WeightedL1<T>>, Data{{}, {}, weighted}) {}

  static constexpr bool chosen_at_run_time = true;
  /// Whether the penalty is among them.
  static constexpr bool has(PenaltyKind kind) {
    return detail::any_row(Penalties{}, [=]<class R>(R) { return R::kind == kind; });
  }
  static constexpr bool some_curve_everywhere =
      detail::any_row(Penalties{}, []<class R>(R) { return tamis::curves_everywhere<T, typename R::Type>(); });
  Groups grouping() const requires detail::some_has_groups<Penalties> {
    return table_->grouped ? data_.groups : Groups::rows();
  }
  bool valid() const { return table_->valid(data_); }
  DualKind dual_kind() const { return table_->dual_kind(data_); }
  T value(const Rows<const T>& w) const { return table_->value(data_, w); }
  void prox(const Rows<T>& w, T step) const { table_->prox(data_, w, step); }
  template <class>
  T step_coupling() const {
    return visit([](const auto& penalty) { return tamis::step_coupling<T>(penalty); });
  }
  static constexpr bool has_scalar_jacobian() { return !detail::some_has_groups<Penalties>; }
  template <class Visit>
  void prox_jacobian(const Rows<const T>& w, T step, Visit&& visit) const {
    table_->prox_jacobian(data_, w, step, &visit, [](void* context, const ProxJacobian<T>& group) {
      (*static_cast<std::remove_reference_t<Visit>*>(context))(group);
    });
  }
  [[gnu::noinline]] bool keeps_signs() const {
    return visit([](const auto& penalty) { return penalty.keeps_signs(); });
  }
  bool scores_rows_alike() const {
    return visit([](const auto& penalty) { return tamis::scores_rows_alike(penalty); });
  }
  [[gnu::noinline]] void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    visit([&](const auto& penalty) { penalty.gradient(w, out); });
  }
  template <class U>
  [[gnu::noinline]] EntryTerms<T> entry_terms() const {
    return visit([](const auto& penalty) { return tamis::entry_terms<T>(penalty); });
  }
  T dual_norm(const Rows<const T>& g) const { return table_->dual_norm(data_, g); }
  T conjugate(const Rows<const T>& g, T lambda) const { return table_->conjugate(data_, g, lambda); }
  /// visit(penalty) with the penalty itself.
  template <class Visit>
  auto visit(Visit to_penalty) const {
    auto to_row = [&]<class R>(R) { return to_penalty(make<typename R::Type>(data_)); };
    return detail::visit_row<0>(
        Held{}, [this]<class R>(R) { return table_ == &table_for<typename R::Type>; }, to_row);
  }

 private:
  using Norm = AnyNorm<T, Penalties>;
  using AnyGroups = GroupSum<Norm>;
  template <class P>
  using HeldAs = std::conditional_t<
      HasGrouping<P>, AnyGroups,
      std::conditional_t<has(PenaltyKind::elastic_net) && (std::same_as<P, Ridge> || std::same_as<P, L1>),
                         ElasticNet<T>, P>>;
  /// Ridge and l1 are elastic net of ratio 0 and 1.
  static constexpr T l1_ratio_of(PenaltyKind kind, T given) {
    if constexpr (!has(PenaltyKind::elastic_net)) return given;
    else return kind == PenaltyKind::ridge ? T(0) : kind == PenaltyKind::l1 ? T(1) : given;
  }
  /// The rows with the types that stand for them, each once.
  template <class... R>
  static catalogue::List<R...> held(catalogue::List<R...>, catalogue::List<>);
  template <class... R, class First, class... Rest>
  static auto held(catalogue::List<R...> done, catalogue::List<First, Rest...>) {
    using Type = HeldAs<typename First::Type>;
    if constexpr ((std::same_as<typename R::Type, Type> || ...)) return held(done, catalogue::List<Rest...>{});
    else return held(catalogue::List<R..., catalogue::Row<First::kind, Type>>{}, catalogue::List<Rest...>{});
  }
  using Held = decltype(held(catalogue::List<>{}, Penalties{}));

  /// What the penalties are made of.
  struct Data {
    Groups groups;
    Norm norm;
    WeightedL1<T> weighted;
  };
  struct Table {
    bool grouped;
    bool (*valid)(const Data&);
    DualKind (*dual_kind)(const Data&);
    T (*value)(const Data&, const Rows<const T>&);
    void (*prox)(const Data&, const Rows<T>&, T);
    void (*prox_jacobian)(const Data&, const Rows<const T>&, T, void*, void (*)(void*, const ProxJacobian<T>&));
    T (*dual_norm)(const Data&, const Rows<const T>&) = nullptr;
    T (*conjugate)(const Data&, const Rows<const T>&, T) = nullptr;
  };

  AnyPenaltyOf(const Table* table, const Data& data) : table_(table), data_(data) {}

  template <class P>
  static constexpr P make(const Data& data) {
    if constexpr (HasGrouping<P>) return P{data.groups, data.norm};
    else if constexpr (std::same_as<P, WeightedL1<T>>) return data.weighted;
    else if constexpr (requires(P penalty) { penalty.ratio; }) return P{data.norm.l1_ratio};
    else return P{};
  }
  template <class P>
  static constexpr Table make_table() {
    static_assert(HasManifold<P, T>, "a penalty for choices at run time needs prox_jacobian, keeps_signs and gradient");
    Table table{HasGrouping<P>,
                [](const Data& data) {
                  if constexpr (requires(P penalty) { penalty.valid(); }) return make<P>(data).valid();
                  else return true;
                },
                [](const Data& data) { return tamis::dual_kind<T>(make<P>(data)); },
                [](const Data& data, const Rows<const T>& w) { return make<P>(data).value(w); },
                [](const Data& data, const Rows<T>& w, T step) { make<P>(data).prox(w, step); },
                [](const Data& data, const Rows<const T>& w, T step, void* context,
                   void (*visit)(void*, const ProxJacobian<T>&)) {
                  make<P>(data).prox_jacobian(w, step, [=](const ProxJacobian<T>& group) { visit(context, group); });
                }};
    if constexpr (HasDualNorm<P, T>)
      table.dual_norm = [](const Data& data, const Rows<const T>& g) { return make<P>(data).dual_norm(g); };
    if constexpr (HasConjugate<P, T>)
      table.conjugate = [](const Data& data, const Rows<const T>& g, T lambda) {
        return make<P>(data).conjugate(g, lambda);
      };
    return table;
  }
  template <class P>
  static constexpr Table table_for = make_table<P>();

  /// That of a penalty; the first one for those that are not among them.
  template <class... R>
  static const Table* table_of(catalogue::List<R...>, PenaltyKind kind) {
    using First = decltype(detail::first_of(Penalties{}));
    static constexpr const Table* tables[] = {
        &table_for<HeldAs<typename std::conditional_t<has(R::kind), R, First>::Type>>...};
    return tables[static_cast<std::size_t>(kind)];
  }

  const Table* table_;
  Data data_;
};

/// Any of all penalties.
template <class T>
using AnyPenalty = AnyPenaltyOf<T, catalogue::Penalties<T>>;

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
struct ProblemSpec {
  LossKind loss = LossKind::hinge;
  PenaltyKind penalty = PenaltyKind::l1;
  Groups groups = {};
  SolverKind solver = SolverKind::automatic;
  bool constrained = false;   ///< what `automatic` is to solve: the form with η
  bool tiny_lambda = false;   ///< see is_tiny: `automatic` may then mean another solver
  bool rare_sizes = false;    ///< see has_rare_sizes: the same

  constexpr SolverKind resolved_solver() const {
    if (solver != SolverKind::automatic) return solver;
    return default_solver(loss, penalty, constrained, tiny_lambda, has_wide_groups(), !in_webassembly && rare_sizes);
  }
  /// nλ below a thousandth, zero included, or a thousandth (in float three) of the samples' mean square distance from
  /// their mean: passes of ascent on the dual grow as that over nλ. With elastic net, where TwoPhase does better than
  /// with ridge, unless classes are many, below a tenth of that over the classes. With groups, whose λ has the units of
  /// a feature, below a thousandth of the root of that, or a twelfth in float, where rounding ends passes before, and
  /// for so few coefficients that TwoPhase takes less time.
  template <class T>
  constexpr bool is_tiny(T lambda, const Shape& shape, T square_distance = T(0)) const {
    const T mass = lambda * T(shape.samples);
    constexpr T least = T(1e-3), of_ridge = sizeof(T) == 4 ? T(3e-3) : T(1e-3);
    if (in_webassembly || !has_groups(penalty)) {
      const T share = penalty == PenaltyKind::elastic_net ? T(0.1) / T(shape.classes) : of_ridge;
      return !(mass >= least) || share * square_distance > mass;
    }
    const bool are_few = std::uint64_t{shape.features} * shape.classes <= 400;
    const T share_of_root = sizeof(T) == 4 || are_few ? T(1) / 12 : T(1e-3);
    return !(mass >= least) || share_of_root * share_of_root * square_distance > mass * mass;
  }
  /// λ, or with elastic net what of it is ridge: ascent on the dual goes by that.
  template <class T>
  constexpr T lambda_of_ridge(T lambda, T l1_ratio) const {
    return penalty == PenaltyKind::elastic_net ? lambda * (T(1) - l1_ratio) : lambda;
  }
  /// Whether ascent on the dual is named for elastic net without ridge, which it refuses: TAMIS_NEEDS_RIDGE_PART.
  template <class T>
  constexpr bool has_no_ridge(T l1_ratio) const {
    return solver == SolverKind::crammer_singer_dual && penalty == PenaltyKind::elastic_net && l1_ratio == T(1);
  }
  /// The choice with what `automatic` goes by, but for the samples' values: AnyTrainingFor::on_samples adds these.
  /// `lambda` is the smallest of a path; there TwoPhase would begin every point of such a loss from zero, and few
  /// unknowns are no reason for it.
  template <class T>
  constexpr ProblemSpec of_sizes(Shape shape, T lambda, bool path = false, T l1_ratio = T(0.5)) const {
    ProblemSpec out = *this;
    out.tiny_lambda = is_tiny(lambda_of_ridge(lambda, l1_ratio), shape);
    if constexpr (!in_webassembly) out.rare_sizes = out.has_rare_sizes(shape, path, l1_ratio);
    return out;
  }
  /// Whether the sizes are those for which `automatic` means another solver than for most.
  template <class T>
  constexpr bool has_rare_sizes(Shape shape, bool path, T l1_ratio) const {
    if (in_webassembly) return false;
    if (is_compatible(SolverKind::proximal_newton, loss, penalty))
      return !path && penalty == PenaltyKind::elastic_net && l1_ratio <= T(0.6) && has_many_unknowns(shape);
    if (catalogue::of(loss) & catalogue::has::gradient)
      return !path && (has_few_unknowns<T>(penalty, shape, tiny_lambda) ||
                       (penalty == PenaltyKind::group_linf && has_wide_groups() && has_few_samples(shape)));
    return has_many_samples(shape) && groups.block == 0;
  }
  /// Whether with groups ascent on the dual takes less time than Newton's method on the samples that matter.
  static constexpr bool has_many_samples(Shape shape) {
    return std::uint64_t{shape.samples} * shape.classes / 60 >= shape.features && shape.classes >= 8;
  }
  /// Whether Newton's method on single coefficients of l1, or for few samples on the dual, has small systems. Where
  /// such coefficients are not many more than samples, or in float, unless λ is tiny, and in rounds of reweighted-l1,
  /// descent takes less time.
  template <class T>
  static constexpr bool has_few_unknowns(PenaltyKind penalty, Shape shape, bool tiny_lambda) {
    const std::uint64_t coefficients = (std::uint64_t{shape.features} + 1) * shape.classes;
    return (has_entries_alone(penalty) && !in_rounds(penalty) && coefficients <= 4000 &&
            (tiny_lambda || (sizeof(T) == 8 && coefficients / 2 > shape.samples))) ||
           (shape.samples < shape.features && std::uint64_t{shape.samples} * shape.classes <= 1500);
  }
  /// Whether groups are of several features.
  constexpr bool has_wide_groups() const { return groups.is_listed || groups.block > 1; }
  /// Whether with largest entries over several features, where descent takes short steps, accelerated gradients take up
  /// to a thousand times as many as TwoPhase.
  static constexpr bool has_few_samples(Shape shape) {
    return shape.samples <= 30 * std::uint64_t{shape.features} && std::uint64_t{shape.samples} * shape.classes <= 20000;
  }
  /// Whether the Hessian of all coefficients, of which elastic net leaves most, takes more time than descent over
  /// features with conjugate gradients does. Of fewer samples than features fewer coefficients matter.
  static constexpr bool has_many_unknowns(Shape shape) {
    return shape.samples >= shape.features && shape.samples <= 10 * (std::uint64_t{shape.features} + 1) * shape.classes;
  }
  /// Where it is, the solver may still refuse the groups, as `refusal` says.
  constexpr bool is_accepted() const { return is_compatible(resolved_solver(), loss, penalty); }
  /// One sentence, or null when the combination is accepted.
  constexpr const char* refusal() const {
    const SolverKind kind = resolved_solver();
    const char* const sentence = incompatibility(kind, loss, penalty);
    if (sentence || kind != SolverKind::crammer_singer_dual || groups.block == 0) return sentence;
    return has_groups(penalty) ? TAMIS_NEEDS_ALL_CLASSES : nullptr;
  }
};

/// What a run-time choice is among. `Loss`: AnyLoss, what has its members and more losses, or a loss of the catalogue,
/// then the only one. `Penalty`: AnyPenaltyOf.
template <class T, class LossType, class PenaltyType = AnyPenalty<T>, class DesignType = AnyDesign<T>>
struct AnyProblem {
  using Scalar = T;
  using Loss = LossType;
  using Penalty = PenaltyType;
  using Design = DesignType;

  static constexpr bool has(LossKind kind) {
    if constexpr (requires { Loss::has(kind); }) return Loss::has(kind);
    else
      return detail::any_row(catalogue::Losses{},
                             [=]<class R>(R) { return R::kind == kind && std::same_as<typename R::Type, Loss>; });
  }
};

/// A training run with everything chosen at run time: the same interface as the solvers, the same bits. `Problem`: an
/// AnyProblem. `S`: the solver templates to offer. One that is not among them is refused with `invalid_option`, but
/// `automatic` is content with PrimalDual and Fista where TwoPhase and BlockCoordinateDescent are not, and with
/// TwoPhase where CrammerSingerDual is not.
template <class Problem, template <class, class, class, class> class... S>
class AnyTrainingFor {
  using T = typename Problem::Scalar;
  using Loss = typename Problem::Loss;
  using Penalty = typename Problem::Penalty;
  using Design = typename Problem::Design;
  using Solver = typename AnySolver<S...>::template Of<T, Loss, Penalty, Design>;
  static constexpr bool may_have_rounds = Penalty::has(PenaltyKind::reweighted_l1);
  using Rounds = std::conditional_t<may_have_rounds, Reweighted<Solver>, Solver>;

 public:
  AnyTrainingFor(const ProblemSpec& choice, const Design& design, const Targets<T>& targets, const Options<T>& options,
                 const PenaltyParameters<T>& parameters = {}, const StochasticOptions<T>& stochastic = {})
      : AnyTrainingFor(choice, design, targets, options, parameters, loss_of(choice.loss), stochastic) {}
  AnyTrainingFor(const ProblemSpec& choice, const Design& design, const Targets<T>& targets, const Options<T>& options,
                 const PenaltyParameters<T>& parameters, const Loss& loss,
                 const StochasticOptions<T>& stochastic = {}) {
    const SolverKind kind = resolve(choice);
    const bool no_combination = !choice.is_accepted() || (needs_columns(kind) && !has_columns(design));
    if (no_combination || !has(kind) || !Problem::has(choice.loss) || !Penalty::has(choice.penalty)) {
      auto* refusal = ::new (static_cast<void*>(storage_)) Report<T>{};
      refusal->status = no_combination ? Status::invalid_combination : Status::invalid_option;
      return;
    }
    form_ = goes_in_rounds(choice) ? Form::rounds : Form::once;
    const Penalty penalty = first_penalty(choice, parameters);
    const Solver solver(kind, design, targets, loss, penalty, options, stochastic);
    if constexpr (may_have_rounds)
      if (has_rounds()) {
        ::new (static_cast<void*>(storage_)) Rounds(solver, {.epsilon = parameters.epsilon});
        return;
      }
    ::new (static_cast<void*>(storage_)) Solver(solver);
  }
  AnyTrainingFor(const AnyTrainingFor&) = delete;
  AnyTrainingFor& operator=(const AnyTrainingFor&) = delete;

  /// Whether the solver is in this build.
  static constexpr bool has(SolverKind kind) { return Solver::has(kind); }
  /// The solver that a choice means in this build.
  static constexpr SolverKind resolve(const ProblemSpec& choice) {
    const SolverKind kind = choice.resolved_solver();
    if (choice.solver != SolverKind::automatic || has(kind)) return kind;
    if (catalogue::of(choice.loss) & catalogue::has::gradient)
      return kind != SolverKind::fista && has(SolverKind::block_coordinate_descent)
                 ? SolverKind::block_coordinate_descent
                 : SolverKind::fista;
    if (!in_webassembly && kind == SolverKind::crammer_singer_dual)  // modules have what `automatic` means
      return has(SolverKind::two_phase) ? SolverKind::two_phase : SolverKind::primal_dual;
    return kind == SolverKind::two_phase ? SolverKind::primal_dual : SolverKind::fista;
  }

  /// A choice that is `of_sizes` with what `automatic` goes by in the samples, which are read only where that may mean
  /// another solver of this build, and for whichever it is, with what else is needed `beside`, there are `bytes`.
  /// `lambda`: see lambda_of_ridge.
  static ProblemSpec on_samples(ProblemSpec choice, const Design& design, Shape shape, T lambda, bool intercept,
                                std::size_t bytes = detail::no_bytes_suffice, Requirement beside = {}) {
    if constexpr (!may_crawl) return choice;
    const ProblemSpec other = where_ascent_crawls(choice);
    const bool differs = resolve(other) != resolve(choice) && has_columns(design);
    if (!differs || bytes < (requirement(choice, shape) & beside).bytes ||
        bytes < (requirement(other, shape) & beside).bytes)
      return choice;
    Index row = 0, column = 0;
    if (design.find_bad_value(row, column)) return choice;  // which is what the run will say
    choice.tiny_lambda = choice.is_tiny(lambda, shape, mean_square_norm(design, intercept, static_cast<T*>(nullptr)));
    return choice;
  }

  /// Exact number of arena bytes; more than any memory has for a solver that is not in this build.
  static constexpr Requirement requirement(const ProblemSpec& choice, Shape shape) {
    const SolverKind kind = resolve(choice);
    if (!has(kind)) return {detail::no_bytes_suffice};
    return with_extras(choice, shape, Solver::requirement(kind, shape));
  }
  /// The same with room for more than the least: never fewer bytes, and a faster solver where it has a use for them.
  static constexpr Requirement requirement(const ProblemSpec& choice, Shape shape, WorkspaceHint hint) {
    const SolverKind kind = resolve(choice);
    if (!has(kind)) return {detail::no_bytes_suffice};
    if constexpr (has(SolverKind::crammer_singer_dual) && Penalty::has(PenaltyKind::elastic_net))
      if (kind == SolverKind::crammer_singer_dual)
        hint.entries = detail::room_for_rows(shape, hint.entries, detail::form_of_ascent(choice.penalty));
    return with_extras(choice, shape, Solver::requirement(kind, shape, hint));
  }
  /// And for whichever solver the choice may mean `on_samples`.
  static constexpr Requirement requirement_unseen(const ProblemSpec& choice, Shape shape, WorkspaceHint hint) {
    if constexpr (!may_crawl) return requirement(choice, shape, hint);
    else return requirement(choice, shape, hint) | requirement(where_ascent_crawls(choice), shape, hint);
  }

  /// Another λ than that of the options, before `start`.
  void set_lambda(T lambda) {
    if (has_rounds()) rounds().set_lambda(lambda);
    else if (form_ == Form::once) once().set_lambda(lambda);
  }
  /// Settings that only some baselines have (`has_stopping`, `is_random`, `is_blockwise`), before `start`. False: the
  /// solver of the choice does not have that setting, and nothing has changed.
  bool set_stopping(const Stopping<T>& stopping) {
    if (has_rounds()) return stopping.rule == StoppingRule::gap;
    return form_ == Form::once && once().set_stopping(stopping);
  }
  bool set_seed(std::uint64_t seed) {
    return has_rounds() ? rounds().set_seed(seed) : form_ == Form::once && once().set_seed(seed);
  }
  bool set_shrinking(bool shrinking) {
    return has_rounds() ? rounds().set_shrinking(shrinking) : form_ == Form::once && once().set_shrinking(shrinking);
  }

  /// Goes on with another λ from where a run has ended (not stopped); false at once for a
  /// solver that cannot: see `has_path`.
  bool warm_start(T lambda, T* before = nullptr, T step = T(0));
  /// Whether the solver of a choice can go on with another λ: all that solve the regularised form, but for baselines.
  static constexpr bool has_path(const ProblemSpec& choice) { return Solver::has_path(resolve(choice)); }

  bool start(std::span<std::byte> memory);
  bool step();
  void stop();
  bool running() const { return report().status == Status::running; }
  const Report<T>& report() const {
    return has_rounds() ? rounds().report() : form_ == Form::once ? once().report() : refusal();
  }
  bool has_certified_model() const {
    return has_rounds() ? rounds().has_certified_model() : form_ == Form::once && once().has_certified_model();
  }
  LinearModel<T> model() const {
    return has_rounds() ? rounds().model() : form_ == Form::once ? once().model() : LinearModel<T>{};
  }
  /// The weights of the round at hand of reweighted-l1, features × padded classes; null when all are 1.
  const T* weights() const {
    if constexpr (may_have_rounds)
      if (has_rounds()) return rounds().weights();
    return nullptr;
  }
  /// That of a solver that has one, NaN for the others and before it is chosen.
  T learning_rate() const { return form_ == Form::once ? once().learning_rate() : not_a_number<T>; }
  std::uint32_t certificates() const {
    return has_rounds() ? rounds().certificates() : form_ == Form::once ? once().certificates() : 0;
  }

 private:
  enum class Form : std::uint8_t { refused, once, rounds };

  /// Whether this build has ascent on the dual and what is there instead where that crawls.
  static constexpr bool may_crawl = Solver::has(SolverKind::crammer_singer_dual) && Solver::has(SolverKind::two_phase);
  /// The choice as if its λ were tiny.
  static constexpr ProblemSpec where_ascent_crawls(ProblemSpec choice) {
    choice.tiny_lambda = true;
    return choice;
  }
  static Loss loss_of([[maybe_unused]] LossKind kind) {
    if constexpr (std::is_constructible_v<Loss, LossKind>) return Loss(kind);
    else return Loss();
  }
  static constexpr bool goes_in_rounds(const ProblemSpec& choice) {
    return may_have_rounds && in_rounds(choice.penalty) && !is_stochastic(resolve(choice));
  }
  bool has_rounds() const { return may_have_rounds && form_ == Form::rounds; }
  static Penalty first_penalty(const ProblemSpec& choice, const PenaltyParameters<T>& parameters) {
    if constexpr (may_have_rounds)
      if (goes_in_rounds(choice)) return Penalty(WeightedL1<T>{});
    return Penalty(choice.penalty, choice.groups, parameters);
  }
  /// With what the penalty of the choice asks for beside its solver.
  static constexpr Requirement with_extras(const ProblemSpec& choice, Shape shape, Requirement solver) {
    if constexpr (may_have_rounds)
      if (goes_in_rounds(choice)) return solver & Rounds::weight_bytes(shape);
    if constexpr (has(SolverKind::crammer_singer_dual) &&
                  (Penalty::has(PenaltyKind::group_l2) || Penalty::has(PenaltyKind::elastic_net)))
      if (resolve(choice) == SolverKind::crammer_singer_dual)
        return solver & count_bytes<detail::AscentExtras<T>>(shape, detail::form_of_ascent(choice.penalty));
    return solver;
  }
  Solver& once() const { return *std::launder(reinterpret_cast<Solver*>(storage_)); }
  Rounds& rounds() const { return *std::launder(reinterpret_cast<Rounds*>(storage_)); }
  const Report<T>& refusal() const { return *std::launder(reinterpret_cast<Report<T>*>(storage_)); }

  alignas(Rounds) mutable std::byte storage_[sizeof(Rounds)];  // the largest of what `form_` says
  Form form_ = Form::refused;
};

// What runs solvers is defined outside of the class and so not inline: where `extern template` says that the class is
// compiled elsewhere, callers compile no solver.

template <class Problem, template <class, class, class, class> class... S>
bool AnyTrainingFor<Problem, S...>::warm_start(T lambda, T* before, T step) {
  return has_rounds() ? rounds().warm_start(lambda) : form_ == Form::once && once().warm_start(lambda, before, step);
}
template <class Problem, template <class, class, class, class> class... S>
bool AnyTrainingFor<Problem, S...>::start(std::span<std::byte> memory) {
  return has_rounds() ? rounds().start(memory) : form_ == Form::once && once().start(memory);
}
template <class Problem, template <class, class, class, class> class... S>
bool AnyTrainingFor<Problem, S...>::step() {
  return has_rounds() ? rounds().step() : form_ == Form::once && once().step();
}
template <class Problem, template <class, class, class, class> class... S>
void AnyTrainingFor<Problem, S...>::stop() {
  if (has_rounds()) rounds().stop();
  else if (form_ == Form::once) once().stop();
}

template <class T, class Loss, template <class, class, class, class> class... S>
using AnyTrainingOf = AnyTrainingFor<AnyProblem<T, Loss>, S...>;

/// With the solvers for every loss, and `More`: TwoPhase, BlockCoordinateDescent, and baselines such as
/// as_printed::PrimalDual.
template <class T, class Loss, template <class, class, class, class> class... More>
using AnyTrainingWith = AnyTrainingOf<T, Loss, PrimalDual, Fista, ConstrainedPrimalDual, CrammerSingerDual, More...>;

template <class T, template <class, class, class, class> class... More>
using AnyTraining = AnyTrainingWith<T, AnyLoss<T>, More...>;

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
