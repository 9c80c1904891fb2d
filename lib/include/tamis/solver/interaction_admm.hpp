#pragma once
/// Regression and classification with hierarchical interactions: splitting in the space of samples.

#include "../arena.hpp"
#include "../certificate/balance.hpp"
#include "../design/dense.hpp"
#include "../linalg/cholesky.hpp"
#include "../loss/squared_hinge.hpp"
#include "../model/interactions.hpp"
#include "../options.hpp"
#include "../penalty/hierarchical.hpp"
#include "../report.hpp"

namespace tamis {

/// What is to be predicted: `values`, one real number per sample, by least squares ½(y − z)²; or labels of `classes`
/// classes, by the squared hinge Σ_{k≠y} (1 + z_k − z_y)₊².
template <class T>
struct InteractionTargets {
  const T* values = nullptr;
  std::span<const Label> labels = {};
  Index classes = 1;  ///< 1 for a regression
};

/// Minimises (1/n) Σᵢ ℓ(z(xᵢ), yᵢ) + Σ_k Ω(v_k, Θ_k), z_k(x) = b_k + v_kᵀx + xᵀΘ_k x: a HierarchicalPenalty with λ₁ = λ
/// of the options and λ₂ = `lambda2`; Θ_k symmetric when the hierarchy is strong. η and other margins than 1 are
/// refused, working sets are not needed.
///
/// Over-relaxed splitting between the loss and the rows of Ω. With A the map from (v, Θ) to scores, AAᵀ = K = G∘(G +
/// 1), G = XXᵀ, so that the step on the loss is one system in n unknowns with a cached Cholesky factor of K + κ, and
/// pairs of features are never formed: Aᵀu = Xᵀ diag(u) [X 1]. The residual of that system is a dual point, whose
/// products with A are already there: the certificate scales it until Ω's dual norm allows it. κ is balanced now and
/// then.
///
/// Memory: `requirement(shape)`: (3K + 1)N² + 3n·N + 2n² + a few n·K entries, rows padded to vectors. Cost of an
/// iteration: 2K·n·N² + 2K·n² flops, twice that while Θ is not sparse, and n³/3 when κ changes. Source: paper C,
/// problems (3)–(4) and (14)–(15); Boyd et al. (2011).
template <class T>
class InteractionAdmm {
 public:
  InteractionAdmm(const DenseDesign<T>& design, const InteractionTargets<T>& targets, Hierarchy hierarchy,
                  HierarchyNorm norm, T lambda2, const Options<T>& options)
      : design_(design),
        targets_(targets),
        options_(options),
        shape_{design.samples(), design.features(), targets.classes},
        lambda2_(lambda2),
        penalty_{hierarchy, norm} {}

  /// Bytes that `start` needs; `shape.classes` is 1 for a regression.
  static constexpr Requirement requirement(Shape shape) {
    Arena counter;
    (void)Memory::lay_out(counter, shape);
    return {counter.used()};
  }

  /// Checks the problem, takes its memory and certifies the model of zeros. False: it has ended.
  bool start(std::span<std::byte> memory) {
    report_ = {};
    report_.arena_bytes = requirement(shape_).bytes;
    report_.status = check(memory);
    if (!running()) return false;
    Arena arena(memory);
    m_ = Memory::lay_out(arena, shape_);
    report_.arena_used_bytes = arena.used();
    stride_ = padded<T>(shape_.features + 1);
    width_ = padded<T>(shape_.samples);
    outputs_ = padded<T>(shape_.classes);
    // in units of sums over samples
    penalty_.lambda1 = options_.lambda * T(shape_.samples);
    penalty_.lambda2 = lambda2_ * T(shape_.samples);
    for (T* matrix : {m_.z, m_.w, m_.best}) fill(matrix, std::size_t(coefficients()), T(0));
    for (T* scores : {m_.sz, m_.sw, m_.s, m_.ws, m_.u}) fill(scores, std::size_t(shape_.samples) * outputs_, T(0));
    for (T* row : {m_.b, m_.best_b}) fill(row, outputs_, T(0));
    certificates_ = 0;
    rho_scores_ = T(1);
    best_dual_ = T(0);  // no term of the objective is negative
    centre_ = T(0);
    if (regression() && options_.intercept) {
      Sum<T> total;
      for (Index i = 0; i < shape_.samples; ++i) total.add(targets_.values[i]);
      centre_ = total.value() / T(shape_.samples);
    }
    report_.objective = infinity<T>;
    take_samples();
    take_gram();
    certify_zero();
    if (running()) factor();
    return running();
  }

  /// One iteration, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    const bool last = ++report_.iterations >= options_.max_iterations;
    const bool look = last || report_.iterations % (report_.iterations < 100 ? 5 : 10) == 0;
    report_.epochs += T(1);
    primal_ = dual_ = x_size_ = w_size_ = T(0);
    for (Index k = 0; k < shape_.classes; ++k) step_coefficients(k, look && regression());
    if (!regression()) step_scores();
    if (look) {
      certify();
      if (last && running()) report_.status = Status::iteration_limit;
    }
    if (running() && report_.iterations % 40 == 0 && report_.iterations <= 2000) balance();
    return running();
  }

  /// Ends the run with the model found so far.
  void stop() {
    if (running()) report_.status = Status::stopped;
  }

  const Report<T>& report() const { return report_; }
  std::uint32_t certificates() const { return certificates_; }
  /// The model of the smallest objective seen.
  InteractionModel<T> model() const {
    return has_model(report_.status) ? InteractionModel<T>{m_.best, m_.best_b, shape_.features, shape_.classes}
                                     : InteractionModel<T>{};
  }

 private:
  struct Memory {
    T *z, *w, *best;  ///< coefficients, scaled multipliers, the model: K matrices of features × stride
    T* g;             ///< Aᵀu of one output
    T* samples;       ///< [X 1] by rows
    T* scaled;        ///< scratch of the same size
    T* columns;       ///< X by columns, padded
    T* gram;          ///< K: samples × width
    T* factor;        ///< of K + κ
    T *sz, *sw;       ///< scores of z and w: samples × outputs
    T *s, *ws, *u;    ///< scores split off, their scaled multipliers; scratch
    T *ones, *right;  ///< (K + κ)⁻¹ 1; a right-hand side and its solution
    T* spare;         ///< scratch of an entry per sample
    T *b, *best_b;    ///< intercepts
    T* row[2];        ///< scratch of a row
    Index* list;      ///< features whose row is not zero

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      using detail::saturating_add, detail::saturating_multiply;
      Memory m{};
      const auto whole = [](std::size_t count) { return saturating_add(count, lanes<T> - 1) / lanes<T> * lanes<T>; };
      const std::size_t stride = whole(saturating_add(shape.features, 1)), width = whole(shape.samples);
      const std::size_t matrix = saturating_multiply(shape.features, stride);
      for (T** all : {&m.z, &m.w, &m.best}) *all = arena.take<T>(saturating_multiply(matrix, shape.classes));
      m.g = arena.take<T>(matrix);
      for (T** rows : {&m.samples, &m.scaled}) *rows = arena.take<T>(saturating_multiply(shape.samples, stride));
      m.columns = arena.take<T>(saturating_multiply(stride, width));
      for (T** square : {&m.gram, &m.factor}) *square = arena.take<T>(saturating_multiply(shape.samples, width));
      const std::size_t scores = saturating_multiply(shape.samples, padded<T>(shape.classes));
      for (T** all : {&m.sz, &m.sw, &m.s, &m.ws, &m.u}) *all = arena.take<T>(scores);
      for (T** column : {&m.ones, &m.right, &m.spare}) *column = arena.take<T>(width);
      for (T** outputs : {&m.b, &m.best_b}) *outputs = arena.take<T>(padded<T>(shape.classes));
      for (T** row : {&m.row[0], &m.row[1]}) *row = arena.take<T>(largest(stride, padded<T>(shape.classes)));
      m.list = arena.take<Index>(shape.features);
      return m;
    }
    static constexpr std::size_t largest(std::size_t a, std::size_t b) { return a > b ? a : b; }
  };

  bool running() const { return report_.status == Status::running; }
  bool regression() const { return targets_.values != nullptr; }
  /// What a regression fits, intercepts aside: dual points add up to zero only up to rounding.
  T value(Index i) const { return targets_.values[i] - centre_; }
  bool symmetric() const { return penalty_.hierarchy == Hierarchy::strong; }
  std::size_t matrix_size() const { return std::size_t(shape_.features) * stride_; }
  std::size_t coefficients() const { return matrix_size() * shape_.classes; }
  T* matrix(T* all, Index k) const { return all + matrix_size() * k; }

  Status check(std::span<std::byte> memory) {
    constexpr Index most = Index(-1) - lanes<T>;
    if (shape_.samples == 0 || shape_.features == 0 || shape_.samples > most || shape_.features > most)
      return Status::invalid_shape;
    if (regression() ? shape_.classes != 1 || !targets_.labels.empty()
                     : shape_.classes < 2 || targets_.labels.size() != shape_.samples)
      return Status::invalid_shape;
    const bool alone = penalty_.hierarchy == Hierarchy::full;  // products that λ₂ alone penalises
    if (!(options_.lambda > T(0)) || !finite(options_.lambda) || !finite(lambda2_) ||
        !(alone ? lambda2_ > T(0) : lambda2_ >= T(0)))
      return Status::invalid_lambda;
    if (!(options_.tolerance > T(0)) || options_.max_iterations == 0) return Status::invalid_option;
    if (options_.eta != T(0)) return Status::invalid_eta;
    if (has_margin(options_)) return Status::invalid_margin;  // it is 1
    if (design_.find_bad_value(report_.row, report_.column)) return Status::invalid_data;
    for (Index i = 0; i < shape_.samples; ++i) {
      report_.row = i;
      report_.column = regression() ? shape_.features : 0;
      if (regression() && !finite(targets_.values[i])) return Status::invalid_data;
      if (!regression() && targets_.labels[i] >= shape_.classes) return Status::invalid_label;
    }
    report_.row = report_.column = 0;
    if (!Arena::aligned(memory)) return Status::invalid_arena;
    if (memory.size() < report_.arena_bytes) return Status::arena_too_small;
    return Status::running;
  }

  // ---- products -----------------------------------------------------------------------------------------------------

  [[gnu::noinline]] void take_samples() {
    const Index n = shape_.samples, p = shape_.features;
    fill(m_.columns, std::size_t(stride_) * width_, T(0));
    for (Index i = 0; i < n; ++i) {
      T* row = row_of(m_.samples, i, stride_);
      fill(row, stride_, T(0));
      for (Index j = 0; j < p; ++j) row[j] = row_of(m_.columns, j, width_)[i] = design_(i, j);
    }
  }
  /// K = G∘(G + 1), or G without interactions; then the column of ones beside the samples.
  [[gnu::noinline]] void take_gram() {
    const Index n = shape_.samples;
    DenseDesign<T>(m_.samples, stride_, n).transposed_multiply(nullptr, n, m_.columns, width_, m_.gram);
    Sum<T> trace;
    for (Index i = 0; i < n; ++i) {
      T* row = row_of(m_.gram, i, width_);
      if (penalty_.hierarchy != Hierarchy::main)
        for (Index l = 0; l < n; ++l) row[l] *= row[l] + T(1);
      trace.add(row[i]);
      row_of(m_.samples, i, stride_)[shape_.features] = T(1);
    }
    mean_square_ = trace.value() / T(n);
    kappa_ = largest(T(0.1) * mean_square_, T(1e-6));
    rho_ = regression() ? kappa_ : kappa_ * rho_scores_;
  }
  [[gnu::noinline]] void factor() {
    const Index n = shape_.samples;
    copy(static_cast<const T*>(m_.gram), std::size_t(n) * width_, m_.factor);
    for (Index i = 0; i < n; ++i) row_of(m_.factor, i, width_)[i] += kappa_;
    if (!factor_cholesky(m_.factor, n, width_)) {  // rounding has outgrown κ
      kappa_ *= T(10);
      scale_rho(T(10));
      if (kappa_ < T(1e3) * mean_square_) return factor();
      report_.status = Status::precision_limit;
      return;
    }
    if (options_.intercept) {
      fill(m_.ones, n, T(1));
      solve_cholesky(static_cast<const T*>(m_.factor), n, width_, m_.ones);
    }
  }
  /// g ← Aᵀu, u one column of samples × outputs.
  [[gnu::noinline]] void transposed(const T* u, Index step) {
    for (Index i = 0; i < shape_.samples; ++i) {
      const auto factor = Pack<T>::fill(u[std::size_t(i) * step]);
      const T* from = row_of(m_.samples, i, stride_);
      T* to = row_of(m_.scaled, i, stride_);
      for (Index l = 0; l < stride_; l += lanes<T>) (factor * Pack<T>::load(from + l)).store(to + l);
    }
    design_.transposed_multiply(nullptr, shape_.features, m_.scaled, stride_, m_.g);
  }
  /// The scores of one output's coefficients, most of which are zero.
  [[gnu::noinline]] void multiply(const T* w, T* out, Index step) {
    Index count = 0;
    for (Index j = 0; j < shape_.features; ++j) {
      const T* row = row_of(w, j, stride_);
      bool any = false;
      for (Index l = 0; l <= shape_.features && !any; ++l) any = row[l] != T(0);
      if (any) m_.list[count++] = j;
    }
    fill(m_.row[0], stride_, T(0));
    design_.multiply(m_.list, count, w, stride_, m_.row[0], m_.scaled);
    for (Index i = 0; i < shape_.samples; ++i)
      out[std::size_t(i) * step] = dot(static_cast<const T*>(row_of(m_.samples, i, stride_)),
                                       static_cast<const T*>(row_of(m_.scaled, i, stride_)), shape_.features + 1);
  }

  // ---- an iteration -------------------------------------------------------------------------------------------------

  [[gnu::noinline]] void step_coefficients(Index k, bool look) {
    const Index n = shape_.samples, p = shape_.features;
    T* u = m_.right;
    const auto target = [&](Index i) {
      return regression() ? value(i) : row_of(m_.s, i, outputs_)[k] - row_of(m_.ws, i, outputs_)[k];
    };
    for (Index i = 0; i < n; ++i) u[i] = target(i) - (row_of(m_.sz, i, outputs_)[k] - row_of(m_.sw, i, outputs_)[k]);
    solve_cholesky(static_cast<const T*>(m_.factor), n, width_, u);
    T b = 0;
    if (options_.intercept) {
      Sum<T> sum, ones;
      for (Index i = 0; i < n; ++i) {
        sum.add(u[i]);
        ones.add(m_.ones[i]);
      }
      b = sum.value() / ones.value();
      for (Index i = 0; i < n; ++i) u[i] -= b * m_.ones[i];
    }
    m_.b[k] = b;
    transposed(u, 1);
    if (look) take_dual_of_regression(u);
    add_centre(k);
    T* const z = matrix(m_.z, k);
    T* const w = matrix(m_.w, k);
    const T step = T(1) / rho_;
    for (Index j = 0; j < p; ++j) {
      const T* x = row_of(m_.g, j, stride_);
      T* z_row = row_of(z, j, stride_);
      T* w_row = row_of(w, j, stride_);
      T* old = m_.row[1];
      for (Index l = 0; l <= p; ++l) {
        old[l] = z_row[l];
        z_row[l] = relaxation * x[l] - (relaxation - T(1)) * z_row[l] + w_row[l];
        w_row[l] = z_row[l];
      }
      penalty_.prox(z_row, p, step);
      for (Index l = 0; l <= p; ++l) {
        w_row[l] -= z_row[l];
        primal_ += (x[l] - z_row[l]) * (x[l] - z_row[l]);
        dual_ += (z_row[l] - old[l]) * (z_row[l] - old[l]);
        x_size_ += x[l] * x[l];
        w_size_ += w_row[l] * w_row[l];
      }
    }
    multiply(z, m_.spare, 1);
    for (Index i = 0; i < n; ++i) {
      const T x = target(i) - b - kappa_ * u[i];
      T& sz = row_of(m_.sz, i, outputs_)[k];
      T& sw = row_of(m_.sw, i, outputs_)[k];
      const T next = m_.spare[i];
      sw = relaxation * x - (relaxation - T(1)) * sz + sw - next;
      sz = next;
      if (!regression()) row_of(m_.u, i, outputs_)[k] = x + b;
    }
  }
  /// g += z − w, made symmetric where that is asked for.
  [[gnu::noinline]] void add_centre(Index k) {
    const Index p = shape_.features;
    const T* z = matrix(m_.z, k);
    const T* w = matrix(m_.w, k);
    for (Index j = 0; j < p; ++j) {
      T* g = row_of(m_.g, j, stride_);
      const T* z_row = row_of(z, j, stride_);
      const T* w_row = row_of(w, j, stride_);
      if (penalty_.hierarchy == Hierarchy::main) {
        fill(g, p, T(0));
        g[p] += z_row[p] - w_row[p];
      } else if (!symmetric()) {
        for (Index l = 0; l <= p; ++l) g[l] += z_row[l] - w_row[l];
      } else {
        for (Index l = 0; l < p; ++l)
          g[l] += T(0.5) * ((z_row[l] - w_row[l]) + (row_of(z, l, stride_)[j] - row_of(w, l, stride_)[j]));
        g[p] += z_row[p] - w_row[p];
      }
    }
  }

  /// s ← the proximity operator of the loss, and its multipliers.
  [[gnu::noinline]] void step_scores() {
    const Index classes = shape_.classes;
    primal_scores_ = dual_scores_ = scores_size_ = multipliers_size_ = T(0);
    for (Index i = 0; i < shape_.samples; ++i) {
      const T* x = row_of(m_.u, i, outputs_);
      T* s = row_of(m_.s, i, outputs_);
      T* w = row_of(m_.ws, i, outputs_);
      T* old = m_.row[1];
      for (Index k = 0; k < classes; ++k) {
        old[k] = s[k];
        w[k] = relaxation * x[k] - (relaxation - T(1)) * s[k] + w[k];
      }
      copy(static_cast<const T*>(w), outputs_, s);
      SquaredHinge{}.prox(s, classes, targets_.labels[i], T(1), rho_scores_);
      for (Index k = 0; k < classes; ++k) {
        w[k] -= s[k];
        primal_scores_ += (x[k] - s[k]) * (x[k] - s[k]);
        dual_scores_ += (s[k] - old[k]) * (s[k] - old[k]);
        scores_size_ += x[k] * x[k];
        multipliers_size_ += w[k] * w[k];
      }
    }
  }

  static void scale(T* entries, std::size_t count, T factor) {
    for (std::size_t e = 0; e < count; ++e) entries[e] *= factor;
  }
  /// Another weight for the split between loss and Ω; the multipliers themselves stay.
  void scale_rho(T factor) {
    rho_ *= factor;
    scale(m_.w, coefficients(), T(1) / factor);
    scale(m_.sw, std::size_t(shape_.samples) * outputs_, T(1) / factor);
  }

  /// Penalties of the two splits such that both kinds of residuals fall alike.
  [[gnu::noinline]] void balance() {
    const auto factor_of = [](T primal, T size, T dual, T multiplier) {
      if (!(primal > T(0)) || !(dual > T(0)) || !(size > T(0)) || !(multiplier > T(0))) return T(1);
      const T q = square_root(square_root((primal / size) / (dual / multiplier)));
      return q > T(1.5) || q < T(0.67) ? smallest(largest(q, T(0.2)), T(5)) : T(1);
    };
    const T q = factor_of(primal_, x_size_, dual_, w_size_);
    const T qs = regression() ? T(1) : factor_of(primal_scores_, scores_size_, dual_scores_, multipliers_size_);
    if (q == T(1) && qs == T(1)) return;
    scale_rho(q);
    rho_scores_ *= qs;
    scale(m_.ws, std::size_t(shape_.samples) * outputs_, T(1) / qs);
    kappa_ = regression() ? rho_ : rho_ / rho_scores_;
    factor();
  }

  // ---- certificates -------------------------------------------------------------------------------------------------

  /// How far the products of a dual point, in g times `factor`, are from what Ω allows. Strong: any antisymmetric
  /// matrix may be added, and near the optimum the multipliers tell which.
  [[gnu::noinline]] T gauge(Index k, T factor) {
    const Index p = shape_.features;
    const T* w = matrix(m_.w, k);
    T worst = 0;
    for (Index j = 0; j < p; ++j) {
      const T* g = row_of(m_.g, j, stride_);
      T* row = m_.row[1];
      for (Index l = 0; l <= p; ++l) row[l] = factor * g[l];
      if (symmetric())
        for (Index l = 0; l < p; ++l) row[l] += T(0.5) * rho_ * (row_of(w, j, stride_)[l] - row_of(w, l, stride_)[j]);
      worst = largest(worst, penalty_.gauge(row, p));
    }
    return worst;
  }

  [[gnu::noinline]] void take_dual_of_regression(const T* u) {
    Sum<T> inner, square;
    for (Index i = 0; i < shape_.samples; ++i) {
      const T dual = rho_ * u[i];
      inner.add(dual * value(i));
      square.add(dual * dual);
    }
    offer_dual(gauge(0, rho_), inner.value(), square.value() / T(2));
  }
  /// A dual point whose value at the scale s is s·linear − s²·quadratic.
  void offer_dual(T gauge, T linear, T quadratic) {
    if (!(quadratic > T(0))) return offer_value(T(0));
    const T best = linear / (T(2) * quadratic);
    const T s = gauge * best > T(1) ? T(1) / gauge : best;
    if (s > T(0)) offer_value(s * linear - s * s * quadratic);
  }
  void offer_value(T value) { best_dual_ = largest(best_dual_, value); }

  /// The multipliers of the scores as a dual point: −∂f ∋ u, column sums zero where there are intercepts.
  [[gnu::noinline]] T take_dual_of_classes(T scale) {
    for (Index i = 0; i < shape_.samples; ++i) {
      T* u = row_of(m_.u, i, outputs_);
      const T* w = row_of(m_.ws, i, outputs_);
      T sum = 0;
      for (Index k = 0; k < shape_.classes; ++k) {
        u[k] = k == targets_.labels[i] ? T(0) : largest(scale * w[k], T(0));
        sum += u[k];
      }
      u[targets_.labels[i]] = -sum;
    }
    if (options_.intercept) {
      Targets<T> labels{targets_.labels, shape_.classes};
      labels.normalise();
      balance_columns(SquaredHinge{}, labels, m_.u, outputs_, m_.row[0], m_.row[1]);
    }
    Sum<T> linear, quadratic;
    for (Index i = 0; i < shape_.samples; ++i)
      for (Index k = 0; k < shape_.classes; ++k)
        if (k != targets_.labels[i]) {
          const T beta = row_of(m_.u, i, outputs_)[k];
          linear.add(beta);
          quadratic.add(beta * beta / T(4));
        }
    T worst = 0;
    for (Index k = 0; k < shape_.classes; ++k) {
      transposed(m_.u + k, outputs_);
      worst = largest(worst, gauge(k, T(-1)));
    }
    offer_dual(worst, linear.value(), quadratic.value());
    return worst;
  }

  /// g ← the coefficients of z as a model. Strong: symmetric, products of kept rows alone. Ω leaves a main effect free
  /// below its products; where it is zero it becomes as small as rounding, so that what is kept obeys the hierarchy.
  [[gnu::noinline]] void take_candidate(Index k) {
    const Index p = shape_.features;
    const T* z = matrix(m_.z, k);
    copy(z, matrix_size(), m_.g);
    if (penalty_.hierarchy == Hierarchy::full || penalty_.hierarchy == Hierarchy::main) return;
    T* kept = m_.row[0];
    for (Index j = 0; j < p; ++j) {
      kept[j] = T(0);
      for (Index l = 0; l <= p; ++l)
        if (row_of(z, j, stride_)[l] != T(0)) kept[j] = T(1);
    }
    for (Index j = 0; j < p && symmetric(); ++j)
      for (Index l = 0; l < j; ++l) {
        const T mean = T(0.5) * (row_of(z, j, stride_)[l] + row_of(z, l, stride_)[j]);
        row_of(m_.g, j, stride_)[l] = row_of(m_.g, l, stride_)[j] = kept[j] * kept[l] * mean;
      }
    for (Index j = 0; j < p; ++j) {
      T* row = row_of(m_.g, j, stride_);
      T top = 0;
      for (Index l = 0; l < p; ++l) top = largest(top, absolute(row[l]));
      if (row[p] == T(0)) row[p] = epsilon<T> * top;
    }
  }

  [[gnu::noinline]] void certify() {
    ++certificates_;
    if (!regression()) take_dual_of_classes(rho_scores_);
    Sum<T> total;
    Index nonzeros = 0, rows = 0;
    T* const used = m_.row[1];
    fill(used, shape_.features, T(0));
    for (Index k = 0; k < shape_.classes; ++k) {
      take_candidate(k);
      multiply(m_.g, m_.u + k, outputs_);
      for (Index j = 0; j < shape_.features; ++j) {
        const T* row = row_of(m_.g, j, stride_);
        total.add(penalty_.value(row, shape_.features));
        Index here = 0;
        for (Index l = 0; l <= shape_.features; ++l) here += row[l] != T(0);
        nonzeros += here;
        if (here > 0 && used[j] == T(0)) {
          used[j] = T(1);
          ++rows;
        }
      }
    }
    if (regression()) {
      T* b = m_.b;
      if (options_.intercept) {
        Sum<T> mean;
        for (Index i = 0; i < shape_.samples; ++i) mean.add(value(i) - m_.u[std::size_t(i) * outputs_]);
        b[0] = mean.value() / T(shape_.samples);
      }
      for (Index i = 0; i < shape_.samples; ++i) {
        const T residual = value(i) - m_.u[std::size_t(i) * outputs_] - b[0];
        total.add(residual * residual / T(2));
      }
    } else {
      for (Index i = 0; i < shape_.samples; ++i) {
        T* z = row_of(m_.u, i, outputs_);
        for (Index k = 0; k < shape_.classes; ++k) z[k] += m_.b[k];
        total.add(SquaredHinge{}.value(z, shape_.classes, targets_.labels[i], T(1)));
      }
    }
    const T objective = total.value() / T(shape_.samples);
    if (objective < report_.objective) {
      report_.objective = objective;
      report_.nonzeros = nonzeros;
      report_.nonzero_rows = rows;
      for (Index k = 0; k < shape_.classes; ++k) {
        take_candidate(k);
        copy(static_cast<const T*>(m_.g), matrix_size(), matrix(m_.best, k));
        m_.best_b[k] = m_.b[k] + centre_;
      }
    }
    judge();
  }

  void judge() {
    if (!finite(report_.objective)) {  // sums that T does not hold
      report_.status = Status::precision_limit;
      return;
    }
    report_.dual_objective = best_dual_ / T(shape_.samples);
    report_.gap = largest(report_.objective - report_.dual_objective, T(0));
    const T size = largest(largest(absolute(report_.objective), absolute(report_.dual_objective)), T(1e-12));
    report_.relative_gap = report_.gap / size;
    constexpr T rounding = T(16) * epsilon<T>;
    if (report_.relative_gap <= largest(options_.tolerance, rounding)) {
      report_.status = options_.tolerance >= rounding ? Status::converged : Status::precision_limit;
      return;
    }
    if (!(report_.relative_gap > T(0.9) * stalled_gap_)) {
      stalled_gap_ = report_.relative_gap;
      patience_ = report_.iterations + largest(std::uint32_t(2000), report_.iterations);
    } else if (report_.iterations > patience_ && report_.relative_gap < (sizeof(T) == 4 ? T(1.2e-3) : T(1.5e-8))) {
      report_.status = Status::precision_limit;
    }
  }

  /// The model of zeros, its gap, and the λ from which, with λ₂ in the same proportion, it is the answer: for strong an
  /// upper bound; none for classes with intercepts.
  [[gnu::noinline]] void certify_zero() {
    stalled_gap_ = infinity<T>;
    patience_ = 0;
    report_.lambda_max = not_a_number<T>;
    T worst = 0;
    if (regression()) {
      Sum<T> mean;
      for (Index i = 0; i < shape_.samples; ++i) mean.add(value(i));
      const T b = options_.intercept ? mean.value() / T(shape_.samples) : T(0);
      for (Index i = 0; i < shape_.samples; ++i) m_.right[i] = (value(i) - b) / rho_;
      transposed(m_.right, 1);
      take_dual_of_regression(m_.right);
      worst = gauge(0, rho_);
    } else {
      fill(m_.ws, std::size_t(shape_.samples) * outputs_, T(2));
      worst = take_dual_of_classes(T(1));
      fill(m_.ws, std::size_t(shape_.samples) * outputs_, T(0));
    }
    if (regression() || !options_.intercept) report_.lambda_max = options_.lambda * worst;
    const T kept = rho_scores_;
    rho_scores_ = T(0);  // no multipliers yet: the dual point is the one above
    certify();
    rho_scores_ = kept;
  }

  static constexpr T relaxation = T(1.8);

  DenseDesign<T> design_;
  InteractionTargets<T> targets_;
  Options<T> options_;
  Shape shape_;
  T lambda2_;
  HierarchicalPenalty<T> penalty_;
  Memory m_{};
  Index stride_ = 0;   ///< of a row of coefficients
  Index width_ = 0;    ///< of a row over samples
  Index outputs_ = 0;  ///< of a row of scores
  Report<T> report_{};
  std::uint32_t certificates_ = 0;
  T best_dual_ = T(0);
  T centre_ = T(0);       ///< mean of the values where the intercept is free
  T mean_square_ = T(0);  ///< of K's diagonal
  T kappa_ = T(0);
  T rho_ = T(0);         ///< weight of the split between loss and Ω
  T rho_scores_ = T(1);  ///< weight of the split of the scores
  T primal_ = T(0), dual_ = T(0), x_size_ = T(0), w_size_ = T(0);
  T primal_scores_ = T(0), dual_scores_ = T(0), scores_size_ = T(0), multipliers_size_ = T(0);
  T stalled_gap_ = T(0);
  std::uint32_t patience_ = 0;
};

}  // namespace tamis
