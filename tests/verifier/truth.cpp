#include "truth.hpp"

#include <algorithm>
#include <cmath>

namespace tamis::verifier {

namespace {

Real positive(Real x) { return std::max(x, Real(0)); }
Real square(Real x) { return x * x; }

/// The threshold t with Σ (|vₑ| − t)₊ = radius, for ‖v‖₁ > radius ≥ 0.
Real ball_threshold(const Real* v, std::size_t count, Real radius) {
  std::vector<Real> sorted(count);
  for (std::size_t e = 0; e < count; ++e) sorted[e] = std::abs(v[e]);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  Real sum = 0, threshold = sorted[0];
  for (std::size_t e = 0; e < count; ++e) {
    sum += sorted[e];
    threshold = (sum - radius) / Real(e + 1);
    if (e + 1 == count || threshold >= sorted[e + 1]) break;
  }
  return positive(threshold);
}

}  // namespace

Truth::Truth(const Problem& problem, std::vector<Real> l1_weights)
    : p_(problem),
      share_(problem.samples),
      l1_weights_(std::move(l1_weights)),
      means_(problem.features),
      groups_(coefficient_groups(problem)),
      unit_(problem.epsilon_of_type()) {
  Real total = 0;
  for (Index i = 0; i < p_.samples; ++i) total += share_[i] = Real(p_.weight(i));
  for (Real& c : share_) c /= total;
  for (Index j = 0; j < p_.features && p_.intercept; ++j)
    for (Index i = 0; i < p_.samples; ++i) means_[j] += Real(p_.value(i, j)) / Real(p_.samples);
  for (const auto& group : groups_) most_ = std::max(most_, group.size());
}

Point Truth::zero() const {
  return {std::vector<Real>(std::size_t(p_.features) * p_.classes), std::vector<Real>(p_.classes)};
}

void Truth::scores(const Point& at, Index i, Real* z) const {
  for (Index k = 0; k < p_.classes; ++k) z[k] = at.b[k];
  for (Index j = 0; j < p_.features; ++j) {
    const Real x = Real(p_.value(i, j));
    if (x != 0)
      for (Index k = 0; k < p_.classes; ++k) z[k] += x * at.w[std::size_t(j) * p_.classes + k];
  }
}

/// ℓ with every violation μ + z_k − z_r larger (sign 1) or smaller (−1) by the slacks of both scores.
Real Truth::loss(Index i, const Real* z, const Real* slack, int sign) const {
  const Real margin = Real(p_.margin_of(i));
  const Index y = p_.labels[i], K = p_.classes;
  const auto shift = [&](Index k) { return sign == 0 ? Real(0) : Real(sign) * slack[k]; };
  const auto violation = [&](Index k, Index r) { return margin + z[k] - z[r] + shift(k) + shift(r); };
  Real total = 0;
  switch (p_.loss) {
    case LossKind::hinge:
      for (Index k = 0; k < K; ++k)
        if (k != y) total = std::max(total, violation(k, y));
      return total;
    case LossKind::squared_hinge:
      for (Index k = 0; k < K; ++k)
        if (k != y) total += square(positive(violation(k, y)));
      return total;
    case LossKind::one_vs_rest_squared_hinge:
      for (Index k = 0; k < K; ++k) total += square(positive(margin + (k == y ? -z[k] : z[k]) + shift(k)));
      return total;
    case LossKind::logistic: {
      Real top = 0;
      for (Index k = 0; k < K; ++k)
        if (k != y) top = std::max(top, violation(k, y));
      for (Index k = 0; k < K; ++k)
        if (k != y) total += std::exp(violation(k, y) - top);
      return top == 0 ? std::log1p(total) : top + std::log(std::exp(-top) + total);
    }
    case LossKind::ranking_squared_hinge:
      for (const Label r : p_.sets[i]) {
        std::size_t next = 0;
        for (Index k = 0; k < K; ++k) {
          while (next < p_.sets[i].size() && p_.sets[i][next] < k) ++next;
          if (next < p_.sets[i].size() && p_.sets[i][next] == k) continue;
          total += square(positive(violation(k, r)));
        }
      }
      return total;
  }
  return total;
}

void Truth::gradient(Index i, const Real* z, Real* u) const {
  const Real margin = Real(p_.margin_of(i));
  const Index y = p_.labels[i], K = p_.classes;
  for (Index k = 0; k < K; ++k) u[k] = 0;
  switch (p_.loss) {
    case LossKind::hinge: {
      Index top = y;
      Real level = z[y];
      for (Index k = 0; k < K; ++k)
        if (k != y && z[k] + margin > level) level = z[top = k] + margin;
      u[top] += 1;
      u[y] -= 1;
      return;
    }
    case LossKind::squared_hinge:
      for (Index k = 0; k < K; ++k)
        if (k != y) u[y] -= u[k] = 2 * positive(margin + z[k] - z[y]);
      return;
    case LossKind::one_vs_rest_squared_hinge:
      for (Index k = 0; k < K; ++k) u[k] = k == y ? -2 * positive(margin - z[k]) : 2 * positive(margin + z[k]);
      return;
    case LossKind::logistic: {
      Real top = z[y], total = 0;
      for (Index k = 0; k < K; ++k) top = std::max(top, z[k] + (k == y ? Real(0) : margin));
      for (Index k = 0; k < K; ++k) total += u[k] = std::exp(z[k] + (k == y ? Real(0) : margin) - top);
      Real others = 0;
      for (Index k = 0; k < K; ++k)
        if (k != y) others += u[k] /= total;
      u[y] = -others;
      return;
    }
    case LossKind::ranking_squared_hinge:
      for (const Label r : p_.sets[i])
        for (Index k = 0; k < K; ++k) {
          if (std::find(p_.sets[i].begin(), p_.sets[i].end(), k) != p_.sets[i].end()) continue;
          const Real v = 2 * positive(margin + z[k] - z[r]);
          u[k] += v;
          u[r] -= v;
        }
      return;
  }
}

Real Truth::curvature() const {
  switch (p_.loss) {
    case LossKind::logistic: return Real(0.5);
    case LossKind::one_vs_rest_squared_hinge: return 2;
    default: return 2 * Real(p_.classes);
  }
}

Real Truth::mean_loss(const Point& at, int sign) const {
  std::vector<Real> z(p_.classes), a(p_.classes);
  Real total = 0;
  for (Index i = 0; i < p_.samples; ++i) {
    if (!(share_[i] > 0)) continue;
    scores(at, i, z.data());
    if (sign != 0) {
      magnitudes(at, i, false, a.data());
      const Real margin = Real(p_.margin_of(i));
      for (Index k = 0; k < p_.classes; ++k)
        a[k] = Real(p_.features + 8) * unit_ * a[k] + 2 * unit_ * (std::abs(z[k]) + margin) +
               Real(p_.features + 8) * p_.least_of_type();
    }
    total += share_[i] * loss(i, z.data(), a.data(), sign);
  }
  return total;
}

Real Truth::penalty_of(const std::vector<std::size_t>& group, const Real* w) const {
  Real one = 0, two = 0, top = 0, weighted = 0;
  for (const std::size_t e : group) {
    const Real size = std::abs(w[e]);
    one += size;
    two += size * size;
    top = std::max(top, size);
    weighted += l1_weights_.empty() ? size : l1_weights_[e] * size;
  }
  const Real ratio = Real(p_.l1_ratio);
  switch (p_.penalty) {
    case PenaltyKind::ridge: return two / 2;
    case PenaltyKind::l1: return one;
    case PenaltyKind::group_l2: return std::sqrt(two);
    case PenaltyKind::group_linf: return top;
    case PenaltyKind::elastic_net: return ratio * one + (1 - ratio) * two / 2;
    case PenaltyKind::sparse_group: return ratio * one + (1 - ratio) * std::sqrt(two);
    case PenaltyKind::reweighted_l1: return weighted;
  }
  return 0;
}

void Truth::prox(const std::vector<std::size_t>& group, Real* v, Real step) const {
  const std::size_t count = group.size();
  const Real ratio = Real(p_.l1_ratio);
  const auto soft = [&](std::size_t e, Real t) { v[e] = std::copysign(positive(std::abs(v[e]) - t), v[e]); };
  const auto shrink = [&](Real t) {
    Real two = 0;
    for (std::size_t e = 0; e < count; ++e) two += v[e] * v[e];
    const Real norm = std::sqrt(two), factor = norm > t ? 1 - t / norm : Real(0);
    for (std::size_t e = 0; e < count; ++e) v[e] *= factor;
  };
  switch (p_.penalty) {
    case PenaltyKind::ridge:
      for (std::size_t e = 0; e < count; ++e) v[e] /= 1 + step;
      return;
    case PenaltyKind::l1:
      for (std::size_t e = 0; e < count; ++e) soft(e, step);
      return;
    case PenaltyKind::reweighted_l1:
      for (std::size_t e = 0; e < count; ++e) soft(e, l1_weights_.empty() ? step : step * l1_weights_[group[e]]);
      return;
    case PenaltyKind::group_l2: return shrink(step);
    case PenaltyKind::elastic_net:
      for (std::size_t e = 0; e < count; ++e) {
        soft(e, step * ratio);
        v[e] /= 1 + step * (1 - ratio);
      }
      return;
    case PenaltyKind::sparse_group:
      for (std::size_t e = 0; e < count; ++e) soft(e, step * ratio);
      return shrink(step * (1 - ratio));
    case PenaltyKind::group_linf: {
      Real one = 0;
      for (std::size_t e = 0; e < count; ++e) one += std::abs(v[e]);
      if (one <= step) return std::fill(v, v + count, Real(0));
      const Real level = ball_threshold(v, count, step);
      for (std::size_t e = 0; e < count; ++e) v[e] = std::clamp(v[e], -level, level);
      return;
    }
  }
}

Real Truth::penalty(const Point& at) const {
  Real total = 0;
  for (const auto& group : groups_) total += penalty_of(group, at.w.data());
  return total;
}

Real Truth::objective(const Point& at) const {
  return p_.constrained() ? penalty(at) : mean_loss(at) + Real(p_.lambda) * penalty(at);
}

/// a_k = Σ_j |x_ij| |w_jk| + |b_k|, with the means of the columns beside |x_ij| on demand.
void Truth::magnitudes(const Point& at, Index i, bool with_means, Real* a) const {
  for (Index k = 0; k < p_.classes; ++k) a[k] = std::abs(at.b[k]);
  for (Index j = 0; j < p_.features; ++j) {
    const Real x = std::abs(Real(p_.value(i, j))) + (with_means ? std::abs(means_[j]) : Real(0));
    if (x != 0)
      for (Index k = 0; k < p_.classes; ++k) a[k] += x * std::abs(at.w[std::size_t(j) * p_.classes + k]);
  }
}

Real Truth::loss_rounding(const Point& at) const {
  const Real value = mean_loss(at), high = mean_loss(at, 1), low = mean_loss(at, -1);
  const Real of_logarithms = p_.loss == LossKind::logistic ? Real(p_.classes + 8) * unit_ : Real(0);
  const std::size_t terms =
      p_.loss == LossKind::ranking_squared_hinge ? std::size_t(p_.classes) * p_.classes : p_.classes;
  return std::max(high - value, value - low) + Real(terms + 16) * unit_ * high + of_logarithms +
         16 * p_.least_of_type();
}

Real Truth::penalty_rounding(const Point& at) const {
  Real entries = 0;
  if (p_.penalty == PenaltyKind::ridge || p_.penalty == PenaltyKind::elastic_net)
    entries = Real(at.w.size()) * p_.least_of_type();
  return Real(most_ + 16) * unit_ * penalty(at) + entries;
}

Real Truth::rounding(const Point& at) const {
  if (p_.constrained()) return penalty_rounding(at);
  return loss_rounding(at) + Real(p_.lambda) * penalty_rounding(at) + 16 * p_.least_of_type();
}

Real Truth::dual_rounding(const Point& returned, const Point& other) const {
  const Index K = p_.classes;
  std::vector<Real> z(K), u(K), a(K);
  const Point none = zero();
  Real total = 0, underflow = 0;
  for (Index i = 0; i < p_.samples; ++i) {
    if (!(share_[i] > 0)) continue;
    Real dual = 0;
    for (const Point* at : {&returned, &other, &none}) {
      scores(*at, i, z.data());
      gradient(i, z.data(), u.data());
      Real sum = 0;
      for (const Real entry : u) sum += std::abs(entry);
      dual = std::max(dual, sum);
    }
    if (p_.loss == LossKind::hinge || p_.loss == LossKind::logistic) dual = 1;  // all duals are within c(Δ − e_y)
    magnitudes(other, i, p_.intercept, a.data());
    total += share_[i] * 2 * dual * *std::max_element(a.begin(), a.end());
  }
  for (const Real w : other.w) underflow += std::abs(w);
  const Real terms = Real(p_.samples + K + 32);
  const Real value = mean_loss(other) + Real(p_.lambda) * penalty(other);
  const Real of_entropy = p_.loss == LossKind::logistic ? Real(K + 8) * unit_ : Real(0);
  return terms * unit_ * total + (terms + Real(most_)) * unit_ * value + of_entropy +
         terms * p_.least_of_type() * (underflow + 1);
}

}  // namespace tamis::verifier
