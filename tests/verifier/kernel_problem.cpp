#include "kernel_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tamis::verifier {

namespace {

/// The values of one kernel among n samples, as large as 1.
std::vector<double> draw_kernel(Draw& draw, Index n) {
  std::vector<double> out(std::size_t(n) * n);
  const auto set = [&](auto value) {
    for (Index l = 0; l < n; ++l)
      for (Index i = 0; i < n; ++i) out[std::size_t(l) * n + i] = value(l, i);
  };
  const Index dimensions = 1 + draw.below(4);
  std::vector<double> x(std::size_t(n) * dimensions);
  for (double& entry : x) entry = draw.normal();
  if (n > 1 && draw.chance(0.2)) std::copy_n(x.begin(), dimensions, x.begin() + dimensions);  // a sample twice
  const auto product = [&](Index l, Index i) {
    double sum = 0;
    for (Index d = 0; d < dimensions; ++d) sum += x[l * dimensions + d] * x[i * dimensions + d];
    return sum;
  };
  const auto distance = [&](Index l, Index i) { return product(l, l) - 2 * product(l, i) + product(i, i); };
  switch (draw.below(10)) {
    case 0:
    case 1: set(product); break;
    case 2:
    case 3: set([&](Index l, Index i) { return std::exp(-distance(l, i) / dimensions); }); break;
    case 4: set([&](Index l, Index i) { return std::tanh(0.5 * product(l, i) - 0.5); }); break;
    case 5: set([&](Index l, Index i) { return -distance(l, i); }); break;
    case 6: set([&](Index l, Index i) { return l <= i ? draw.normal() : out[std::size_t(i) * n + l]; }); break;
    case 7: set([&](Index, Index) { return draw.normal(); }); break;  // nor symmetric
    case 8: set([&](Index l, Index i) { return l == i ? 1.0 : 0.0; }); break;
    default: set([&](Index, Index) { return 1.0; });
  }
  return out;
}

}  // namespace

std::string KernelProblem::describe() const {
  double least = 0, most = 0;
  for (const double value : values)
    if (const double size = std::abs(value); size > 0) {
      least = least > 0 ? std::min(least, size) : size;
      most = std::max(most, size);
    }
  char text[300];
  std::snprintf(
      text, sizeof text,
      "%s n=%u kernels=%u outputs=%u p=%d q=%d r=%d%s |k| %.2g…%.2g lambda=%.6g, %.6g tolerance %.2g iterations %u%s",
      single ? "float" : "double", samples, kernels, outputs, p, q, r, intercept ? "" : " no-intercept", least, most,
      lambda, next_lambda, tolerance, max_iterations, benign ? " benign" : "");
  return text;
}

KernelProblem make_kernel_problem(std::uint64_t seed) {
  Draw draw(seed);
  KernelProblem p;
  p.seed = seed;
  p.single = draw.chance(0.5);
  p.intercept = draw.chance(0.6);
  p.samples = draw.chance(0.1) ? 1 + draw.below(3) : 4 + draw.below(draw.chance(0.05) ? 40 : 12);
  p.kernels = 1 + draw.below(3);
  p.outputs = draw.chance(0.5) ? 1 : 2 + draw.below(3);
  p.p = 1 + int(draw.below(2));
  p.q = 1 + int(draw.below(2));
  p.r = 1 + int(draw.below(2));
  const Index classes = std::max(p.outputs, Index(2));
  p.benign = draw.chance(0.4) && p.samples >= classes;
  const auto rounded = [&](double x) { return p.single ? double(float(x)) : x; };
  const double reach = draw.chance(0.6) ? 6 : p.single ? 30 : 120;
  const double end = p.single ? 38 : 308;
  const double whole = p.benign            ? 1
                       : draw.chance(0.05) ? draw.magnitude(end - 4, end)
                       : draw.chance(0.05) ? draw.magnitude(-end - 4, 6 - end)
                                           : draw.magnitude(-reach, reach);
  for (Index t = 0; t < p.kernels; ++t) {
    double scale = whole * (p.benign || draw.chance(0.6) ? 1 : draw.magnitude(-4, 4));
    if (!p.benign && draw.chance(0.05)) scale = 0;
    const double offset = p.benign || draw.chance(0.8) ? 0 : draw.magnitude(0, 6);
    const double most = p.single ? 3e38 : 1e308;
    for (const double value : draw_kernel(draw, p.samples))
      p.values.push_back(rounded(std::clamp(scale * (value + offset), -most, most)));
  }
  const bool one_class = !p.benign && draw.chance(0.05);
  for (Index i = 0; i < p.samples; ++i)
    p.labels.push_back(one_class ? Label(0) : static_cast<Label>(i < classes ? i : draw.below(classes)));
  Real pull = 0;  // of the largest coefficient at zero
  for (std::size_t j = 0; j < p.features(); ++j) {
    Real sum = 0;
    for (Index i = 0; i < p.samples; ++i)
      sum += Real(p.values[j * p.samples + i]) * (p.labels[i] == 0 ? Real(1) : Real(-1));
    pull = std::max(pull, 2 * std::abs(sum) / Real(p.samples));
  }
  if (!(pull > 0)) pull = 1;
  const Real largest = p.single ? 1e37L : 1e307L, smallest = p.single ? 1e-37L : 1e-300L;
  const auto draw_lambda = [&] {
    const Real at = p.q == 1 ? pull * Real(draw.magnitude(-4, 0.7)) : pull * pull * Real(draw.magnitude(-5, 1.5));
    return rounded(double(std::clamp(at, smallest, largest)));
  };
  p.lambda = draw_lambda();
  p.next_lambda = draw_lambda();
  p.tolerance = rounded(draw.magnitude(-6, -2));
  p.max_iterations = static_cast<std::uint32_t>(draw.magnitude(1.3, 3));
  return p;
}

KernelTruth::KernelTruth(const KernelProblem& problem, double lambda)
    : p_(problem), lambda_(lambda), unit_(problem.epsilon_of_type()), least_(64 * problem.least_of_type()) {
  if (p_.p == p_.q) return;
  groups_.resize(p_.r == 1 ? p_.samples : p_.kernels);
  for (std::size_t j = 0; j < p_.features(); ++j)
    for (Index k = 0; k < p_.outputs; ++k)
      groups_[p_.r == 1 ? j % p_.samples : j / p_.samples].push_back(j * p_.outputs + k);
}

KernelPoint KernelTruth::zero() const {
  return {std::vector<Real>(p_.features() * p_.outputs), std::vector<Real>(p_.outputs)};
}

KernelTruth::Scores KernelTruth::scores(const KernelPoint& at, bool magnitudes) const {
  Scores z(std::size_t(p_.samples) * p_.outputs);
  const auto size = [&](Real x) { return magnitudes ? std::abs(x) : x; };
  for (Index i = 0; i < p_.samples; ++i)
    for (Index k = 0; k < p_.outputs; ++k) {
      Real& sum = z[std::size_t(i) * p_.outputs + k] = size(at.b[k]);
      for (std::size_t j = 0; j < p_.features(); ++j)
        sum += size(Real(p_.values[j * p_.samples + i]) * at.w[j * p_.outputs + k]);
    }
  return z;
}

Real KernelTruth::loss(const Scores& z, const Scores* sizes, int sign) const {
  Real total = 0;
  const auto off = [&](std::size_t e) {
    if (!sizes) return Real(0);
    return Real(sign) * unit_ * (Real(p_.features() + 8) * (*sizes)[e] + 2 * (std::abs(z[e]) + 1));
  };
  for (Index i = 0; i < p_.samples; ++i) {
    const std::size_t first = std::size_t(i) * p_.outputs, own = first + p_.labels[i];
    if (p_.outputs == 1) {
      const Real v = std::max(1 - sign_of(i) * z[first] + off(first), Real(0));
      total += v * v;
      continue;
    }
    for (std::size_t e = first; e < first + p_.outputs; ++e) {
      if (e == own) continue;
      const Real v = std::max(1 + z[e] - z[own] + off(e) + off(own), Real(0));
      total += v * v;
    }
  }
  return total / Real(p_.samples);
}

Real KernelTruth::penalty(const std::vector<Real>& w) const {
  Real total = 0;
  if (p_.p == p_.q)
    for (const Real entry : w) total += p_.p == 1 ? std::abs(entry) : entry * entry;
  for (const auto& group : groups_) {
    Real inside = 0;
    for (const std::size_t e : group) inside += p_.p == 1 ? std::abs(w[e]) : w[e] * w[e];
    total += p_.p == 1 ? inside * inside : std::sqrt(inside);
  }
  return lambda_ / Real(p_.q) * total;
}

Real KernelTruth::objective(const KernelPoint& at) const { return loss(scores(at)) + penalty(at.w); }

Real KernelTruth::rounding(const KernelPoint& at) const {
  const Scores z = scores(at), sizes = scores(at, true);
  const Real value = loss(z), high = loss(z, &sizes, 1);
  return std::max(high - value, value - loss(z, &sizes, -1)) + Real(p_.outputs + 16) * unit_ * high +
         Real(2 * p_.features() * p_.outputs + 16) * unit_ * penalty(at.w) + least_ +
         (p_.q == 2 ? lambda_ * Real(p_.features() * p_.outputs) * p_.least_of_type() : Real(0));  // squares underflow
}

Real KernelTruth::dual_rounding(const KernelPoint& returned, const KernelPoint& other) const {
  const Scores sizes = scores(other, true);
  std::vector<Scores> duals;
  for (const KernelPoint& at : {returned, other, zero()}) duals.push_back(slopes(scores(at)));
  Real total = 0;
  for (Index i = 0; i < p_.samples; ++i) {
    Real dual = 0, top = 0;
    for (const Scores& u : duals) {
      Real sum = 0;
      for (Index k = 0; k < p_.outputs; ++k) sum += std::abs(u[std::size_t(i) * p_.outputs + k]);
      dual = std::max(dual, sum);
    }
    for (Index k = 0; k < p_.outputs; ++k) top = std::max(top, sizes[std::size_t(i) * p_.outputs + k]);
    total += 2 * dual * top;
  }
  return Real(p_.samples + p_.features() * p_.outputs + 32) * unit_ * (total + objective(other)) + least_;
}

Real KernelTruth::null_objective() const {
  KernelPoint at = zero();
  if (p_.intercept && p_.outputs > 1) return HUGE_VALL;
  for (Index i = 0; p_.intercept && i < p_.samples; ++i) at.b[0] += sign_of(i) / Real(p_.samples);
  return objective(at);
}

KernelTruth::Scores KernelTruth::slopes(const Scores& z) const {
  Scores u(z.size());
  for (Index i = 0; i < p_.samples; ++i) {
    const std::size_t first = std::size_t(i) * p_.outputs, own = first + p_.labels[i];
    if (p_.outputs == 1) {
      u[first] = -2 * sign_of(i) * std::max(1 - sign_of(i) * z[first], Real(0)) / Real(p_.samples);
      continue;
    }
    for (std::size_t e = first; e < first + p_.outputs; ++e) {
      if (e == own) continue;
      u[e] = 2 * std::max(1 + z[e] - z[own], Real(0)) / Real(p_.samples);
      u[own] -= u[e];
    }
  }
  return u;
}

void KernelTruth::prox(std::vector<Real>& w, Real step) const {
  const Real mu = step * lambda_;
  const auto soften = [](Real& entry, Real by) {
    entry = entry > by ? entry - by : entry < -by ? entry + by : Real(0);
  };
  if (p_.p == p_.q)
    for (Real& entry : w) {
      if (p_.p == 1) soften(entry, mu);
      else entry /= 1 + mu;
    }
  for (const auto& group : groups_) {
    if (p_.p == 2) {
      Real square = 0;
      for (const std::size_t e : group) square += w[e] * w[e];
      const Real norm = std::sqrt(square), scale = norm > mu ? 1 - mu / norm : Real(0);
      for (const std::size_t e : group) w[e] *= scale;
      continue;
    }
    std::vector<Real> sizes;
    for (const std::size_t e : group) sizes.push_back(std::abs(w[e]));
    std::sort(sizes.rbegin(), sizes.rend());
    Real sum = 0, threshold = 0;  // ξ = μ Σ (|w| − ξ)₊ over the largest entries, as many as are above it
    for (std::size_t m = 0; m < sizes.size(); ++m) {
      sum += sizes[m];
      const Real next = mu * sum / (1 + mu * Real(m + 1));
      if (!(sizes[m] > next)) break;
      threshold = next;
    }
    for (const std::size_t e : group) soften(w[e], threshold);
  }
}

KernelPoint KernelTruth::descend(const KernelPoint& from, int passes) const {
  KernelPoint best = from, x = from, y = from;
  Real least = objective(from), length = 0, momentum = 1;
  for (const double value : p_.values) length += Real(value) * Real(value);
  length = 2 * Real(p_.outputs) * length / Real(p_.samples);  // more than the curvature of the loss
  if (!(length > 0)) return best;
  const Real b_length = 2 * Real(p_.outputs);
  for (int pass = 0; pass < passes; ++pass) {
    const Scores z = scores(y), u = slopes(z);
    std::vector<Real> g(y.w.size()), g_b(y.b.size());
    for (Index i = 0; i < p_.samples; ++i)
      for (Index k = 0; k < p_.outputs; ++k) {
        const Real dual = u[std::size_t(i) * p_.outputs + k];
        if (p_.intercept) g_b[k] += dual;
        if (dual != 0)
          for (std::size_t j = 0; j < p_.features(); ++j)
            g[j * p_.outputs + k] += Real(p_.values[j * p_.samples + i]) * dual;
      }
    const Real at_y = loss(z);
    KernelPoint next = y;
    length *= 0.7L;
    for (int tries = 0; tries < 60; ++tries) {
      next = y;
      for (std::size_t e = 0; e < g.size(); ++e) next.w[e] -= g[e] / length;
      prox(next.w, 1 / length);
      Real model = at_y;
      for (Index k = 0; k < p_.outputs; ++k) {
        next.b[k] -= g_b[k] / b_length;
        const Real way = next.b[k] - y.b[k];
        model += way * (g_b[k] + b_length * way / 2);
      }
      for (std::size_t e = 0; e < g.size(); ++e) {
        const Real way = next.w[e] - y.w[e];
        model += way * (g[e] + length * way / 2);
      }
      if (loss(scores(next)) <= model * (1 + 1e-15L)) break;
      length *= 2;
    }
    const Real value = objective(next);
    const bool falls = value < least;
    if (falls) {
      best = next;
      least = value;
    }
    const Real grown = falls ? (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2 : Real(1);
    const Real beta = falls ? (momentum - 1) / grown : Real(0);
    momentum = grown;
    for (std::size_t e = 0; e < g.size(); ++e) y.w[e] = next.w[e] + beta * (next.w[e] - x.w[e]);
    for (Index k = 0; k < p_.outputs; ++k) y.b[k] = next.b[k] + beta * (next.b[k] - x.b[k]);
    x = next;
  }
  walk(best);
  return best;
}

void KernelTruth::walk(KernelPoint& at) const {
  Scores z = scores(at);
  Real value = loss(z) + penalty(at.w);
  for (int round = 0; round < 4; ++round)
    for (std::size_t e = 0; e < at.w.size() + at.b.size(); ++e) {
      const bool is_b = e >= at.w.size();
      if (is_b && !p_.intercept) continue;
      const std::size_t j = e / p_.outputs, k = is_b ? e - at.w.size() : e % p_.outputs;
      const auto entry = [&](Index i) { return is_b ? Real(1) : Real(p_.values[j * p_.samples + i]); };
      Real top = 0;
      for (Index i = 0; i < p_.samples; ++i) top = std::max(top, std::abs(entry(i)));
      Real& w = is_b ? at.b[k] : at.w[e];
      if (!(top > 0)) continue;
      for (Real step = std::max(std::abs(w) / 4, Real(0.1L) / top); step > 1e-7L / top; step /= 16)
        for (const Real way : {step, -step}) {
          const Real old = w;
          Scores there = z;
          w = old + way;
          for (Index i = 0; i < p_.samples; ++i) there[std::size_t(i) * p_.outputs + k] += way * entry(i);
          const Real now = loss(there) + penalty(at.w);
          if (now < value) {
            value = now;
            z = there;
          } else {
            w = old;
          }
        }
    }
}

}  // namespace tamis::verifier
