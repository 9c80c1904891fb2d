#pragma once
/// The fast solver for smooth losses: a few epochs of block coordinate descent, then Newton's method on the support.

#include "../catalogue.hpp"
#include "../design/dense.hpp"
#include "../design/sorted_columns.hpp"
#include "support_newton.hpp"
#include "workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Minimises (1/Σw) Σ wᵢ ℓᵢ(Wᵀxᵢ + b) + λ Ω(W). An epoch visits the groups of features one after the other and moves
/// each by a proximal step, W_g ← prox_{λΩ/L}(W_g − ∇_g f/L), with scores kept in place: the work is that of reading
/// the column's values twice. For losses that are sums of squared violations L is the curvature of the pairs that are
/// violated at present; once an epoch has not descended it is raised, and falls but slowly. For others an epoch
/// descends on the quadratic model at the scores before it. After a few epochs the support hardly changes: from then
/// on, where the memory suffices, a step of SupportNewton on it alternates with an epoch or two that correct it.
///
/// Memory: `requirement(shape)`: 4(p + 1) + 3n rows of padded classes, and n + 6p entries: descent alone.
/// `requirement(shape, hint)`: a copy of the `entries` values that are not zero, sorted by label, and what Newton's
/// method takes. Cost of an epoch: 4·(entries of the features in work)·K flops. Sources: Blondel et al. (2013); Yuan,
/// Ho and Lin (2012), newGLMNET.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class BlockCoordinateDescent : public Workbench<T, Loss, Penalty, SortedColumns<T, Design>> {
  static_assert(CurvedLoss<Loss, T>, TAMIS_NEEDS_CURVATURE);
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(HasColumns<Design, T>, TAMIS_NEEDS_COLUMNS);
  using Columns = SortedColumns<T, Design>;
  using Base = Workbench<T, Loss, Penalty, Columns>;

 protected:
  using Base::add_epochs, Base::begin_again, Base::bind, Base::certify_null_model, Base::count_iteration, Base::design_,
      Base::dual_value, Base::end_at_limit, Base::for_each_active_group, Base::for_each_active_row, Base::group_order,
      Base::group_rows, Base::has_zeros, Base::intercept_scale_, Base::loss_, Base::memory_, Base::monitor_,
      Base::offer_primal, Base::options_, Base::penalty_, Base::penalty_value, Base::report_, Base::rows, Base::shape_,
      Base::stride_, Base::targets_, Base::update_residual, Base::validate;
  using Newton = SupportNewton<T>;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::block_coordinate_descent;

  BlockCoordinateDescent(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                         const Options<T>& options)
      : Base(Columns(design), targets, loss, penalty, options) {}

  /// The least memory: descent alone, on the design where it lies.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }
  /// Memory with which `hint.entries` values are copied and supports of `hint.active_limit` features preconditioned.
  static constexpr Requirement requirement(Shape shape, WorkspaceHint hint) {
    Arena counter;
    (void)Memory::lay_out(counter, shape);
    (void)Columns::Memory::lay_out(counter, shape.features, hint.entries);
    (void)Newton::Memory::lay_out(counter, shape, hint.entries,
                                  Newton::Memory::highest_limit(shape, hint.active_limit));
    return {counter.used()};
  }

  /// Checks the problem, lays out the memory and certifies the model without coefficients. False: it has ended.
  bool start(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_);
    take_room(memory, arena);
    bind(own_.common, arena.used());
    intercept_scale_ = T(1);
    fill(own_.w, CommonMemory<T>::coefficients(shape_), T(0));
    fill(own_.z, CommonMemory<T>::duals(shape_), T(0));
    for (Index k = 0; k < stride_; ++k) {
      own_.numbers[k] = T(k + Index(shape_.classes == 1));  // one score is that of label 1
      own_.valid[k] = k < shape_.classes ? T(1) : T(0);
    }
    caution_ = shrinkage_ = T(1);
    lambda_ = options_.lambda;
    went_round_ = false;
    decrease_ = T(0);
    measure_columns();
    fit_null_model();
    certify(true);
    if (running()) begin_epochs(first_epochs());
    return running();
  }

  /// Whether the memory of the last start was enough for Newton's method; false where that start was refused.
  bool has_newton() const { return has_model(report_.status) && newton_.has_memory(); }

  /// Goes on with another λ from where a run has ended (not stopped): what a path does. False: it has ended.
  bool warm_start(T lambda) {
    if (!begin_again(lambda)) return false;
    lambda_ = lambda;
    went_round_ = true;
    decrease_ = T(0);
    certify(false);
    if (running()) begin_epochs(2);
    return running();
  }

  /// One epoch or one step of Newton's method, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    const bool last = !count_iteration();
    if (epochs_left_ > 0) {
      epoch();
      --epochs_left_;
    } else {
      newton_step();
      known_ = false;
      epochs_left_ = epochs_between();
    }
    if (last || epochs_left_ == 0) {
      certify(false);
      if (last) end_at_limit();
      if (running()) begin_epochs(newton_pays() ? 0 : newton_is_on() ? first_epochs() : interval());
    }
    return running();
  }

 protected:
  struct Memory {
    CommonMemory<T> common;
    T* w;         ///< coefficients, the last row being intercepts
    T* g;         ///< scratch: gradients, new coefficients
    T* d;         ///< how far an epoch or a step of Newton's method has moved
    T* z;         ///< scores of w; samples × stride like those that follow
    T* u;         ///< gradients of the loss; scores of d
    T* h;         ///< curvatures of the loss
    T* bound;     ///< of the curvature of each sample
    T* squares;   ///< Σᵢ cᵢ x_ij² of each feature
    T* numbers;   ///< the labels that scores stand for
    T* valid;     ///< 1 for a class, 0 for padding
    T* block[3];  ///< gradient and curvature of a row, its step
    Index* work;  ///< features that epochs visit, group after group

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      for (T** coefficients : {&m.w, &m.g, &m.d}) *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      for (T** duals : {&m.z, &m.u, &m.h}) *duals = arena.take<T>(CommonMemory<T>::duals(shape));
      m.bound = arena.take<T>(shape.samples);
      m.squares = arena.take<T>(shape.features);
      for (T** row : {&m.numbers, &m.valid, &m.block[0], &m.block[1], &m.block[2]})
        *row = arena.take<T>(padded<T>(shape.classes));
      m.work = arena.take<Index>(shape.features);
      return m;
    }
  };

  // ---- memory beyond the least ------------------------------------------------------------------------------------

  /// Takes from the arena what there is room for: first a copy of the columns, then Newton's method.
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] void take_room(std::span<std::byte> memory, Arena& arena) {
    design_ = Columns(static_cast<const Design&>(design_));
    newton_ = Newton{};
    const std::size_t entries = design_.count_nonzeros();
    Arena rest = arena;
    const auto columns = Columns::Memory::lay_out(rest, shape_.features, entries);
    if (!rest.exhausted()) {
      design_.copy_columns(columns, entries, targets_, loss_.violations() != Violations::none,
                                 reinterpret_cast<Index*>(own_.u), reinterpret_cast<Index*>(own_.d));
      arena = rest;
    }
    room_ = memory.subspan(arena.used());
    if constexpr (HasManifold<Penalty, T>) {
      const Index limit = Newton::Memory::limit_of(shape_, entries, room_.size());
      if (limit > 0) newton_ = Newton(Newton::Memory::lay_out(arena, shape_, entries, limit));
    }
  }
  bool newton_is_on() const { return newton_.has_memory(); }

  // ---- the problem ------------------------------------------------------------------------------------------------

  T weight(Index i) const { return targets_.weight(i); }

  [[gnu::noinline]] void measure_columns() {
    for (Index j = 0; j < shape_.features; ++j) {
      const Column<T> x = design_.column(j);
      T total = 0;
      for (Index e = 0; e < x.count; ++e) total += weight(x.sample(e)) * x.values[e] * x.values[e];
      own_.squares[j] = total;
    }
  }

  /// u ← c∇ℓ(z).
  void take_gradients() { detail::take_curved_gradients(loss_, targets_, own_.z, stride_, own_.u); }
  T objective() const {
    return detail::mean_curved_loss(loss_, targets_, own_.z, stride_) + lambda_ * penalty_value(own_.w);
  }

  /// Descent on the intercepts alone, with the curvature of the loss at each point.
  [[gnu::noinline]] void fit_null_model() {
    if (!options_.intercept) return;
    T* b = row_of(own_.w, shape_.features, stride_);
    if constexpr (requires { loss_.guess_intercepts(targets_, b); })
      loss_.guess_intercepts(targets_, b);
    for (Index i = 0; i < shape_.samples; ++i)
      copy(static_cast<const T*>(b), stride_, row_of(own_.z, i, stride_));
    for (int round = 0; round < 300; ++round)
      if (move_intercepts() <= T(8) * epsilon<T>) break;
  }

  /// A step on the intercepts; returns how far the furthest moved.
  [[gnu::noinline]] T move_intercepts() {
    take_gradients();
    T* sums = own_.block[0];
    column_sums(own_.u, shape_.samples, stride_, sums);
    // the Hessian is diagonal, or a Laplacian: its largest eigenvalue is at most twice the largest diagonal entry
    T* diagonal = own_.block[1];
    fill(diagonal, stride_, T(0));
    for (Index i = 0; i < shape_.samples; ++i) {
      T* h = own_.block[2];
      loss_.second_derivatives(row_of(own_.u, i, stride_), shape_.classes,
                                     label_of(loss_, targets_, i), weight(i), h);
      for (Index k = 0; k < shape_.classes; ++k) diagonal[k] += h[k];
    }
    T top = T(1e-6);
    for (Index k = 0; k < shape_.classes; ++k) top = largest(top, diagonal[k]);
    const T rate = T(0.5) / (top * caution_);
    T* b = row_of(own_.w, shape_.features, stride_);
    T* step = own_.block[2];
    T furthest = 0;
    fill(step, stride_, T(0));
    for (Index k = 0; k < shape_.classes; ++k) {
      step[k] = -rate * sums[k];
      b[k] += step[k];
      furthest = largest(furthest, absolute(step[k]));
    }
    for (Index i = 0; i < shape_.samples; ++i) {
      T* z = row_of(own_.z, i, stride_);
      for (Index k = 0; k < stride_; ++k) z[k] += step[k];
    }
    return furthest;
  }

  // ---- epochs -----------------------------------------------------------------------------------------------------

  bool follows_violations() const { return loss_.violations() != Violations::none; }

  /// Whether as much work as a step of Newton's method takes is better spent on one: epochs that bring ever less do not
  /// reduce what is left to a tenth, or the last step went well.
  bool newton_pays() const {
    if (!newton_is_on()) return false;
    if (newton_.went_well()) return true;
    T left = T(1);
    for (T work = T(0); work < largest(newton_.work(), T(10)) && left > T(0.1); work += T(1)) left *= shrinkage_;
    return left > T(0.1);
  }

  std::uint32_t interval() const { return largest(std::uint32_t(5), report_.iterations / 4); }

  /// Chooses the groups that epochs visit: those with coefficients, and those that might get some.
  [[gnu::noinline]] void begin_epochs(std::uint32_t count) {
    epochs_left_ = count;
    const T doubt = smallest(T(0.5), T(3) * square_root(largest(gap_, T(0))));
    const T least = lambda_ * (T(1) - doubt);
    working_ = 0;
    for_each_active_group([&](FeatureGroup group) {
      bool wanted = !options_.working_sets || !has_zeros() || !(memory_.score[group.first] < least);
      bool varies = false;
      for (Index r = 0; r < group.count; ++r) {
        const Index j = group.feature(r);
        varies = varies || own_.squares[j] > T(0);
        wanted = wanted || !is_zero(row_of(own_.w, j, stride_));
      }
      if (wanted && varies)
        for (Index r = 0; r < group.count; ++r) own_.work[working_++] = group.feature(r);
    });
  }
  bool is_zero(const T* row) const {
    for (Index k = 0; k < shape_.classes; ++k)
      if (row[k] != T(0)) return false;
    return true;
  }

  [[gnu::noinline]] void epoch() {
    const T before = known_ ? value_ : objective();
    moved_ = size_ = T(0);
    if (follows_violations()) {
      visit_work([&](FeatureGroup group) { descend_on_violations(group); });
      if (options_.intercept) move_intercepts();
    } else {
      descend_on_model(before);
    }
    value_ = objective();
    known_ = true;
    const T decrease = before - value_;
    if (decrease < T(-8) * epsilon<T> * absolute(before)) caution_ = smallest(T(2) * caution_, T(64));
    shrinkage_ = decrease_ > T(0) ? smallest(largest(decrease, T(0)) / decrease_, T(1)) : T(1);
    decrease_ = decrease;
    update_residual(square_root(moved_), square_root(size_));
    add_epochs(design_.entries(own_.work, working_), follows_violations() ? T(1) : T(model_sweeps));
  }

  template <class Visit>
  void visit_work(Visit visit) {
    if constexpr (HasGrouping<Penalty>) {
      if (group_order()) {  // `work` holds whole groups; where one ends only their list knows
        for (Index c = 0; c < working_;) {
          Index end = c + 1;
          while (end < working_ && memory_.active[own_.work[end]] != Base::first_of_group) ++end;
          visit(FeatureGroup{own_.work[c], end - c, own_.work + c});
          c = end;
        }
        return;
      }
    }
    for (Index c = 0; c < working_;) {
      const FeatureGroup group{own_.work[c], group_rows(own_.work[c])};
      visit(group);
      c += group.count;
    }
  }

  [[gnu::noinline]] void descend_on_violations(FeatureGroup group) {
    const Index stride = stride_;
    const detail::ViolationPass<T> pass{own_.z,
                                        targets_.labels.data(),
                                        targets_.weights,
                                        targets_.margins,
                                        targets_.common_margin,
                                        own_.numbers,
                                        own_.valid,
                                        CommonMemory<T>::duals(shape_) * sizeof(T) > std::size_t(1) << 20};
    const bool pairs = loss_.violations() == Violations::of_pairs;
    const T scale = T(2) * targets_.inverse_total;
    T curvature = 0;
    for (Index r = 0; r < group.count; ++r) {
      const Index j = group.feature(r);
      const Column<T> x = design_.column(j);
      T* g = row_of(own_.g, j, stride);
      T* h = own_.block[1];
      if (pairs) detail::sum_violations<T, Violations::of_pairs>(x, pass, stride, g, h);
      else detail::sum_violations<T, Violations::of_classes>(x, pass, stride, g, h);
      T top = 0;
      for (Index k = 0; k < shape_.classes; ++k) {
        g[k] *= scale;
        top = largest(top, h[k]);
      }
      top *= scale * (pairs ? T(shape_.classes) / T(shape_.classes - 1) : T(1));
      curvature += caution_ * lasting_curvature(j, top);
    }
    move_group(group, curvature,
               [&](Index j, const T* step) { add_column(design_.column(j), step, stride, own_.z); });
  }

  /// The curvature of a feature, not much less than its largest of late once an epoch has ascended: which pairs are
  /// violated changes on the way of a step.
  T lasting_curvature(Index j, T curvature) {
    T least = T(0.02) * own_.squares[j];
    if (caution_ > T(1) && least > T(0)) {
      std::int8_t& kept = memory_.exponents[j];
      const int here = exponent_of(curvature / least);
      if (here > kept) kept = static_cast<std::int8_t>(here);
      else if (kept > 0 && report_.iterations % 8 == 0) --kept;
      least *= power_of_two<T>(kept);
    }
    return largest(curvature, least);
  }

  /// W_g ← prox(W_g − G_g/L), with G in g; `changed(j, step)` for each row that moves.
  template <class Changed>
  void move_group(FeatureGroup group, T curvature, Changed changed) {
    if (!(curvature > T(0))) return;
    propose(group, curvature);
    for (Index r = 0; r < group.count; ++r)
      if (accept(group.feature(r))) changed(group.feature(r), static_cast<const T*>(own_.block[2]));
  }
  /// G_g ← prox(W_g − G_g/L).
  [[gnu::noinline]] void propose(const FeatureGroup& group, T curvature) {
    const Index stride = stride_;
    const auto rate = SimdOrScalar<T>::fill(T(1) / curvature);
    for (Index r = 0; r < group.count; ++r) {
      T* g = row_of(own_.g, group.feature(r), stride);
      const T* w = row_of(own_.w, group.feature(r), stride);
      for (Index k = 0; k < stride; k += SimdOrScalar<T>::width)
        (SimdOrScalar<T>::load(w + k) - rate * SimdOrScalar<T>::load(g + k)).store(g + k);
      for (Index k = shape_.classes; k < stride; ++k) g[k] = T(0);
    }
    penalty_.prox(rows(own_.g, group), lambda_ / curvature);
  }
  /// W_j ← G_j; false when it has not moved, else block[2] is how far.
  [[gnu::noinline]] bool accept(Index j) {
    const Index stride = stride_;
    const T* g = row_of(own_.g, j, stride);
    T* w = row_of(own_.w, j, stride);
    T* step = own_.block[2];
    auto square = Simd<T>::zero(), size = Simd<T>::zero();
    for (Index k = 0; k < stride; k += SimdOrScalar<T>::width) {
      const auto next = SimdOrScalar<T>::load(g + k), difference = next - SimdOrScalar<T>::load(w + k);
      difference.store(step + k);
      next.store(w + k);
      add_squares<T>(difference, k, square);
      add_squares<T>(next, k, size);
    }
    size_ += size.sum();
    const T moved = square.sum();
    if (!(moved > T(0))) return false;
    moved_ += moved;
    return true;
  }

  /// An epoch on the quadratic model of the loss at z, then a search along its step.
  [[gnu::noinline]] void descend_on_model(T before) {
    const Index stride = stride_;
    take_gradients();
    copy(static_cast<const T*>(own_.w), CommonMemory<T>::coefficients(shape_), own_.d);
    visit_smooth(loss_, [&]<class One>(const One& loss) {
      if constexpr (!is_sum_of_violations<One>()) sweep_model(loss);
    });
    // d ← the step, then w ← w_before + αd with the first α = 1, ½, … that descends.
    const auto along = [&](auto visit) {
      for (Index c = 0; c < working_ + Index(options_.intercept); ++c)
        visit(c < working_ ? own_.work[c] : shape_.features);
    };
    along([&](Index j) {
      T* d = row_of(own_.d, j, stride);
      const T* w = row_of(own_.w, j, stride);
      for (Index k = 0; k < stride; ++k) d[k] = w[k] - d[k];
    });
    const T* base = own_.block[0];
    fill(own_.block[0], stride, T(0));
    if (options_.intercept) base = row_of(own_.d, shape_.features, stride);
    design_.multiply(own_.work, working_, own_.d, stride, base, own_.u);
    add_scaled(own_.u, T(1), own_.z);
    T alpha = T(1);
    while (objective() > before && alpha > T(1e-3)) {
      alpha *= T(0.5);
      along([&](Index j) {
        T* w = row_of(own_.w, j, stride);
        const T* d = row_of(own_.d, j, stride);
        for (Index k = 0; k < stride; ++k) w[k] -= alpha * d[k];
      });
      add_scaled(own_.u, -alpha, own_.z);
    }
  }

  /// Sweeps over the features of the quadratic model, whose gradient is kept in u.
  template <class Smooth>
  [[gnu::noinline]] void sweep_model(const Smooth& loss) {
    const Index stride = stride_, classes = shape_.classes;
    for (Index i = 0; i < shape_.samples; ++i) {
      T* h = row_of(own_.h, i, stride);
      loss.take_curvature(row_of(own_.z, i, stride), classes, label_of(loss, targets_, i),
                          targets_.margin(i), weight(i), T(0), h);
      for (Index k = classes; k < stride; ++k) h[k] = T(0);
      own_.bound[i] = loss.curvature_size(h, classes, label_of(loss, targets_, i), weight(i)).bound;
    }
    const auto apply = [&](Index i, T value, const T* step) {
      const T* h = row_of(own_.h, i, stride);
      if constexpr (requires { loss.add_curvature(h, stride, value, value, step, own_.u); }) {
        loss.add_curvature(h, stride, weight(i), value, step, row_of(own_.u, i, stride));
        return;
      }
      T* t = own_.block[0];
      for (Index k = 0; k < stride; ++k) t[k] = value * step[k];
      loss.apply_curvature(row_of(own_.h, i, stride), classes, label_of(loss, targets_, i), weight(i), t);
      T* u = row_of(own_.u, i, stride);
      for (Index k = 0; k < classes; ++k) u[k] += t[k];
    };
    for (int sweep = 0; sweep < model_sweeps; ++sweep) {
      visit_work([&](FeatureGroup group) {
        T curvature = 0;
        for (Index r = 0; r < group.count; ++r) {
          const Index j = group.feature(r);
          const Column<T> x = design_.column(j);
          sum_column(x, static_cast<const T*>(own_.u), stride, row_of(own_.g, j, stride));
          for (Index e = 0; e < x.count; ++e) curvature += x.values[e] * x.values[e] * own_.bound[x.sample(e)];
        }
        move_group(group, curvature, [&](Index j, const T* step) {
          const Column<T> x = design_.column(j);
          for (Index e = 0; e < x.count; ++e) apply(x.sample(e), x.values[e], step);
        });
      });
      if (!options_.intercept) continue;
      T* sums = own_.block[1];
      column_sums(static_cast<const T*>(own_.u), shape_.samples, stride, sums);
      T curvature = 0;
      for (Index i = 0; i < shape_.samples; ++i) curvature += own_.bound[i];
      T* step = own_.block[2];
      T* b = row_of(own_.w, shape_.features, stride);
      fill(step, stride, T(0));
      for (Index k = 0; k < classes; ++k) {
        step[k] = curvature > T(0) ? -sums[k] / curvature : T(0);
        b[k] += step[k];
      }
      for (Index i = 0; i < shape_.samples; ++i) apply(i, T(1), step);
    }
  }

  /// z += factor u, samples × stride.
  void add_scaled(const T* u, T factor, T* z) const {
    const auto scale = SimdOrScalar<T>::fill(factor);
    for (std::size_t e = 0; e < CommonMemory<T>::duals(shape_); e += SimdOrScalar<T>::width)
      (SimdOrScalar<T>::load(z + e) + scale * SimdOrScalar<T>::load(u + e)).store(z + e);
  }

  // ---- Newton's method --------------------------------------------------------------------------------------------

  void newton_step() {
    if constexpr (HasManifold<Penalty, T>) {
      // far from the optimum the next step is another system anyway
      const T forcing = smallest(largest(square_root(largest(gap_, T(0))), T(0.1)), T(0.3));
      SupportProblem<T, Columns, Loss, Penalty> problem{
          design_, targets_, loss_,  penalty_, shape_, lambda_, forcing,    options_.intercept,
          own_.w,  own_.g,   own_.d, own_.z,   own_.u, own_.h,  own_.bound, stride_};
      report_.epochs += newton_.step(problem);
    }
  }

  // ---- certificates -----------------------------------------------------------------------------------------------

  /// Scores of the coefficients anew, then the gap.
  [[gnu::noinline]] void certify(bool null_model) {
    known_ = false;
    if (!null_model) take_scores();
    offer_primal(own_.w, own_.z);
    take_gradients();
    if (null_model) certify_null_model(own_.u, own_.g);
    else Base::certify(own_.u, own_.g, true);
    gap_ = report_.relative_gap;
    if (report_.status == Status::precision_limit && lambda_ != options_.lambda) {  // the other way led nowhere
      report_.status = Status::running;
      lambda_ = options_.lambda;
      monitor_.begin();
    }
    if (!null_model && running()) choose_lambda();
  }

  /// Where λ is small and the gap does not close, the way there leads over larger ones, from one solution to the next:
  /// coefficients that came too early take long to leave, and of few samples with many features all violations are met
  /// before the penalty counts. What is certified is the problem with the λ of the options.
  [[gnu::noinline]] void choose_lambda() {
    constexpr T step = T(0.5), solved = T(0.01);
    const T wanted = options_.lambda;
    if (!went_round_) {
      const bool wide = follows_violations() && !has_zeros() && shape_.samples < shape_.features;
      const bool stuck = report_.iterations >= patience && gap_ > T(0.1);
      if (!newton_is_on() || !(wide || (stuck && has_zeros()))) return;
      T top = report_.lambda_max;
      if (wide) {
        top = T(0);
        for (Index j = 0; j < shape_.features; ++j) top += own_.squares[j];
      }
      if (!(wanted > T(0) && wanted < step * step * top)) return;
      went_round_ = true;
      lambda_ = step * top;
    }
    if (lambda_ == wanted) return;
    decrease_ = T(0);
    const T value = objective();
    options_.lambda = lambda_;
    gap_ = (value - dual_value(own_.u, own_.g, nullptr, shape_.features)) / value;
    options_.lambda = wanted;
    if (!(gap_ <= solved)) return;
    lambda_ = largest(step * lambda_, wanted);
    gap_ = T(1);
  }

  /// z ← the scores of w.
  [[gnu::noinline]] void take_scores() {
    Index count = 0;
    for_each_active_row([&](Index j) {
      if (j < shape_.features && !is_zero(row_of(own_.w, j, stride_))) own_.work[count++] = j;
    });
    fill(own_.block[0], stride_, T(0));
    const T* base = own_.block[0];
    if (options_.intercept) {
      base = row_of(own_.w, shape_.features, stride_);
      if (!separate_classes(loss_)) centre_intercepts();
    }
    design_.multiply(own_.work, count, own_.w, stride_, base, own_.z);
  }

  /// Of the intercepts that differ by the same number in all classes, which is all the same to the loss, those of mean
  /// zero.
  void centre_intercepts() {
    T* b = row_of(own_.w, shape_.features, stride_);
    T mean = 0;
    for (Index k = 0; k < shape_.classes; ++k) mean += b[k] / T(shape_.classes);
    for (Index k = 0; k < shape_.classes; ++k) b[k] -= mean;
  }

  /// Epochs before the first step of Newton's method and between two; those on a model are several sweeps each.
  std::uint32_t first_epochs() const { return follows_violations() ? 5 : 1; }
  std::uint32_t epochs_between() const { return follows_violations() ? 2 : 1; }
  static constexpr int model_sweeps = 4;
  static constexpr std::uint32_t patience = 50;  ///< iterations before another way is tried

  Memory own_{};
  Newton newton_{};
  std::span<std::byte> room_{};  ///< that of Newton's method
  T lambda_ = T(0);              ///< that epochs and steps work with: see choose_lambda
  T gap_ = T(1);                 ///< relative, with it
  Index working_ = 0;  ///< entries of `work`
  std::uint32_t epochs_left_ = 0;
  T caution_ = T(1);  ///< factor of the curvature
  T value_ = T(0);    ///< of the objective, while `known_`
  bool known_ = false;
  bool went_round_ = false;  ///< the way over larger λ has been taken
  T decrease_ = T(0);   ///< of the objective in the last epoch
  T shrinkage_ = T(1);  ///< of that in the last two
  T moved_ = T(0);      ///< squared length of an epoch's steps
  T size_ = T(0);       ///< squared length of the coefficients
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
