#include "verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "findings.hpp"

namespace tamis::verifier {

namespace {

std::string number(Real x) {
  char text[48];
  std::snprintf(text, sizeof text, "%.9Lg", x);
  return text;
}

bool all_finite(const Point& at) {
  const auto finite = [](Real x) { return std::isfinite(x); };
  return std::all_of(at.w.begin(), at.w.end(), finite) && std::all_of(at.b.begin(), at.b.end(), finite);
}

/// Points that bound the optimum from above, and the least of them.
class Candidates {
 public:
  explicit Candidates(const Truth& truth) : truth_(truth) { offer(truth.zero()); }

  void offer(Point at) {
    if (at.w.empty() || !all_finite(at)) return;
    if (truth_.problem().constrained() && !make_feasible(truth_, at)) return;
    const Real value = truth_.objective(at);
    if (!std::isfinite(value)) return;
    if (points_.empty() || value < values_[best_]) best_ = points_.size();
    points_.push_back(std::move(at));
    values_.push_back(value);
  }
  bool empty() const { return points_.empty(); }
  const Point& best() const { return points_[best_]; }
  Real least() const { return values_[best_]; }
  const std::vector<Point>& points() const { return points_; }
  Real value(std::size_t at) const { return values_[at]; }

 private:
  const Truth& truth_;
  std::vector<Point> points_;
  std::vector<Real> values_;
  std::size_t best_ = 0;
};

/// The rules for one outcome.
class Judge {
 public:
  Judge(const Truth& truth, const Candidates& candidates, const Outcome& outcome, Examination& out)
      : truth_(truth), p_(truth.problem()), c_(candidates), o_(outcome), out_(out), unit_(p_.epsilon_of_type()) {}

  void check_convergence() {
    if (!o_.effects.surroundings_intact) find("wrote beyond its arena");
    if (o_.iterations > o_.max_iterations)
      find("iterations", number(o_.iterations) + " > " + number(o_.max_iterations));
    if (o_.status == Status::infeasible) return judge_infeasible();
    if (!o_.has_model()) return judge_refusal();
    judge_numbers();
    if (!all_finite(o_.model)) return find("model not finite");
    judge_counts();
    const Real value = truth_.objective(o_.model), off = truth_.rounding(o_.model);
    if (p_.constrained()) {
      if (!std::isfinite(o_.objective)) return;  // no feasible point yet
      judge_constraint();
    }
    if (!(std::abs(o_.objective - value) <= off))
      find("objective", "says " + number(o_.objective) + ", is " + number(value) + ", rounding " + number(off));
    judge_dual();
    if (o_.converged()) judge_gap(value, off);
    if (!p_.constrained()) judge_lambda_max();
  }

 private:
  void find(const std::string& rule, const std::string& detail = "") {
    out_.findings.push_back({rule, o_.solver, std::string(name(o_.status)) + (detail.empty() ? "" : ": ") + detail});
  }

  void judge_refusal() {
    const bool may_come_late = is_source_failure(o_.status) || o_.status == Status::invalid_scale;
    if (!may_come_late && !o_.effects.arena_untouched) find("a refusal wrote to the arena");
    const bool needs_lambda = o_.status == Status::invalid_lambda && !(p_.lambda > 0);
    if (p_.benign && !needs_lambda) find("refused for no reason");
  }

  void judge_infeasible() {
    if (c_.empty()) return;
    Real top = 0, margin = 0;
    std::vector<Real> z(p_.classes);
    for (Index i = 0; i < p_.samples; ++i) {
      truth_.scores(c_.best(), i, z.data());
      for (const Real score : z) top = std::max(top, std::abs(score));
      margin = std::max(margin, Real(p_.margin_of(i)));
    }
    // What is called infeasible may have models whose scores are some 1/δ margins: those prove nothing.
    if (top < (o_.single ? Real(1e3L) : Real(1e7L)) * margin)
      find("infeasible", "but a model has loss " + number(truth_.mean_loss(c_.best())) + " <= " + number(Real(p_.eta)));
  }

  void judge_numbers() {
    const bool unmet = p_.constrained() && std::isinf(o_.objective) && o_.objective > 0 && !o_.converged();
    if (unmet) {
      if (!std::isfinite(o_.dual_objective)) find("dual objective not finite", number(o_.dual_objective));
      return;
    }
    judge_claims(
        {o_.status, o_.objective, o_.dual_objective, o_.gap, o_.relative_gap, o_.tolerance, unit_, p_.least_of_type(),
         o_.was_stopped},
        [&](const char* rule, Real says) { find(rule, number(says)); });
  }

  void judge_counts() {
    Index nonzeros = 0, rows = 0;
    for (Index j = 0; j < p_.features; ++j) {
      const Index before = nonzeros;
      for (Index k = 0; k < p_.classes; ++k) nonzeros += o_.model.w[std::size_t(j) * p_.classes + k] != 0;
      rows += nonzeros != before;
    }
    if (nonzeros != o_.nonzeros || rows != o_.nonzero_rows)
      find("counts", number(o_.nonzeros) + " nonzeros, are " + number(nonzeros));
    if (!p_.intercept)
      for (const Real b : o_.model.b)
        if (b != 0) return find("an intercept without intercepts", number(b));
  }

  void judge_constraint() {
    const Real value = truth_.mean_loss(o_.model), off = truth_.loss_rounding(o_.model), eta = Real(p_.eta);
    if (!(value <= eta * (1 + 16 * unit_) + off))
      find("constraint", "mean loss " + number(value) + " > " + number(eta) + ", rounding " + number(off));
    if (!(std::abs(value - o_.constraint_value) <= off + 16 * unit_ * eta))
      find("constraint value", "says " + number(o_.constraint_value) + ", is " + number(value));
  }

  Real dual_rounding(const Point& other) const {
    if (!p_.constrained()) return truth_.dual_rounding(o_.model, other);
    const Real multiplier = std::isfinite(o_.multiplier) ? std::max(o_.multiplier, Real(0)) : Real(0);
    return multiplier * (truth_.dual_rounding(o_.model, other) + 64 * unit_ * Real(p_.eta)) +
           truth_.penalty_rounding(other) + Real(p_.samples + 32) * unit_ * truth_.penalty(other);
  }

  void judge_dual() {
    if (!std::isfinite(o_.dual_objective)) return;
    for (std::size_t at = 0; at < c_.points().size(); ++at) {
      if (!(o_.dual_objective > c_.value(at))) continue;
      const Real off = dual_rounding(c_.points()[at]);
      if (o_.dual_objective > c_.value(at) + off)
        return find("dual objective", "says at least " + number(o_.dual_objective) + ", a point has " +
                                          number(c_.value(at)) + ", rounding " + number(off));
    }
  }

  void judge_gap(Real value, Real off) {
    if (c_.empty() || !std::isfinite(o_.gap)) return;
    const Real excess = value - c_.least();
    const Real all = off + dual_rounding(c_.best());
    if (excess > o_.gap + all)
      return find("gap", "within " + number(o_.gap) + " of optimal, " + number(value) + " is " + number(excess) +
                             " above a point, rounding " + number(all));
    const Real size = std::max({std::abs(o_.objective), std::abs(o_.dual_objective), Real(1e-12L)});
    if (excess > o_.gap + 16 * unit_ * size) out_.hidden.push_back({o_.solver, excess / size, o_.tolerance});
  }

  /// No point is below the best model without coefficients when λ is above lambda_max. Intercepts are looked for from
  /// several starts; where weights or margins differ by magnitudes that search takes too long to tell.
  void judge_lambda_max() {
    if (std::isnan(o_.lambda_max) || !(Real(p_.lambda) > o_.lambda_max * (1 + 1000 * unit_)) || c_.empty()) return;
    if (p_.penalty == PenaltyKind::reweighted_l1 || !p_.benign) return;  // that of all rounds together
    Point null = truth_.zero();
    Real value = truth_.objective(null);
    for (const Point* start : {&c_.best(), &o_.model, static_cast<const Point*>(nullptr)}) {
      Point from = start ? *start : truth_.zero();
      std::fill(from.w.begin(), from.w.end(), Real(0));
      null = descend(truth_, from, Real(p_.lambda), {.passes = 3000, .intercepts_only = true});
      value = std::min(value, truth_.objective(null));
    }
    const Real off = truth_.dual_rounding(null, c_.best()) + Real(1e-3L) * value;
    if (c_.least() < value - off)
      find("lambda_max",
           number(o_.lambda_max) + ": without coefficients " + number(value) + ", a point has " + number(c_.least()));
  }

  const Truth& truth_;
  const Problem& p_;
  const Candidates& c_;
  const Outcome& o_;
  Examination& out_;
  Real unit_;
};

/// λ of the regularised problem that a constrained one is.
Real equivalent_lambda(const Problem& p, const std::vector<Outcome>& outcomes) {
  if (!p.constrained()) return Real(p.lambda);
  for (const Outcome& o : outcomes)
    if (o.has_model() && o.multiplier > 0 && std::isfinite(o.multiplier)) return 1 / o.multiplier;
  return Real(p.eta);
}

}  // namespace

std::vector<Outcome> run_all(const Problem& p) {
  std::vector<Outcome> out;
  for (const SolverKind solver : solvers_of(p))
    for (const Manner& manner : manners_of(p, solver)) out.push_back(run(p, solver, manner));
  return out;
}

Examination examine(const Problem& p, const std::vector<Outcome>& outcomes, SolverKind only, int passes) {
  Examination out;
  const auto judge = [&](const Truth& truth, const Candidates& candidates, const Outcome& o) {
    if (only == SolverKind::automatic || only == o.solver) Judge(truth, candidates, o, out).check_convergence();
  };
  // Less effort where a pass is long.
  const double work = double(p.samples) * p.features * p.classes;
  const auto fewer = [=](int most) { return std::max(10, static_cast<int>(std::min(1.0, 3000 / work) * most)); };
  const auto collect = [&](const Truth& truth, Candidates& candidates) {
    bool any = false;
    for (const Outcome& o : outcomes) {
      if (o.has_model()) candidates.offer(o.model);
      any = any || o.has_model();
    }
    if (!any) return;
    // In double, and closer to the optimum; of a convex problem as it is.
    for (const Outcome& o : outcomes)
      if (p.penalty != PenaltyKind::reweighted_l1 &&
          (o.solver == default_solver(p.loss, p.penalty, p.constrained()) || o.solver == SolverKind::fista ||
           o.solver == SolverKind::primal_dual))
        candidates.offer(run(p, o.solver, {false, true, 1e-9, static_cast<std::uint32_t>(20 * fewer(100))}).model);
    const Real lambda = equivalent_lambda(p, outcomes);
    const Effort effort{.passes = fewer(passes)};
    candidates.offer(descend(truth, truth.zero(), lambda, effort));
    candidates.offer(descend(truth, candidates.empty() ? truth.zero() : Point(candidates.best()), lambda, effort));
  };
  if (p.penalty != PenaltyKind::reweighted_l1) {
    const Truth truth(p);
    Candidates candidates(truth);
    collect(truth, candidates);
    for (const Outcome& o : outcomes) judge(truth, candidates, o);
    return out;
  }
  for (const Outcome& o : outcomes) {  // the last round of each has weights of its own
    const Truth truth(p, o.l1_weights);
    Candidates candidates(truth);
    if (o.has_model()) collect(truth, candidates);
    judge(truth, candidates, o);
  }
  return out;
}

}  // namespace tamis::verifier
