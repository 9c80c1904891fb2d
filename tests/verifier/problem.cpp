#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tamis/any.hpp"

namespace tamis::verifier {

double Draw::magnitude(double low, double high) { return std::pow(10, uniform(low, high)); }
double Draw::normal() {
  double total = -6;
  for (int i = 0; i < 12; ++i) total += uniform();
  return total;
}

namespace {

/// The nearest number of the precision, the largest one beyond.
double round_to(bool single, double x) {
  if (!single) return std::clamp(x, -std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
  const double top = static_cast<double>(std::numeric_limits<float>::max());
  return static_cast<double>(static_cast<float>(std::clamp(x, -top, top)));
}

void draw_shape(Draw& draw, Problem& p) {
  const double kind = draw.uniform();
  if (kind < 0.1) {  // one to three samples
    p.samples = 1 + draw.below(3);
    p.features = 1 + draw.below(8);
    p.classes = 2 + draw.below(2);
  } else if (kind < 0.2) {  // more features than a first working set holds
    p.samples = 4 + draw.below(20);
    p.features = 65 + draw.below(100);
    p.classes = 2 + draw.below(3);
  } else if (kind < 0.22) {
    p.classes = 20 + draw.below(181);
    p.samples = p.classes + draw.below(20);
    p.features = 1 + draw.below(3);
  } else {
    p.samples = 4 + draw.below(40);
    p.features = 1 + draw.below(16);
    p.classes = 2 + draw.below(5);
  }
}

void draw_values(Draw& draw, Problem& p) {
  const Index n = p.samples;
  p.values.resize(std::size_t(n) * p.features);
  const bool usual = draw.chance(0.35);
  const double whole = usual || draw.chance(0.5) ? 1 : draw.magnitude(-30, 30);
  const double spreads[] = {0, 0, 1, 3, 10, 30};
  const double spread = usual ? 0 : spreads[draw.below(6)];
  const double offset = usual || draw.chance(0.5) ? 0 : draw.magnitude(0, 9);
  const bool integers = draw.chance(0.2);
  const double density = draw.chance(0.3) ? draw.uniform(0.1, 0.9) : 1;
  p.sparse = draw.chance(density < 1 ? 0.7 : 0.1);
  for (Index j = 0; j < p.features; ++j) {
    const double scale = whole * draw.magnitude(-spread, spread);
    const double shift = offset * draw.uniform(-1, 1);
    const double constant = draw.normal();
    const double kind = draw.uniform();
    for (Index i = 0; i < n; ++i) {
      double x = kind < 0.04 ? constant : kind < 0.06 ? 0 : draw.normal();
      if (integers) x = std::round(2 * x);
      if (density < 1 && !draw.chance(density)) x = 0;
      else x = scale * (x + shift);
      p.values[i + std::size_t(j) * n] = x;
    }
    if (kind > 0.9 && j > 0) {  // a copy of another one, perhaps with another sign or scale
      const double factor = draw.chance(0.5) ? 1 : draw.chance(0.5) ? -1 : draw.magnitude(-2, 2);
      const std::size_t from = draw.below(j) * std::size_t(n);
      for (Index i = 0; i < n; ++i) p.values[i + std::size_t(j) * n] = factor * p.values[i + from];
    }
  }
  if (!usual && draw.chance(0.2))  // outliers
    for (Index count = 1 + draw.below(3); count > 0; --count)
      p.values[draw.below(n) + std::size_t(draw.below(p.features)) * n] *= draw.magnitude(1, 6);
  if (draw.chance(0.2))  // duplicate samples, their labels drawn anew
    for (Index i = 1; i < n; ++i)
      if (draw.chance(0.3)) {
        const Index from = draw.below(i);
        for (Index j = 0; j < p.features; ++j) p.values[i + std::size_t(j) * n] = p.values[from + std::size_t(j) * n];
      }
  for (double& x : p.values) x = round_to(p.single, x);
  p.benign = usual;
}

void draw_labels(Draw& draw, Problem& p) {
  const Index n = p.samples, K = p.classes;
  std::vector<double> size(p.features, 0), teacher(std::size_t(p.features) * K);
  for (Index j = 0; j < p.features; ++j)
    for (Index i = 0; i < n; ++i) size[j] = std::max(size[j], std::abs(p.value(i, j)));
  for (double& w : teacher) w = draw.normal();
  const double noise = draw.chance(0.3) ? 0 : draw.uniform(0, 1);
  const bool ranking = p.loss == LossKind::ranking_squared_hinge;
  p.labels.resize(n);
  if (ranking) p.sets.resize(n);
  for (Index i = 0; i < n; ++i) {
    double top = -1e300;
    for (Index k = 0; k < K; ++k) {
      double score = 0;
      for (Index j = 0; j < p.features; ++j)
        if (size[j] > 0) score += p.value(i, j) / size[j] * teacher[j * K + k];
      if (ranking && (score > 0.3) != draw.chance(noise / 3)) p.sets[i].push_back(static_cast<Label>(k));
      if (score > top) {
        top = score;
        p.labels[i] = static_cast<Label>(k);
      }
    }
    if (draw.chance(noise)) p.labels[i] = static_cast<Label>(draw.below(K));
  }
  for (Index k = 0; k < K && k < n; ++k) p.labels[n - 1 - k] = static_cast<Label>(k);  // every class is there
  if (ranking)
    for (Index k = 0; k + 1 < K && 2 * k + 1 < n; ++k) {  // and is above another and below one
      p.sets[2 * k] = {static_cast<Label>(k)};
      p.sets[2 * k + 1] = {static_cast<Label>(K - 1)};
    }
  p.benign = p.benign && n >= K && !ranking;
}

void draw_weights(Draw& draw, Problem& p) {
  const double kind = draw.uniform();
  if (kind < 0.55) return;
  p.weights.resize(p.samples);
  const double ranges[] = {0.3, 3, 10, 30};
  const double range = ranges[draw.below(4)];
  const double least = p.single ? -44 : -322, most = p.single ? 38.4 : 308.2;
  double shift = 0;
  if (kind > 0.95) shift = most - 1;       // sums overflow
  else if (kind > 0.9) shift = least + 1;  // or vanish
  for (double& w : p.weights)
    w = round_to(p.single, std::pow(10, std::clamp(shift + draw.uniform(-range, range), least, most)));
  if (draw.chance(0.2))
    for (double& w : p.weights)
      if (draw.chance(0.2)) w = 0;
  p.benign = p.benign && kind <= 0.9 && range <= 3 &&
             std::none_of(p.weights.begin(), p.weights.end(), [](double w) { return w == 0; });
}

void draw_margins(Draw& draw, Problem& p) {
  p.default_margin = draw.chance(0.7);
  p.margin = p.loss == LossKind::logistic ? 0 : 1;
  if (p.default_margin) return;
  const double range = draw.chance(0.7) ? 0.5 : draw.chance(0.7) ? 3 : 10;
  if (draw.chance(0.5)) {
    p.margin = round_to(p.single, draw.magnitude(-range, range));
  } else {
    p.margins.resize(p.samples);
    for (double& m : p.margins) m = round_to(p.single, draw.magnitude(-range, range));
  }
  p.benign = p.benign && range < 1;
}

void draw_penalty(Draw& draw, Problem& p) {
  p.penalty = all_penalties[draw.below(std::size(all_penalties))];
  const double ratios[] = {0, 0.01, 0.3, 0.5, 0.9, 0.999, 1};
  p.l1_ratio = round_to(p.single, ratios[draw.below(7)]);
  p.epsilon = round_to(p.single, draw.magnitude(-2, 0));
  if (!has_groups(p.penalty)) return;
  const double kind = draw.uniform();
  if (kind < 0.4) return;
  if (kind < 0.7) {
    p.block = 1 + draw.below(p.features + 1);
    return;
  }
  std::vector<Index> number(p.features);
  for (Index& g : number) g = draw.below(1 + draw.below(p.features));
  p.order.resize(p.features);
  p.starts.resize(p.features + 1);
  const Groups groups = list_groups(number.data(), p.features, p.order.data(), p.starts.data());
  p.starts.resize(groups.count + 1);
}

/// About the least λ without coefficients: the largest entry of the gradient at equal scores, columns centred.
double gradient_size(const Problem& p) {
  Real total = 0;
  for (Index i = 0; i < p.samples; ++i) total += Real(p.weight(i));
  if (!(total > 0)) return 1;
  Real top = 0;
  const Real K = Real(p.classes);
  std::vector<Real> of(p.classes);
  for (Index j = 0; j < p.features; ++j) {
    Real mean = 0;
    if (p.intercept)
      for (Index i = 0; i < p.samples; ++i) mean += Real(p.weight(i)) / total * Real(p.value(i, j));
    std::fill(of.begin(), of.end(), Real(0));
    for (Index i = 0; i < p.samples; ++i) {
      const Real x = Real(p.weight(i)) / total * (Real(p.value(i, j)) - mean);
      for (Index k = 0; k < p.classes; ++k) of[k] += x * ((k == p.labels[i] ? Real(1) : Real(0)) - 1 / K);
    }
    for (const Real g : of) top = std::max(top, std::abs(g));
  }
  return top > 0 ? static_cast<double>(std::min(top, Real(1e300L))) : 1;
}

}  // namespace

Problem make_problem(std::uint64_t seed) {
  Draw draw(seed);
  Problem p;
  p.seed = seed;
  p.single = draw.chance(0.5);
  p.loss = draw.chance(0.25) ? LossKind::hinge : all_losses[draw.below(std::size(all_losses))];
  draw_shape(draw, p);
  draw_values(draw, p);
  draw_labels(draw, p);
  draw_weights(draw, p);
  draw_margins(draw, p);
  draw_penalty(draw, p);
  p.intercept = draw.chance(0.65);
  p.tolerance = round_to(p.single, draw.magnitude(-6, -2));
  p.max_iterations = static_cast<std::uint32_t>(draw.magnitude(1.5, 4));
  if (p.loss == LossKind::hinge && draw.chance(0.3)) {
    double margin = p.margin;
    for (const double m : p.margins) margin = std::max(margin, m);
    p.eta = round_to(p.single, margin * draw.magnitude(-3, 0.2));
    if (!(p.eta > 0)) p.eta = 0.5;
  } else {
    const double exponent = draw.uniform(-6, 1);
    p.lambda = round_to(p.single, gradient_size(p) * std::pow(10, draw.chance(0.5) ? exponent : exponent / 6));
    if (draw.chance(0.02)) p.lambda = 0;
  }
  const double normal = p.single ? 1e-30 : 1e-290;
  p.benign = p.benign && (p.constrained() || p.lambda > normal);
  return p;
}

std::vector<SolverKind> solvers_of(const Problem& p) {
  std::vector<SolverKind> out;
  for (const SolverKind solver : all_solvers) {
    const ProblemSpec choice{p.loss, p.penalty, Groups::blocks(p.listed() ? 0 : p.block), solver};
    if (solver == SolverKind::automatic || choice.refusal() || choice.has_no_ridge(p.l1_ratio)) continue;
    if (is_constrained(solver) != p.constrained()) continue;
    if (is_blockwise(solver) && has_groups(p.penalty) && (p.block > 0 || p.listed())) continue;
    out.push_back(solver);
  }
  return out;
}

std::vector<std::vector<std::size_t>> coefficient_groups(const Problem& p) {
  std::vector<std::vector<std::size_t>> out;
  const std::size_t K = p.classes;
  if (has_groups(p.penalty) && p.listed()) {
    for (std::size_t g = 0; g + 1 < p.starts.size(); ++g) {
      out.emplace_back();
      for (Index e = p.starts[g]; e < p.starts[g + 1]; ++e)
        for (std::size_t k = 0; k < K; ++k) out.back().push_back(p.order[e] * K + k);
    }
  } else if (has_groups(p.penalty) && p.block > 0) {
    for (Index first = 0; first < p.features; first += p.block)
      for (std::size_t k = 0; k < K; ++k) {
        out.emplace_back();
        for (Index j = first; j < std::min(p.features, first + p.block); ++j) out.back().push_back(j * K + k);
      }
  } else {
    for (std::size_t j = 0; j < p.features; ++j) {
      out.emplace_back();
      for (std::size_t k = 0; k < K; ++k) out.back().push_back(j * K + k);
    }
  }
  return out;
}

std::string Problem::describe() const {
  double least = 0, most = 0;
  for (const double x : values)
    if (x != 0) {
      least = least == 0 ? std::abs(x) : std::min(least, std::abs(x));
      most = std::max(most, std::abs(x));
    }
  double light = 1, heavy = 1;
  if (!weights.empty()) {
    light = *std::min_element(weights.begin(), weights.end());
    heavy = *std::max_element(weights.begin(), weights.end());
  }
  char text[400];
  std::snprintf(text, sizeof text,
                "%s %s %s%s n=%u p=%u K=%u%s%s |x| %.2g…%.2g weights %.2g…%.2g margin %s%.3g %s=%.6g ratio %.3g "
                "tolerance %.2g iterations %u%s",
                single ? "float" : "double", name(loss), name(penalty),
                listed() ? " listed"
                : block  ? (" blocks:" + std::to_string(block)).c_str()
                         : "",
                samples, features, classes, intercept ? "" : " no-intercept", sparse ? " sparse" : "", least, most,
                light, heavy, margins.empty() ? "" : "each ", margins.empty() ? margin : margins[0],
                constrained() ? "eta" : "lambda", constrained() ? eta : lambda, l1_ratio, tolerance, max_iterations,
                benign ? " benign" : "");
  return text;
}

}  // namespace tamis::verifier
