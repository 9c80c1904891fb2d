#include "interactions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "problem.hpp"
#include "support/problems.hpp"
#include "tamis/solver/interaction_admm.hpp"

namespace tamis::verifier {

namespace {

struct InteractionProblem {
  bool single = false, regression = false, intercept = true, benign = false;
  Index samples = 0, features = 0, classes = 1;
  Hierarchy hierarchy = Hierarchy::strong;
  HierarchyNorm norm = HierarchyNorm::l1;
  std::vector<double> values, targets;
  std::vector<Label> labels;
  double lambda = 0, lambda2 = 0, tolerance = 0;
  std::uint32_t max_iterations = 0;

  Real x(Index i, Index j) const { return Real(values[i + std::size_t(j) * samples]); }
};

InteractionProblem make_interactions(std::uint64_t seed) {
  Draw draw(seed);
  InteractionProblem p;
  p.single = draw.chance(0.5);
  p.regression = draw.chance(0.5);
  p.intercept = draw.chance(0.7);
  p.samples = draw.chance(0.1) ? 1 + draw.below(3) : 4 + draw.below(20);
  p.features = 1 + draw.below(6);
  p.classes = p.regression ? 1 : 2 + draw.below(3);
  p.hierarchy = static_cast<Hierarchy>(draw.below(4));
  const bool tied = p.hierarchy == Hierarchy::weak || p.hierarchy == Hierarchy::strong;
  p.norm = static_cast<HierarchyNorm>(draw.below(tied ? 3 : 4));  // ridge is the last
  p.benign = draw.chance(0.4) && p.samples >= p.classes;
  const auto rounded = [&](double x) { return p.single ? double(float(x)) : x; };
  const double reach = draw.chance(0.9) ? (p.single ? 12 : 60) : p.single ? 38 : 300;
  const double whole = p.benign ? 1 : draw.magnitude(-reach, reach);
  const double offset = p.benign || draw.chance(0.6) ? 0 : draw.magnitude(0, 5);
  for (Index j = 0; j < p.features; ++j) {
    const double scale = whole * (p.benign || draw.chance(0.7) ? 1 : draw.magnitude(-3, 3)),
                 shift = offset * draw.normal();
    for (Index i = 0; i < p.samples; ++i) p.values.push_back(rounded(scale * (draw.normal() + shift)));
  }
  const double size = p.benign ? 1 : draw.magnitude(-8, 8),
               away = p.benign || draw.chance(0.7) ? 0 : draw.magnitude(0, 6);
  Real pull = 0;
  for (Index i = 0; i < p.samples; ++i) {
    if (p.regression) p.targets.push_back(rounded(size * (draw.normal() + away)));
    else p.labels.push_back(static_cast<Label>(i < p.classes ? i : draw.below(p.classes)));
  }
  for (Index j = 0; j < p.features; ++j) {
    Real sum = 0;
    for (Index i = 0; i < p.samples; ++i)
      sum += p.x(i, j) * (p.regression ? Real(p.targets[i] - size * away) : Real(p.labels[i] == 0) - 0.5L);
    pull = std::max(pull, std::abs(sum) / Real(p.samples));
  }
  const double top = p.single ? 1e37 : 1e300;
  p.lambda = rounded(std::min(top, double(pull > 0 ? pull : Real(1)) * draw.magnitude(-4, 0.7)));
  p.lambda2 = rounded(p.lambda * draw.magnitude(-1, 0.5));
  p.tolerance = rounded(draw.magnitude(-6, -2));
  p.max_iterations = static_cast<std::uint32_t>(draw.magnitude(1.5, 3.3));
  return p;
}

/// Coefficients of output k and feature j: p products and the main effect, in rows; then the intercepts.
struct InteractionPoint {
  std::vector<Real> w, b;
};

class InteractionTruth {
 public:
  explicit InteractionTruth(const InteractionProblem& problem)
      : p_(problem), unit_(problem.single ? 0x1p-23L : 0x1p-52L), row_(problem.features + 1) {}

  InteractionPoint zero() const {
    return {std::vector<Real>(std::size_t(p_.classes) * p_.features * row_), std::vector<Real>(p_.classes)};
  }
  Real objective(const InteractionPoint& at) const { return loss(at, 0) + penalty(at); }
  Real rounding(const InteractionPoint& at) const {
    const Real value = loss(at, 0), high = loss(at, 1);
    return std::max(high - value, value - loss(at, -1)) + Real(p_.classes + 16) * unit_ * high +
           Real(row_ + 16) * unit_ * penalty(at) + least();
  }
  Real dual_rounding(const InteractionPoint& returned, const InteractionPoint& other) const {
    Real total = 0;
    const InteractionPoint none = zero();
    for (Index i = 0; i < p_.samples; ++i) {
      Real dual = 0, top = 0;
      for (const InteractionPoint* at : {&returned, &other, &none}) dual = std::max(dual, gradient(*at, i));
      for (Index k = 0; k < p_.classes; ++k) top = std::max(top, magnitude(other, i, k));
      total += 2 * dual * (top + (p_.regression ? std::abs(Real(p_.targets[i])) + centre() : Real(0)));
    }
    return Real(p_.samples + row_ + 32) * unit_ * (total / Real(p_.samples) + objective(other)) + least();
  }

 private:
  Real least() const { return p_.single ? Real(1e-43L) : Real(1e-321L); }
  Real centre() const {
    Real total = 0;
    for (const double y : p_.targets) total += std::abs(Real(y));
    return total / Real(p_.samples);
  }
  const Real* row(const InteractionPoint& at, Index k, Index j) const {
    return &at.w[(std::size_t(k) * p_.features + j) * row_];
  }
  Real score(const InteractionPoint& at, Index i, Index k) const {
    Real z = at.b[k];
    for (Index j = 0; j < p_.features; ++j) {
      const Real* w = row(at, k, j);
      z += p_.x(i, j) * w[p_.features];
      for (Index l = 0; l < p_.features; ++l) z += p_.x(i, j) * p_.x(i, l) * w[l];
    }
    return z;
  }
  Real magnitude(const InteractionPoint& at, Index i, Index k) const {
    Real z = std::abs(at.b[k]);
    for (Index j = 0; j < p_.features; ++j) {
      const Real* w = row(at, k, j);
      z += std::abs(p_.x(i, j) * w[p_.features]);
      for (Index l = 0; l < p_.features; ++l) z += std::abs(p_.x(i, j) * p_.x(i, l) * w[l]);
    }
    return z;
  }
  /// Mean loss, residuals and violations larger (sign 1) or smaller by what rounding of scores may do.
  Real loss(const InteractionPoint& at, int sign) const {
    Real total = 0;
    const auto off = [&](Index i, Index k) {
      const Real more = p_.regression ? std::abs(Real(p_.targets[i])) + centre() : Real(1);
      return Real(sign) * Real(4 * row_ + 16) * unit_ * (magnitude(at, i, k) + more);
    };
    for (Index i = 0; i < p_.samples; ++i) {
      if (p_.regression) {
        const Real r = std::max(std::abs(Real(p_.targets[i]) - score(at, i, 0)) + off(i, 0), Real(0));
        total += r * r / 2;
        continue;
      }
      const Index y = p_.labels[i];
      for (Index k = 0; k < p_.classes; ++k) {
        if (k == y) continue;
        const Real v = std::max(1 + score(at, i, k) - score(at, i, y) + off(i, k) + off(i, y), Real(0));
        total += v * v;
      }
    }
    return total / Real(p_.samples);
  }
  /// Σ_k of the sizes of the loss's slopes.
  Real gradient(const InteractionPoint& at, Index i) const {
    if (p_.regression) return std::abs(Real(p_.targets[i]) - score(at, i, 0));
    Real total = 0;
    for (Index k = 0; k < p_.classes; ++k)
      if (k != p_.labels[i]) total += 4 * std::max(1 + score(at, i, k) - score(at, i, p_.labels[i]), Real(0));
    return total;
  }
  Real penalty(const InteractionPoint& at) const {
    Real total = 0;
    for (Index k = 0; k < p_.classes; ++k)
      for (Index j = 0; j < p_.features; ++j) {
        const Real* w = row(at, k, j);
        Real one = 0, top = 0, two = w[p_.features] * w[p_.features];
        for (Index l = 0; l < p_.features; ++l) {
          one += std::abs(w[l]);
          top = std::max(top, std::abs(w[l]));
          two += w[l] * w[l];
        }
        const Real main = std::abs(w[p_.features]);
        if (p_.norm == HierarchyNorm::ridge) {
          const Real products = p_.hierarchy == Hierarchy::main ? Real(0) : two - main * main;
          total += (Real(p_.lambda) * main * main + Real(p_.lambda2) * products) / 2;
          continue;
        }
        const bool tied = p_.hierarchy == Hierarchy::weak || p_.hierarchy == Hierarchy::strong;
        Real first = main;
        if (tied && p_.norm == HierarchyNorm::l2) first = std::sqrt(two);
        else if (tied) first = std::max(main, p_.norm == HierarchyNorm::l1 ? one : top);
        total += Real(p_.lambda) * first + (p_.hierarchy == Hierarchy::main ? Real(0) : Real(p_.lambda2) * one);
      }
    return total;
  }

  const InteractionProblem& p_;
  Real unit_;
  std::size_t row_;
};

struct InteractionOutcome {
  Status status = Status::running;
  Real objective = 0, dual = 0, gap = 0, relative = 0;
  std::uint32_t iterations = 0;
  bool intact = false;
  InteractionPoint model;
};

template <class T>
InteractionOutcome run_interactions(const InteractionProblem& p, double tolerance, std::uint32_t iterations) {
  const std::vector<T> values(p.values.begin(), p.values.end()), numbers(p.targets.begin(), p.targets.end());
  InteractionTargets<T> targets;
  targets.classes = p.classes;
  if (p.regression) targets.values = numbers.data();
  else targets.labels = p.labels;
  Options<T> options;
  options.lambda = T(p.lambda);
  options.tolerance = T(tolerance);
  options.max_iterations = iterations;
  options.intercept = p.intercept;
  InteractionAdmm<T> solver(DenseDesign<T>(values.data(), p.samples, p.features), targets, p.hierarchy, p.norm,
                            T(p.lambda2), options);
  testing::GuardedMemory memory(InteractionAdmm<T>::requirement({p.samples, p.features, p.classes}).bytes);
  for (bool running = solver.start(memory.span()); running;) running = solver.step();
  const Report<T>& r = solver.report();
  InteractionOutcome out{r.status,
                         Real(r.objective),
                         Real(r.dual_objective),
                         Real(r.gap),
                         Real(r.relative_gap),
                         r.iterations,
                         memory.surroundings_intact(),
                         {}};
  if (!has_model(r.status)) return out;
  const auto model = solver.model();
  for (Index k = 0; k < p.classes; ++k)
    for (Index j = 0; j < p.features; ++j)
      for (Index l = 0; l <= p.features; ++l) out.model.w.push_back(Real(model.row(k, j)[l]));
  for (Index k = 0; k < p.classes; ++k) out.model.b.push_back(Real(model.intercept(k)));
  return out;
}

/// A lower point by moves of single coefficients and intercepts, each by steps that grow and shrink; of a symmetric
/// problem both coefficients of a product move.
void walk(const InteractionProblem& p, const InteractionTruth& truth, InteractionPoint& at, Real& value) {
  const std::size_t row = p.features + 1;
  std::vector<Real> step(at.w.size() + at.b.size());
  Real size = 0;
  for (Index j = 0; j < p.features; ++j)
    for (Index i = 0; i < p.samples; ++i) size = std::max(size, std::abs(p.x(i, j)));
  for (std::size_t e = 0; e < step.size(); ++e) {
    const Real w = e < at.w.size() ? at.w[e] : at.b[e - at.w.size()];
    step[e] = std::max(std::abs(w) / 16, 1 / (1000 * (size + Real(1e-300L))));
  }
  for (int round = 0; round < 6; ++round)
    for (std::size_t e = 0; e < step.size(); ++e) {
      const bool intercept = e >= at.w.size();
      if (intercept && !p.intercept) continue;
      const std::size_t k = e / (row * p.features), j = e / row % p.features, l = e % row;
      const std::size_t twin = (k * p.features + l) * row + j;
      const bool both = !intercept && p.hierarchy == Hierarchy::strong && l < p.features && twin != e;
      if (!intercept && p.hierarchy == Hierarchy::main && l < p.features) continue;
      for (const Real sign : {Real(1), Real(-1)}) {
        InteractionPoint next = at;
        (intercept ? next.b[e - at.w.size()] : next.w[e]) += sign * step[e];
        if (both) next.w[twin] = next.w[e];
        const Real there = truth.objective(next);
        if (there < value) {
          at = next;
          value = there;
          step[e] *= 2;
          break;
        }
        if (sign < 0) step[e] /= 8;
      }
    }
}

}  // namespace

void examine_interactions(std::uint64_t seed, Findings& out) {
  const InteractionProblem p = make_interactions(seed);
  const InteractionTruth truth(p);
  const InteractionOutcome o = p.single ? run_interactions<float>(p, p.tolerance, p.max_iterations)
                                        : run_interactions<double>(p, p.tolerance, p.max_iterations);
  ++out.cases;
  const auto find = [&](const char* rule, Real says, Real is, Real off) {
    char text[500];
    std::snprintf(text, sizeof text,
                  "FALSE interactions %s (%s: says %.12Lg, is %.12Lg, rounding %.3Lg) %s %s %s %s n=%u p=%u K=%u%s "
                  "lambda=%.4g, %.4g tolerance %.2g iterations %u%s\n  verifier --interactions %llu",
                  rule, name(o.status), says, is, off, p.single ? "float" : "double",
                  p.regression ? "regression" : "classes", name(p.hierarchy), name(p.norm), p.samples, p.features,
                  p.classes, p.intercept ? "" : " no-intercept", p.lambda, p.lambda2, p.tolerance, p.max_iterations,
                  p.benign ? " benign" : "", static_cast<unsigned long long>(seed));
    out.lines.push_back(text);
  };
  if (!o.intact) find("wrote beyond its arena", 0, 0, 0);
  if (o.iterations > p.max_iterations) find("iterations", o.iterations, p.max_iterations, 0);
  if (!has_model(o.status)) {
    ++out.refused;
    if (p.benign) find("refused for no reason", 0, 0, 0);
    return;
  }
  const auto finite = [](const InteractionPoint& at) {
    return std::all_of(at.w.begin(), at.w.end(), [](Real w) { return std::isfinite(w); }) &&
           std::all_of(at.b.begin(), at.b.end(), [](Real b) { return std::isfinite(b); });
  };
  judge_claims({o.status, o.objective, o.dual, o.gap, o.relative, Real(p.tolerance), p.single ? 0x1p-23L : 0x1p-52L,
                p.single ? 0x1p-149L : 0x1p-1074L},
               [&](const char* rule, Real says) { find(rule, says, 0, 0); });
  if (!std::isfinite(o.objective) || !std::isfinite(o.dual) || !std::isfinite(o.gap)) return;
  if (!finite(o.model)) return find("model not finite", o.objective, 0, 0);
  const Real value = truth.objective(o.model), off = truth.rounding(o.model);
  if (!(std::abs(value - o.objective) <= off)) find("objective", o.objective, value, off);
  InteractionPoint best = truth.zero();
  Real least = truth.objective(best);
  const auto offer = [&](const InteractionPoint& at) {
    if (at.w.empty() || !finite(at) || !(truth.objective(at) < least)) return;
    best = at;
    least = truth.objective(at);
  };
  offer(o.model);
  offer(run_interactions<double>(p, 1e-9, 4000).model);
  walk(p, truth, best, least);
  const Real dual_off = truth.dual_rounding(o.model, best);
  if (o.dual > least + dual_off) find("dual objective", o.dual, least, dual_off);
  if (o.status != Status::converged) return;
  ++out.converged;
  if (value - least > o.gap + off + dual_off) find("gap", o.gap, value - least, off + dual_off);
}

}  // namespace tamis::verifier
