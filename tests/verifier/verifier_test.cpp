// A sample of the verifier's cases, and proof that it can fail. Long runs: `verifier --problems N --seed S`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "interactions.hpp"
#include "kernels.hpp"
#include "tally.hpp"

namespace tamis::verifier {
namespace {

class Verifier : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_wide_real) GTEST_SKIP() << "long double has no more digits or range than double here";
  }
};

void expect_true_reports(std::uint64_t seed, std::uint64_t problems) {
  Tally tally;
  for (std::uint64_t at = 0; at < problems; ++at) {
    const Problem problem = make_problem(seed_of(seed, at));
    const auto outcomes = run_all(problem);
    for (const std::string& line : tally.add(problem, outcomes, examine(problem, outcomes))) ADD_FAILURE() << line;
  }
  std::fputs(tally.summary().c_str(), stdout);
  EXPECT_GT(tally.cases(), 5 * problems);
  EXPECT_GT(tally.converged(), tally.cases() / 10) << "hardly anything was claimed";
  EXPECT_GT(tally.refused(), tally.cases() / 20) << "no hard numbers among them";
}

TEST_F(Verifier, FindsNoFalseReport) { expect_true_reports(20, 150); }
TEST_F(Verifier, FindsNoFalseReportInOtherProblems) { expect_true_reports(21, 150); }

/// Each had a false report once: scores, gradients and conjugates that were no numbers, duals out of balance or off their
/// mass, a weighted penalty of another round, a model called impossible that only cancels an offset.
TEST_F(Verifier, FindsNoFalseReportWhereThereWasOne) {
  Tally tally;
  for (const std::uint64_t seed : std::initializer_list<std::uint64_t>{13211611930691, 8055923900403, 9748941469502, 7146760922399, 8481369967667, 11219786277924,
                                   13027277254104, 5442096578657, 3325099576923, 7111298141794, 15053518416649}) {
    const Problem problem = make_problem(seed);
    const auto outcomes = run_all(problem);
    for (const std::string& line : tally.add(problem, outcomes, examine(problem, outcomes))) ADD_FAILURE() << line;
  }
  EXPECT_GT(tally.cases(), 50u);
}

void expect_true_reports(const char* what, void (*examine)(std::uint64_t, Findings&), std::uint64_t seed, int problems) {
  Findings found;
  for (int at = 0; at < problems; ++at) examine(seed_of(seed, at), found);
  for (const std::string& line : found.lines) ADD_FAILURE() << line;
  std::printf("%s: %llu cases, %llu converged\n", what, static_cast<unsigned long long>(found.cases),
              static_cast<unsigned long long>(found.converged));
  EXPECT_GT(found.converged, found.cases / 4) << "hardly anything was claimed";
}

TEST_F(Verifier, FindsNoFalseReportOfInteractions) { expect_true_reports("interactions", examine_interactions, 22, 200); }
TEST_F(Verifier, FindsNoFalseReportOfKernels) { expect_true_reports("kernels", examine_kernels, 23, 150); }

/// The first problems of a loss that have ordinary numbers, in double, as (problem, outcomes).
template <class Visit>
void for_some_problems(LossKind loss, int wanted, Visit visit) {
  for (std::uint64_t at = 0; wanted > 0; ++at) {
    const Problem problem = make_problem(seed_of(5, at));
    if (!problem.benign || problem.loss != loss || problem.penalty == PenaltyKind::reweighted_l1) continue;
    if (problem.constrained() || problem.single || problem.features > 8 || problem.samples > 25) continue;
    visit(problem, run_all(problem));
    --wanted;
  }
}

/// Changes a converged outcome, and looks for what is said of it.
template <class Change>
void expect_finding(const char* rule, Change change) {
  for (const LossKind loss : {LossKind::hinge, LossKind::squared_hinge, LossKind::logistic})
    for_some_problems(loss, 1, [&](const Problem& problem, std::vector<Outcome> outcomes) {
      EXPECT_TRUE(examine(problem, outcomes, SolverKind::automatic, 20).findings.empty());
      const auto one = std::find_if(outcomes.begin(), outcomes.end(),
                                    [](const Outcome& o) { return o.converged() && o.objective > 1e-6L; });
      ASSERT_NE(one, outcomes.end()) << problem.describe();
      change(*one);
      const auto findings = examine(problem, outcomes, one->solver, 20).findings;
      EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; }))
          << rule << ", " << name(one->solver) << ", " << problem.describe();
    });
}

TEST_F(Verifier, SeesADualObjectiveThatIsTooHigh) {
  expect_finding("dual objective", [](Outcome& o) {
    o.dual_objective = o.objective * 1.001L;
    o.gap = o.relative_gap = 0;
  });
}
TEST_F(Verifier, SeesAnObjectiveThatIsNotThatOfTheModel) {
  expect_finding("objective", [](Outcome& o) { o.objective *= 1 - 1e-9L; });
}
TEST_F(Verifier, SeesAGapThatIsTooSmall) {
  expect_finding("gap", [](Outcome& o) {  // another model with its own objective, as if it were the optimum
    for (Real& w : o.model.w) w *= 0.5L;
    for (Real& b : o.model.b) b *= 0.5L;
    o.gap = o.relative_gap = 0;
  });
}
TEST_F(Verifier, SeesANegativeGapAndWhatIsNoNumber) {
  expect_finding("negative gap", [](Outcome& o) { o.gap = -o.gap - 1e-12L; });
  expect_finding("objective not finite", [](Outcome& o) { o.objective = std::nanl(""); });
  expect_finding("model not finite", [](Outcome& o) { o.model.b[0] = std::nanl(""); });
  expect_finding("precision limit below the tolerance", [](Outcome& o) { o.status = Status::precision_limit; });
  expect_finding("converged above the tolerance", [](Outcome& o) { o.tolerance = o.relative_gap / 2 - 1e-18L; });
  expect_finding("iterations", [](Outcome& o) { o.iterations = o.max_iterations + 1; });
  expect_finding("wrote beyond its arena", [](Outcome& o) { o.effects.surroundings_intact = false; });
  expect_finding("refused for no reason", [](Outcome& o) { o.status = Status::invalid_scale; });
  expect_finding("a refusal wrote to the arena", [](Outcome& o) { o.status = Status::invalid_weight; });
}

/// The search for other points, from zero and without the answers of any solver, comes near the certified optimum.
TEST_F(Verifier, SearchesWellByItself) {
  for (const LossKind loss : all_losses)
    if (loss != LossKind::ranking_squared_hinge)
      for_some_problems(loss, 4, [&](const Problem& problem, const std::vector<Outcome>& outcomes) {
        const Truth truth(problem);
        const Point found = descend(truth, truth.zero(), Real(problem.lambda), {.passes = 3000});
        Real least = truth.objective(truth.zero());
        const Real off = least / 1000;
        for (const Outcome& o : outcomes) least = std::min(least, truth.objective(o.model));
        EXPECT_LE(truth.objective(found), least + off) << problem.describe() << " seed " << problem.seed;
      });
}

}  // namespace
}  // namespace tamis::verifier
