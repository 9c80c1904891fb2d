#include "witness.hpp"

#include <algorithm>
#include <cmath>

namespace tamis::verifier {

namespace {

/// Columns less their weighted means where there are intercepts, so that coefficients and intercepts hardly couple;
/// features and the samples of positive weight only.
class Centred {
 public:
  Centred(const Truth& of, Real weight) : truth(of), p(of.problem()), lambda(weight), K(p.classes) {
    means.resize(p.features);
    x.resize(std::size_t(p.samples) * p.features);
    size.resize(p.features);
    for (Index j = 0; j < p.features; ++j) {
      if (p.intercept)
        for (Index i = 0; i < p.samples; ++i) means[j] += truth.share(i) * Real(p.value(i, j));
      for (Index i = 0; i < p.samples; ++i) {
        const Real entry = Real(p.value(i, j)) - means[j];
        x[i + std::size_t(j) * p.samples] = entry;
        size[j] += truth.share(i) * entry * entry;
      }
    }
  }

  Point centred(Point at) const {
    for (Index j = 0; j < p.features; ++j)
      for (std::size_t k = 0; k < K; ++k) at.b[k] += means[j] * at.w[j * K + k];
    return at;
  }
  Point original(Point at) const {
    for (Index j = 0; j < p.features; ++j)
      for (std::size_t k = 0; k < K; ++k) at.b[k] -= means[j] * at.w[j * K + k];
    return at;
  }
  void scores(const Point& at, std::vector<Real>& z) const {
    z.resize(p.samples * K);
    for (Index i = 0; i < p.samples; ++i)
      for (std::size_t k = 0; k < K; ++k) z[i * K + k] = at.b[k];
    for (Index j = 0; j < p.features; ++j) {
      bool any = false;
      for (std::size_t k = 0; k < K; ++k) any = any || at.w[j * K + k] != 0;
      if (any)
        for (Index i = 0; i < p.samples; ++i)
          for (std::size_t k = 0; k < K; ++k) z[i * K + k] += x[i + std::size_t(j) * p.samples] * at.w[j * K + k];
    }
  }
  Real loss(const std::vector<Real>& z) const {
    Real total = 0;
    for (Index i = 0; i < p.samples; ++i)
      if (truth.share(i) > 0) total += truth.share(i) * truth.loss(i, &z[i * K]);
    return total;
  }
  Real objective(const Point& at, const std::vector<Real>& z) const { return loss(z) + lambda * truth.penalty(at); }

  const Truth& truth;
  const Problem& p;
  Real lambda;
  std::size_t K;
  std::vector<Real> means, x, size;  ///< size: Σ cᵢ xᵢⱼ²
};

// ---- smooth losses

/// Proximal steps over one group after the other, scores kept in place.
class GroupDescent {
 public:
  GroupDescent(const Centred& centred, Point from) : c_(centred), at_(centred.centred(std::move(from))) {
    c_.scores(at_, z_);
    loss_ = c_.loss(z_);
    for (const auto& group : c_.truth.groups()) {
      Real size = 0;  // every class of a feature counts once at least
      for (const std::size_t e : group) size += c_.size[e / c_.K];
      steep_.push_back(c_.truth.curvature() * size);
    }
    steep_.push_back(c_.truth.curvature());
    first_ = steep_;
  }

  void run(Effort effort) {
    for (int pass = 0; pass < effort.passes; ++pass) {
      const Real before = loss_ + c_.lambda * c_.truth.penalty(at_);
      if (c_.p.intercept) move(steep_.size() - 1);
      if (!effort.intercepts_only)
        for (std::size_t g = 0; g + 1 < steep_.size(); ++g) move(g);
      const Real after = loss_ + c_.lambda * c_.truth.penalty(at_);
      if (!(after < before - Real(1e-17L) * std::abs(before))) break;
    }
  }
  Point end() const { return c_.original(at_); }

 private:
  /// One step on a group, or on the intercepts (the last number); as long as a quadratic model allows it.
  void move(std::size_t g) {
    const bool intercepts = g + 1 == steep_.size();
    if (!(first_[g] > 0)) return;
    static const std::vector<std::size_t> none;
    const auto& group = intercepts ? none : c_.truth.groups()[g];
    const std::size_t count = intercepts ? c_.K : group.size();
    std::vector<Real> gradient(count), from(count), to(count), u(c_.K), z;
    for (std::size_t e = 0; e < count; ++e) from[e] = intercepts ? at_.b[e] : at_.w[group[e]];
    for (Index i = 0; i < c_.p.samples; ++i) {
      if (!(c_.truth.share(i) > 0)) continue;
      c_.truth.gradient(i, &z_[i * c_.K], u.data());
      for (std::size_t e = 0; e < count; ++e)
        gradient[e] += c_.truth.share(i) * entry(i, intercepts, group, e) * u[intercepts ? e : group[e] % c_.K];
    }
    steep_[g] = std::max(steep_[g] / 2, first_[g] * Real(1e-6L));
    for (;; steep_[g] *= 2) {
      const Real L = steep_[g];
      for (std::size_t e = 0; e < count; ++e) to[e] = from[e] - gradient[e] / L;
      if (!intercepts) c_.truth.prox(group, to.data(), c_.lambda / L);
      Real model = loss_, distance = 0;
      for (std::size_t e = 0; e < count; ++e) {
        model += gradient[e] * (to[e] - from[e]);
        distance += (to[e] - from[e]) * (to[e] - from[e]);
      }
      if (!(distance > 0)) return;
      z = z_;
      for (Index i = 0; i < c_.p.samples; ++i)
        for (std::size_t e = 0; e < count; ++e)
          z[i * c_.K + (intercepts ? e : group[e] % c_.K)] += entry(i, intercepts, group, e) * (to[e] - from[e]);
      const Real loss = c_.loss(z);
      if (loss <= model + L / 2 * distance + Real(1e-18L) * std::abs(loss_)) {
        loss_ = loss;
        z_.swap(z);
        for (std::size_t e = 0; e < count; ++e) (intercepts ? at_.b[e] : at_.w[group[e]]) = to[e];
        return;
      }
      if (!(L < first_[g] * 64)) return;
    }
  }
  Real entry(Index i, bool intercepts, const std::vector<std::size_t>& group, std::size_t e) const {
    return intercepts ? Real(1) : c_.x[i + group[e] / c_.K * c_.p.samples];
  }

  const Centred& c_;
  Point at_;
  std::vector<Real> z_, steep_, first_;
  Real loss_;
};

/// Accelerated proximal gradient steps on all coefficients at once, each group in units of its columns, with a step
/// that is searched for, restarted whenever the objective rises: for what descent over groups takes long for.
class Acceleration {
 public:
  Acceleration(const Centred& centred, Point from)
      : c_(centred), at_(centred.centred(std::move(from))), size_(at_.w.size() + c_.K) {
    for (const auto& group : c_.truth.groups()) {
      Real size = 0;
      for (const std::size_t e : group) size = std::max(size, c_.size[e / c_.K]);
      for (const std::size_t e : group) size_[e] = size;
    }
    for (std::size_t k = 0; k < c_.K; ++k) size_[at_.w.size() + k] = c_.p.intercept ? 1 : 0;
    steep_ = c_.truth.curvature();
  }

  void run(int passes) {
    std::vector<Real> x = at_.w, z;
    x.insert(x.end(), at_.b.begin(), at_.b.end());
    std::vector<Real> y = x, next;
    scores(x, z);
    Real value = c_.objective(at_, z), momentum = 1;
    for (int pass = 0; pass < passes; ++pass) {
      const Real reached = step(y, next);
      if (!(reached < value)) {  // from the best point without momentum, or the end
        if (y == x) break;
        y = x;
        momentum = 1;
        continue;
      }
      value = reached;
      const Real beta = momentum - 1;
      momentum = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
      for (std::size_t e = 0; e < x.size(); ++e) y[e] = next[e] + beta / momentum * (next[e] - x[e]);
      x = next;
    }
    take(x);
  }
  Point end() const { return c_.original(at_); }

 private:
  void take(const std::vector<Real>& x) {
    std::copy_n(x.begin(), at_.w.size(), at_.w.begin());
    std::copy(x.begin() + static_cast<std::ptrdiff_t>(at_.w.size()), x.end(), at_.b.begin());
  }
  void scores(const std::vector<Real>& x, std::vector<Real>& z) {
    take(x);
    c_.scores(at_, z);
  }

  /// next ← a proximal step from y; returns its objective.
  Real step(const std::vector<Real>& y, std::vector<Real>& next) {
    std::vector<Real> z, g(y.size()), u(c_.K), v;
    scores(y, z);
    const Real loss = c_.loss(z);
    const std::size_t intercepts = at_.w.size();
    for (Index i = 0; i < c_.p.samples; ++i) {
      if (!(c_.truth.share(i) > 0)) continue;
      c_.truth.gradient(i, &z[i * c_.K], u.data());
      for (std::size_t k = 0; k < c_.K; ++k) {
        u[k] *= c_.truth.share(i);
        g[intercepts + k] += u[k];
      }
      for (Index j = 0; j < c_.p.features; ++j)
        for (std::size_t k = 0; k < c_.K; ++k) g[j * c_.K + k] += c_.x[i + std::size_t(j) * c_.p.samples] * u[k];
    }
    for (steep_ /= Real(1.3L);; steep_ *= 2) {
      next = y;
      for (std::size_t e = 0; e < y.size(); ++e)
        if (size_[e] > 0) next[e] -= g[e] / (steep_ * size_[e]);
      for (const auto& group : c_.truth.groups()) {
        const Real size = size_[group[0]];
        if (!(size > 0)) continue;
        v.clear();
        for (const std::size_t e : group) v.push_back(next[e]);
        c_.truth.prox(group, v.data(), c_.lambda / (steep_ * size));
        for (std::size_t e = 0; e < group.size(); ++e) next[group[e]] = v[e];
      }
      Real model = loss, distance = 0;
      for (std::size_t e = 0; e < y.size(); ++e) {
        model += g[e] * (next[e] - y[e]);
        distance += size_[e] * (next[e] - y[e]) * (next[e] - y[e]);
      }
      scores(next, z);
      const Real there = c_.loss(z);
      if (there <= model + steep_ / 2 * distance + Real(1e-18L) * loss || !(steep_ < Real(1e9L)))
        return there + c_.lambda * c_.truth.penalty(at_);
    }
  }

  const Centred& c_;
  Point at_;
  std::vector<Real> size_;  ///< of the column of each coefficient, then 1 for intercepts
  Real steep_;
};

// ---- the hinge

/// v ← the nearest point of the unit simplex.
void project_simplex(Real* v, std::size_t count) {
  std::vector<Real> sorted(v, v + count);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  Real sum = 0, level = 0;
  for (std::size_t e = 0; e < count; ++e) {
    sum += sorted[e];
    level = (sum - 1) / Real(e + 1);
    if (e + 1 == count || level >= sorted[e + 1]) break;
  }
  for (std::size_t e = 0; e < count; ++e) v[e] = std::max(v[e] - level, Real(0));
}

/// Primal-dual iterations on min_w max_q Σ cᵢ⟨qᵢ − e_y, zᵢ + μ[k ≠ y]⟩ + λΩ(w), qᵢ in the simplex, with steps that make
/// every column of norm one (Pock and Chambolle, 2011): scales of features and of weights do not matter. Restarts at
/// averages, and balances both steps by how far either side has moved.
class PrimalDualSearch {
 public:
  PrimalDualSearch(const Centred& centred, Point from)
      : c_(centred), at_(centred.centred(std::move(from))), best_(at_), q_(c_.p.samples * c_.K) {
    c_.scores(at_, z_);
    least_ = c_.objective(at_, z_);
    std::vector<Real> u(c_.K);
    for (Index i = 0; i < c_.p.samples; ++i) {
      c_.truth.gradient(i, &z_[i * c_.K], &q_[i * c_.K]);
      q_[i * c_.K + c_.p.labels[i]] += 1;
      ratio_ = std::max(ratio_, Real(c_.p.margin_of(i)) * (c_.truth.share(i) > 0 ? 1 : 0));
    }
    if (!(ratio_ > 0)) ratio_ = 1;
  }

  void run(Effort effort) {
    int began = 0;  // a round ends when it is a third of all
    Point sum = c_.truth.zero(), from = at_;
    std::vector<Real> q_sum(q_.size()), q_from = q_, ahead = z_, z;
    for (int pass = 1; pass <= effort.passes; ++pass) {
      step_duals(ahead);
      const Point before = at_;
      step_primal(effort.intercepts_only);
      c_.scores(at_, z);
      for (std::size_t e = 0; e < z.size(); ++e) ahead[e] = 2 * z[e] - z_[e];
      z_.swap(z);
      for (std::size_t e = 0; e < at_.w.size(); ++e) sum.w[e] += at_.w[e];
      for (std::size_t k = 0; k < c_.K; ++k) sum.b[k] += at_.b[k];
      for (std::size_t e = 0; e < q_.size(); ++e) q_sum[e] += q_[e];
      if (pass % 10 == 0) offer(at_, z_);
      const int round = pass - began;
      if (round < 50 || round < pass / 3) continue;
      began = pass;
      for (Real& w : sum.w) w /= Real(round);
      for (Real& b : sum.b) b /= Real(round);
      c_.scores(sum, z);
      offer(sum, z);
      Real moved = 0, turned = 0;
      for (Index j = 0; j < c_.p.features; ++j)
        for (std::size_t k = 0; k < c_.K; ++k) {
          const Real d = at_.w[j * c_.K + k] - from.w[j * c_.K + k];
          moved += c_.size[j] * d * d;
        }
      for (std::size_t k = 0; k < c_.K; ++k) moved += (at_.b[k] - from.b[k]) * (at_.b[k] - from.b[k]);
      for (std::size_t e = 0; e < q_.size(); ++e)
        turned += c_.truth.share(static_cast<Index>(e / c_.K)) * (q_[e] - q_from[e]) * (q_[e] - q_from[e]);
      at_ = sum;
      for (std::size_t e = 0; e < q_.size(); ++e) q_[e] = q_sum[e] / Real(round);
      if (moved > 0 && turned > 0) ratio_ = std::sqrt(ratio_ * std::sqrt(moved / turned));
      from = at_;
      q_from = q_;
      c_.scores(at_, z_);
      ahead = z_;
      std::fill(sum.w.begin(), sum.w.end(), Real(0));
      std::fill(sum.b.begin(), sum.b.end(), Real(0));
      std::fill(q_sum.begin(), q_sum.end(), Real(0));
    }
  }
  Point end() const { return c_.original(best_); }

 private:
  void offer(const Point& at, const std::vector<Real>& z) {
    const Real value = c_.objective(at, z);
    if (!(value < least_)) return;
    least_ = value;
    best_ = at;
  }
  void step_duals(const std::vector<Real>& ahead) {
    const Real sigma = 1 / (ratio_ * Real(c_.p.features + 1));
    for (Index i = 0; i < c_.p.samples; ++i) {
      Real* q = &q_[i * c_.K];
      for (std::size_t k = 0; k < c_.K; ++k)
        q[k] += sigma * (ahead[i * c_.K + k] + (k == c_.p.labels[i] ? Real(0) : Real(c_.p.margin_of(i))));
      project_simplex(q, c_.K);
    }
  }
  void step_primal(bool intercepts_only) {
    std::vector<Real> g(at_.w.size()), v;
    const auto dual = [&](Index i, std::size_t k) {
      return c_.truth.share(i) * (q_[i * c_.K + k] - (k == c_.p.labels[i] ? 1 : 0));
    };
    if (!intercepts_only)
      for (Index j = 0; j < c_.p.features; ++j)
        for (Index i = 0; i < c_.p.samples; ++i)
          for (std::size_t k = 0; k < c_.K; ++k)
            g[j * c_.K + k] += c_.x[i + std::size_t(j) * c_.p.samples] * dual(i, k);
    if (c_.p.intercept)
      for (std::size_t k = 0; k < c_.K; ++k)
        for (Index i = 0; i < c_.p.samples; ++i) at_.b[k] -= ratio_ * dual(i, k);
    for (const auto& group : c_.truth.groups()) {
      Real size = 0;
      for (const std::size_t e : group) size = std::max(size, c_.size[e / c_.K]);
      if (!(size > 0) || intercepts_only) continue;
      v.clear();
      for (const std::size_t e : group) v.push_back(at_.w[e] - ratio_ / size * g[e]);
      c_.truth.prox(group, v.data(), ratio_ / size * c_.lambda);
      for (std::size_t e = 0; e < group.size(); ++e) at_.w[group[e]] = v[e];
    }
  }

  const Centred& c_;
  Point at_, best_;
  std::vector<Real> z_, q_;
  Real least_, ratio_ = 0;
};

}  // namespace

Point descend(const Truth& truth, const Point& from, Real lambda, Effort effort) {
  const Centred centred(truth, lambda);
  if (truth.problem().loss == LossKind::hinge) {
    PrimalDualSearch search(centred, from);
    search.run(effort);
    return search.end();
  }
  GroupDescent descent(centred, from);
  descent.run({.passes = effort.passes / 3, .intercepts_only = effort.intercepts_only});
  if (effort.intercepts_only) return descent.end();
  Acceleration acceleration(centred, descent.end());
  acceleration.run(effort.passes - effort.passes / 3);
  return acceleration.end();
}

bool make_feasible(const Truth& truth, Point& at) {
  const Real eta = Real(truth.problem().eta);
  const auto scaled = [&](Real s) {
    Point out = at;
    for (Real& w : out.w) w *= s;
    for (Real& b : out.b) b *= s;
    return out;
  };
  Real low = 0, high = 1;
  if (truth.mean_loss(truth.zero()) <= eta) {
    at = truth.zero();
    return true;
  }
  for (int doubling = 0; !(truth.mean_loss(scaled(high)) <= eta); ++doubling, low = high, high *= 2)
    if (doubling == 12) return false;
  for (int halving = 0; halving < 70; ++halving) {
    const Real middle = (low + high) / 2;
    (truth.mean_loss(scaled(middle)) <= eta ? high : low) = middle;
  }
  at = scaled(high);
  return true;
}

}  // namespace tamis::verifier
