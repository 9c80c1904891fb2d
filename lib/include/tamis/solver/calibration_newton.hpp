#pragma once
/// Fits probabilities to held-out scores, by Newton's method to a gradient of zero.

#include <span>

#include "../arena.hpp"
#include "../linalg/cholesky.hpp"
#include "../model/calibration.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The default kind is the better one for losses whose scores compare classes: squared hinge on digits, held-out
/// log-loss 0.14 … 0.15 with softmax, 0.22 … 0.25 with sigmoids.
template <class T>
struct CalibrationOptions {
  CalibrationKind kind = CalibrationKind::softmax;
  T tolerance = sizeof(T) == 4 ? T(1e-5) : T(1e-10);  ///< of the gradient, > 0
  std::uint32_t max_iterations = 100;                 ///< of Newton's method, ≥ 1; with sigmoids per class
};

/// What calibrate() returns. With sigmoids the objective is the sum over the classes, the gradient and the iterations
/// are the most of any class.
template <class T>
struct CalibrationFit {
  Status status = Status::running;
  Calibration<T> calibration;    ///< classes = 0 when refused
  T objective = 0;               ///< mean loss against the softened targets
  T gradient = 0;                ///< the certificate: its largest partial derivative, scores in units of their spread
  std::uint32_t iterations = 0;  ///< Newton steps
  Index row = 0;                 ///< the first bad sample of a refusal
  Index column = 0;              ///< the first bad class of a refusal
  std::size_t arena_bytes = 0;   ///< what is asked for
};

namespace detail {

template <class T>
struct CalibrationMemory {
  T* slopes;    ///< classes
  T* offsets;   ///< classes
  T* centres;   ///< means of the scores of each class, in units of the largest score
  T* inverses;  ///< 1/spread about the mean, the same units
  T* sizes;     ///< samples of each class
  T* point;     ///< size: slope and offsets in units of the spread
  T* step;
  T* trial;
  T* gradient;
  T* trial_gradient;
  T* hessian;  ///< size × padded(size), the lower triangle
  T* row;      ///< of scores in units of the spread
  T* chance;   ///< of probabilities
  Sum<T>* sums;

  static constexpr Index size(CalibrationKind kind, Index classes) {
    return kind == CalibrationKind::sigmoid ? 2 : classes + 1;
  }
  static constexpr CalibrationMemory lay_out(Arena& arena, CalibrationKind kind, Index classes) {
    CalibrationMemory m{};
    for (T** entry : {&m.slopes, &m.offsets, &m.centres, &m.inverses, &m.sizes, &m.row, &m.chance})
      *entry = arena.take<T>(classes);
    m.sums = arena.take<Sum<T>>(kind == CalibrationKind::sigmoid ? 0 : classes);
    const Index n = size(kind, classes);
    for (T** entry : {&m.point, &m.step, &m.trial, &m.gradient, &m.trial_gradient}) *entry = arena.take<T>(n);
    m.hessian = arena.take<T>(saturating_multiply(n, padded<T>(n)));
    return m;
  }
};

/// The scores in units of their spread, and the softened targets.
template <class T>
struct CalibrationData {
  Rows<const T> scores;
  Targets<T> targets;
  CalibrationMemory<T> memory;
  T top = 1;    ///< the largest score, in absolute value
  T count = 0;  ///< samples of positive weight

  T unit(Index sample, Index k) const { return (scores.row(sample)[k] / top - memory.centres[k]) * memory.inverses[k]; }

  /// The largest score, means and spreads; one spread for all classes if `common`. Scores that hardly differ keep the
  /// unit of the largest.
  [[gnu::noinline]] void measure(bool common) {
    const Index samples = targets.samples(), classes = targets.classes;
    top = T(1e-30);
    for (Index i = 0; i < samples; ++i)
      if (targets.raw_weight(i) > T(0))
        for (Index k = 0; k < classes; ++k) top = largest(top, absolute(scores.row(i)[k]));
    Sum<T> all;
    count = T(0);
    for (Index k = 0; k < classes; ++k) {
      Sum<T> mean, square;
      Index size = 0;
      for (Index i = 0; i < samples; ++i) {
        if (!(targets.raw_weight(i) > T(0))) continue;
        mean.add(targets.weight(i) * (scores.row(i)[k] / top));
        size += targets.labels[i] == k;
      }
      memory.centres[k] = mean.value();
      memory.inverses[k] = T(1);
      memory.sizes[k] = T(size);
      count += T(size);
      for (Index i = 0; i < samples; ++i)
        if (targets.raw_weight(i) > T(0)) square.add(targets.weight(i) * unit(i, k) * unit(i, k));
      all.add(square.value() / T(classes));
      if (!common) memory.inverses[k] = inverse_spread(square.value());
    }
    if (common) fill(memory.inverses, classes, inverse_spread(all.value()));
  }

 private:
  static T inverse_spread(T square) {
    const T spread = square_root(square);
    return spread > T(64) * epsilon<T> ? T(1) / spread : T(1);
  }
};

/// Class k against the others: mean of log(1 + exp(z)) − t z over z = θ₀x + θ₁, the cross-entropy of σ(z) and t.
template <class T>
struct SigmoidProblem {
  const CalibrationData<T>& data;
  Index label;

  [[gnu::noinline]] T evaluate(const T* theta, T* gradient, T* hessian) const {
    const Targets<T>& targets = data.targets;
    const T size = data.memory.sizes[label];
    const T within = (size + T(1)) / (size + T(2)), without = T(1) / (data.count - size + T(2));
    Sum<T> value, slope, offset;
    T hess[3] = {};
    for (Index i = 0; i < targets.samples(); ++i) {
      const T weight = targets.weight(i);
      if (!(weight > T(0))) continue;
      const T x = data.unit(i, label), z = theta[0] * x + theta[1];
      const T target = targets.labels[i] == label ? within : without;
      const T e = exponential(-absolute(z)), share = T(1) / (T(1) + e);
      const T p = z < T(0) ? e * share : share;
      // The part of z is taken from the smaller side, so that nothing large cancels.
      value.add(weight * (logarithm(T(1) + e) + (z < T(0) ? -target : T(1) - target) * z));
      slope.add(weight * (p - target) * x);
      offset.add(weight * (p - target));
      const T curvature = weight * e * share * share;
      hess[0] += curvature * x * x;
      hess[1] += curvature * x;
      hess[2] += curvature;
    }
    gradient[0] = slope.value();
    gradient[1] = offset.value();
    hessian[0] = hess[0];
    hessian[padded<T>(2)] = hess[1];
    hessian[padded<T>(2) + 1] = hess[2];
    return value.value();
  }
};

/// All classes: mean of log Σ_k exp(z_k) − Σ_k t_k z_k over z_k = θ₀x_k + θ_{k+1}. Offsets count but for their mean,
/// which the curvature (1/K)11ᵀ keeps where it is.
template <class T>
struct SoftmaxProblem {
  const CalibrationData<T>& data;

  [[gnu::noinline]] T evaluate(const T* theta, T* gradient, T* hessian) const {
    const Targets<T>& targets = data.targets;
    const Index classes = targets.classes, size = classes + 1, stride = padded<T>(size);
    T* const x = data.memory.row;
    T* const p = data.memory.chance;
    Sum<T>* const offsets = data.memory.sums;
    for (Index k = 0; k < classes; ++k) offsets[k] = {};
    fill(hessian, std::size_t(size) * stride, T(0));
    for (Index k = 0; k < classes; ++k)
      for (Index l = 0; l <= k; ++l) row_of(hessian, k + 1, stride)[l + 1] = T(1) / T(classes);
    const T softness = T(1) / (data.count + T(2)), rest = softness / T(classes - 1);
    Sum<T> value, slope;
    for (Index i = 0; i < targets.samples(); ++i) {
      const T weight = targets.weight(i);
      if (!(weight > T(0))) continue;
      const Label y = targets.labels[i];
      T top = -infinity<T>;
      for (Index k = 0; k < classes; ++k) {
        x[k] = data.unit(i, k);
        top = largest(top, p[k] = theta[0] * x[k] + theta[k + 1]);
      }
      T total = 0, against = 0;
      for (Index k = 0; k < classes; ++k) {
        const T z = p[k] - top;
        against += (k == y ? T(1) - softness : rest) * z;
        total += p[k] = exponential(z);
      }
      value.add(weight * (logarithm(total) - against));
      T mean = 0;
      for (Index k = 0; k < classes; ++k) mean += (p[k] *= T(1) / total) * x[k];
      T inner = 0, variance = 0;
      for (Index k = 0; k < classes; ++k) {
        const T difference = p[k] - (k == y ? T(1) - softness : rest);
        inner += difference * x[k];
        offsets[k].add(weight * difference);
        variance += p[k] * (x[k] - mean) * (x[k] - mean);
        T* const row = row_of(hessian, k + 1, stride);
        row[0] += weight * p[k] * (x[k] - mean);
        for (Index l = 0; l < k; ++l) row[l + 1] -= weight * p[k] * p[l];
        row[k + 1] += weight * p[k] * (T(1) - p[k]);
      }
      slope.add(weight * inner);
      hessian[0] += weight * variance;
    }
    gradient[0] = slope.value();
    for (Index k = 0; k < classes; ++k) gradient[k + 1] = offsets[k].value();
    return value.value();
  }
};

template <class T>
T largest_entry(const T* entries, Index count) {
  T most = 0;
  for (Index e = 0; e < count; ++e) most = largest(most, absolute(entries[e]));
  return most;
}

/// Newton's method from zero, halving steps until the objective falls, or, where it can be seen no more, the gradient.
/// A convex objective. On return `gradient` is that at `point`.
template <class T, class Problem>
Status minimise_calibration(const Problem& problem, Index size, const CalibrationOptions<T>& options,
                            const CalibrationMemory<T>& m, T& value, std::uint32_t& iterations) {
  const Index stride = padded<T>(size);
  fill(m.point, size, T(0));
  value = problem.evaluate(m.point, m.gradient, m.hessian);
  for (iterations = 0;; ++iterations) {
    const T norm = largest_entry(m.gradient, size);
    if (norm <= options.tolerance) return Status::converged;
    if (iterations == options.max_iterations) return Status::iteration_limit;
    T most = 0;
    for (Index e = 0; e < size; ++e) most = largest(most, row_of(m.hessian, e, stride)[e]);
    for (Index e = 0; e < size; ++e) row_of(m.hessian, e, stride)[e] += T(8 * size) * epsilon<T> * most;
    if (!factor_cholesky(m.hessian, size, stride)) return Status::precision_limit;
    for (Index e = 0; e < size; ++e) m.step[e] = -m.gradient[e];
    solve_cholesky(static_cast<const T*>(m.hessian), size, stride, m.step);
    const T descent = dot(static_cast<const T*>(m.gradient), static_cast<const T*>(m.step), size);
    const bool visible = -descent > T(64) * epsilon<T> * value;
    for (T length = T(1);; length *= T(0.5)) {
      if (length < T(1e-6)) return Status::precision_limit;
      for (Index e = 0; e < size; ++e) m.trial[e] = m.point[e] + length * m.step[e];
      const T next = problem.evaluate(m.trial, m.trial_gradient, m.hessian);
      const bool better =
          visible ? next <= value + T(1e-4) * length * descent : largest_entry(m.trial_gradient, size) < norm;
      if (!better) continue;
      value = next;
      break;
    }
    copy(static_cast<const T*>(m.trial), size, m.point);
    copy(static_cast<const T*>(m.trial_gradient), size, m.gradient);
  }
}

}  // namespace detail

/// Bytes that calibrate() needs: the first 2·classes numbers, aligned, are the parameters.
template <class T>
constexpr Requirement calibration_requirement(CalibrationKind kind, Index classes) {
  return count_bytes<detail::CalibrationMemory<T>>(kind, classes);
}

/// Fits probabilities to scores of samples that the model has not seen (CrossValidation::keep_scores has them): the
/// least mean log-loss against targets that are soft, so that classes apart do not ask for infinite slopes. With n
/// samples, n_k of class k, all of positive weight,
///   - sigmoid, Platt's targets of class k: (n_k + 1)/(n_k + 2) for its samples, 1/(n − n_k + 2) for all others;
///   - softmax: (n + 1)/(n + 2) for the label, the rest evenly for the other classes; offsets have sum 0.
///
/// Scores are finite, rows of any stride; targets have weights, but margins do not matter. `converged` when the
/// gradient is below the tolerance; `precision_limit` and `iteration_limit` leave the best parameters so far, unless T
/// does not hold them (classes = 0). Otherwise a refusal, with nothing touched: those of check_scores(),
/// invalid_option, invalid_arena, arena_too_small.
///
/// Memory: calibration_requirement(): (K + 1)² numbers with softmax, and some rows. Cost of an iteration: n·K
/// exponentials, and n·K² flops with softmax. Source: Platt (1999); Lin, Lin and Weng (2007) for Newton's method.
template <class T>
CalibrationFit<T> calibrate(Rows<const T> scores, const Targets<T>& targets, const CalibrationOptions<T>& options,
                            std::span<std::byte> memory) {
  CalibrationFit<T> fit;
  const CalibrationKind kind = options.kind;
  const Index classes = targets.classes;
  fit.status = check_scores(scores, targets, fit.row, fit.column);
  if (fit.status != Status::running) return fit;
  fit.arena_bytes = calibration_requirement<T>(kind, classes).bytes;
  const auto refuse = [&](Status status) {
    fit.status = status;
    return fit;
  };
  if (!(options.tolerance > T(0)) || !finite(options.tolerance) || options.max_iterations == 0)
    return refuse(Status::invalid_option);
  if (!Arena::aligned(memory)) return refuse(Status::invalid_arena);
  if (memory.size() < fit.arena_bytes) return refuse(Status::arena_too_small);
  const bool sigmoid = kind == CalibrationKind::sigmoid;
  Arena arena(memory);
  const auto m = detail::CalibrationMemory<T>::lay_out(arena, kind, classes);
  detail::CalibrationData<T> data{scores, targets, m};
  data.targets.normalise();
  data.measure(!sigmoid);
  const Index size = m.size(kind, classes);
  fit.status = Status::converged;
  Sum<T> objective;
  for (Index first = 0; first < classes; first += sigmoid ? 1 : classes) {
    T value = 0;
    std::uint32_t iterations = 0;
    const Status status =
        sigmoid ? minimise_calibration(detail::SigmoidProblem<T>{data, first}, size, options, m, value, iterations)
                : minimise_calibration(detail::SoftmaxProblem<T>{data}, size, options, m, value, iterations);
    fit.status = largest(fit.status, status);
    fit.gradient = largest(fit.gradient, detail::largest_entry(m.gradient, size));
    fit.iterations = largest(fit.iterations, iterations);
    objective.add(value);
    for (Index k = first; k < (sigmoid ? first + 1 : classes); ++k) {
      m.slopes[k] = m.point[0] * m.inverses[k] / data.top;
      m.offsets[k] = m.point[sigmoid ? 1 : k + 1] - m.point[0] * m.inverses[k] * m.centres[k];
    }
  }
  fit.objective = objective.value();
  if (!sigmoid) {
    T mean = 0;
    for (Index k = 0; k < classes; ++k) mean += m.offsets[k] / T(classes);
    for (Index k = 0; k < classes; ++k) m.offsets[k] -= mean;
  }
  for (Index k = 0; k < classes; ++k)
    if (!finite(m.slopes[k]) || !finite(m.offsets[k])) return refuse(Status::precision_limit);
  fit.calibration = {kind, classes, m.slopes, m.offsets};
  return fit;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
