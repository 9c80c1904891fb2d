// Label sets, seeds, shrinking and stopping rules in C, in a build with all solvers: the bits of C++, every refusal
// with its sentence.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core.hpp"
#include "support/label_sets.hpp"
#include "tamis.h"
#include "tamis/any_multilabel.hpp"
#include "tamis/selection/cross_validation.hpp"
#include "tamis/selection/set_thresholds.hpp"
#include "tamis/solver/baselines.hpp"
#include "tamis_sets.h"
#include "tamis_stability.h"

namespace {

using namespace tamis;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;
using tamis::testing::MadeSets;

template <class Data>
tamis_problem_f64 problem_of(const Data& made) {
  tamis_problem_f64 p;
  tamis_default_problem_f64(&p);
  p.samples = made.samples, p.features = made.features, p.classes = made.classes;
  p.values = made.values.data(), p.labels = made.labels.data();
  p.lambda = 0.02, p.tolerance = 1e-6;
  return p;
}
tamis_problem_f64 ranking_of(const MadeSets<double>& made) {
  tamis_problem_f64 p = problem_of(made);
  p.loss = TAMIS_RANKING_SQUARED_HINGE;
  p.set_starts = made.starts.data(), p.set_members = made.members.data();
  p.set_count = made.sets().count;
  return p;
}
std::uint32_t number(SolverKind solver) { return static_cast<std::uint32_t>(solver); }

struct Trained {
  tamis_training_f64 training{};
  GuardedMemory memory;
  tamis_status status;
  tamis_report_f64 report;
  tamis_model_f64 model;

  explicit Trained(const tamis_problem_f64& p) : memory(tamis_training_bytes_f64(&p)) {
    status = tamis_train_f64(&training, &p, memory.span().data(), memory.span().size(), nullptr, nullptr);
    tamis_report_of_f64(&training, &report);
    tamis_model_of_f64(&training, &model);
  }
  std::vector<double> coefficients() const {
    const std::size_t stride = padded<double>(model.classes);
    return {model.coefficients, model.coefficients + (model.features + 1) * stride};
  }
};

TEST(CSets, RankingGivesTheBitsOfCpp) {
  const MadeSets<double> made(60, 6, 5, 3);
  const auto p = ranking_of(made);
  EXPECT_EQ(tamis_problem_refusal_f64(&p), nullptr);
  const Trained trained(p);
  EXPECT_EQ(trained.status, TAMIS_CONVERGED);
  EXPECT_TRUE(trained.memory.surroundings_intact());

  using Direct = Fista<double, RankingSquaredHinge, L1, DenseDesign<double>>;
  Direct direct(made.design(), made.targets(), made.loss(), {}, {.lambda = 0.02, .tolerance = 1e-6});
  GuardedMemory memory(Direct::requirement(made.shape()).bytes);
  direct.start(memory.span());
  while (direct.step()) continue;
  EXPECT_EQ(direct.report().objective, trained.report.objective);
  EXPECT_EQ(direct.report().iterations, trained.report.iterations);
  const auto model = direct.model();
  const auto coefficients = trained.coefficients();
  for (std::size_t e = 0; e < coefficients.size(); ++e) EXPECT_EQ(coefficients[e], model.coefficients[e]);
}

TEST(CSets, RankingHasPathsAndFolds) {
  const MadeSets<double> made(60, 6, 4, 5);
  const auto p = ranking_of(made);
  const double lambdas[] = {0.1, 0.03, 0.01};
  tamis_grid_f64 grid;
  tamis_default_grid_f64(&grid);
  grid.lambdas = lambdas, grid.points = 3;

  GuardedMemory memory(tamis_path_bytes_f64(&p, &grid));
  tamis_path_f64 path{};
  tamis_status status = tamis_path_start_f64(&path, &p, &grid, memory.span().data(), memory.span().size());
  for (int at = 0;;) {
    if (tamis_path_at_point_f64(&path)) {
      auto alone = p;
      alone.lambda = lambdas[at++];
      tamis_report_f64 report;
      tamis_path_report_f64(&path, &report);
      EXPECT_NEAR(report.objective, Trained(alone).report.objective, 2e-6 * report.objective);
    }
    if (status != TAMIS_RUNNING) break;
    status = tamis_path_step_f64(&path, 1000);
  }
  EXPECT_EQ(status, TAMIS_CONVERGED);
  EXPECT_EQ(tamis_path_points_f64(&path), 3u);

  std::vector<std::uint32_t> fold_of(made.samples), order(made.samples);
  ASSERT_TRUE(
      tamis_deal_folds(made.labels.data(), made.samples, p.set_count, 3, 0, 1, fold_of.data(), order.data(), nullptr));
  GuardedMemory room(tamis_cross_validation_bytes_f64(&p, &grid, 3));
  tamis_cross_validation_f64 validation{};
  status = tamis_cross_validation_start_f64(&validation, &p, &grid, fold_of.data(), 3, room.span().data(),
                                            room.span().size());
  while (status == TAMIS_RUNNING) status = tamis_cross_validation_step_f64(&validation, 1000);
  ASSERT_EQ(status, TAMIS_CONVERGED);

  // Each fold by itself: the share of the samples whose best class is not one of theirs.
  for (std::uint32_t point = 0; point < 3; ++point) {
    double wrong = 0, all = 0;
    for (std::uint32_t fold = 0; fold < 3; ++fold) {
      std::vector<double> weights;
      for (const auto of : fold_of) weights.push_back(of == fold ? 0 : 1);
      auto rest = p;
      rest.weights = weights.data(), rest.lambda = lambdas[point];
      const Trained trained(rest);
      for (Index i = 0; i < made.samples; ++i) {
        if (fold_of[i] != fold || !made.sets().has_pairs(made.labels[i], made.classes)) continue;
        const auto best = tamis_predict_f64(&trained.model, &made.values[i], made.samples);
        wrong += !made.sets().contains(made.labels[i], best);
        ++all;
      }
    }
    tamis_held_out_f64 held_out;
    ASSERT_EQ(tamis_cross_validation_at_f64(&validation, point, &held_out), TAMIS_CONVERGED);
    EXPECT_NEAR(held_out.error, wrong / all, 1e-12);
  }
}

/// A training of C++ with the settings of a problem in C.
Report<double> in_cpp(const Made<double>& made, const tamis_problem_f64& p) {
  using Training = core::Training<double>;
  const DenseDesign<double> design(made.values.data(), made.samples, made.features);
  const AnyDesign<double> any(design);
  const ProblemSpec choice{
      static_cast<LossKind>(p.loss), static_cast<PenaltyKind>(p.penalty), {}, static_cast<SolverKind>(p.solver)};
  Training training(choice, any, {made.labels, made.classes},
                    {.lambda = p.lambda, .tolerance = p.tolerance, .max_iterations = p.max_iterations}, {},
                    {.learning_rate = p.learning_rate > 0 ? p.learning_rate : not_a_number<double>, .seed = p.seed});
  training.set_stopping({static_cast<StoppingRule>(p.stopping), p.stopping_threshold});
  training.set_shrinking(p.shrinking != 0);
  training.set_seed(p.seed);
  GuardedMemory memory(Training::requirement(choice, {made.samples, made.features, made.classes}).bytes);
  training.start(memory.span());
  while (training.step()) continue;
  return training.report();
}

TEST(CSets, SettingsOfBaselinesGiveTheBitsOfCpp) {
  const Made<double> made(50, 20, 3, 7);
  auto plain = problem_of(made);
  plain.loss = TAMIS_SQUARED_HINGE, plain.penalty = TAMIS_GROUP_L2;
  plain.max_iterations = 200, plain.lambda = 0.05;
  const auto differs = [&](std::uint32_t solver, const auto& change) {
    auto before = plain;
    before.solver = solver;
    auto after = before;
    change(after);
    EXPECT_EQ(tamis_problem_refusal_f64(&after), nullptr);
    const Trained usual(before), changed(after);
    const auto direct = in_cpp(made, after);
    EXPECT_EQ(changed.report.objective, direct.objective);
    EXPECT_EQ(changed.report.iterations, direct.iterations);
    EXPECT_EQ(changed.report.status, static_cast<std::uint32_t>(direct.status));
    return usual.coefficients() != changed.coefficients() || usual.report.epochs != changed.report.epochs;
  };
  const auto random = number(SolverKind::bcd_constant_step_as_printed);
  const auto searched = number(SolverKind::bcd_line_search_as_printed);
  const auto fobos = number(SolverKind::fobos_as_printed);
  EXPECT_TRUE(differs(random, [](auto& p) { p.seed = 0x100000005u; }));
  EXPECT_TRUE(differs(fobos, [](auto& p) { p.seed = 5; }));
  EXPECT_TRUE(differs(fobos, [](auto& p) { p.learning_rate = 0.03; }));
  EXPECT_TRUE(differs(searched, [](auto& p) { p.shrinking = 1; }));
  EXPECT_TRUE(
      differs(searched, [](auto& p) { p.stopping = TAMIS_STOPPING_VIOLATION_SUM, p.stopping_threshold = 1e-1; }));
  EXPECT_TRUE(
      differs(searched, [](auto& p) { p.stopping = TAMIS_STOPPING_VIOLATION_MAX, p.stopping_threshold = 1e-1; }));
  EXPECT_TRUE(differs(number(SolverKind::sparsa_as_printed),
                      [](auto& p) { p.stopping = TAMIS_STOPPING_ITERATES, p.stopping_threshold = 1e-2; }));
}

TEST(CSets, RefusesWhatASolverCannotDo) {
  const MadeSets<double> made(40, 4, 3, 2);
  const auto good = ranking_of(made);
  const auto refused = [&](const auto& change, const std::string& words, tamis_status status = TAMIS_INVALID_OPTION) {
    auto p = good;
    change(p);
    const char* sentence = tamis_problem_refusal_f64(&p);
    ASSERT_NE(sentence, nullptr) << words;
    EXPECT_NE(std::string(sentence).find(words), std::string::npos) << sentence;
    GuardedMemory memory(4096);
    tamis_training_f64 training{};
    EXPECT_EQ(tamis_start_f64(&training, &p, memory.span().data(), memory.span().size()), status) << words;
  };
  const auto searched = [](auto& p) {
    p.loss = TAMIS_SQUARED_HINGE, p.solver = number(SolverKind::bcd_line_search_as_printed);
    p.set_starts = nullptr, p.set_members = nullptr, p.set_count = 0;
  };
  refused([](auto& p) { p.loss = TAMIS_SQUARED_HINGE; }, "label sets are for ranking-squared-hinge");
  refused([](auto& p) { p.set_starts = nullptr; }, "needs label sets");
  refused([](auto& p) { p.set_count = 0; }, "needs label sets");
  refused([](auto& p) { p.set_count = 65537; }, "needs label sets");
  refused([](auto& p) { p.stopping = 4; }, "none of tamis_stopping");
  refused([](auto& p) { p.stopping_threshold = 1e-3; }, "takes no threshold");
  refused([](auto& p) { p.stopping_threshold = not_a_number<double>; }, "takes no threshold");
  refused([](auto& p) { p.stopping = TAMIS_STOPPING_ITERATES, p.stopping_threshold = 0; }, "must be positive");
  refused([](auto& p) { p.stopping = TAMIS_STOPPING_ITERATES, p.stopping_threshold = 1; },
          "stopping by iterates is for");
  refused([](auto& p) { p.stopping = TAMIS_STOPPING_VIOLATION_MAX, p.stopping_threshold = 1; },
          "stopping by violations are for");
  refused(
      [&](auto& p) {
        searched(p), p.penalty = TAMIS_REWEIGHTED_L1;
        p.stopping = TAMIS_STOPPING_VIOLATION_MAX, p.stopping_threshold = 1;
      },
      "rounds of reweighted-l1");
  refused([](auto& p) { p.shrinking = 1; }, "shrinking and stopping by violations are for");
  refused([](auto& p) { p.shrinking = 2; }, "0 or 1");
  refused([&](auto& p) { searched(p), p.shrinking = 1, p.penalty = TAMIS_RIDGE; }, "makes none");
  refused([](auto& p) { p.seed = 1; }, "a seed is for");
  refused([](auto& p) { p.learning_rate = 0.1; }, "learning_rate is for");
  refused([](auto& p) { p.learning_rate = -1; }, "zero or positive");
  refused([](auto& p) { p.learning_rate = not_a_number<double>; }, "zero or positive");
  refused([](auto& p) { p.loss = 5; }, "unknown solver, loss or penalty");
  refused([](auto& p) { p.solver = TAMIS_BLOCK_COORDINATE_DESCENT; }, "second derivatives", TAMIS_INVALID_COMBINATION);

  GuardedMemory memory(tamis_training_bytes_f64(&good));
  auto labels = made.labels;
  labels[7] = static_cast<Label>(good.set_count);
  auto p = good;
  p.labels = labels.data();
  tamis_training_f64 training{};
  EXPECT_EQ(tamis_start_f64(&training, &p, memory.span().data(), memory.span().size()), TAMIS_INVALID_LABEL);
  tamis_report_f64 report;
  tamis_report_of_f64(&training, &report);
  EXPECT_EQ(report.row, 7u);

  tamis_grid_f64 grid;
  tamis_default_grid_f64(&grid);
  tamis_stability_options options;
  tamis_default_stability_options(&options);
  tamis_stability_f64 stability{};
  EXPECT_EQ(tamis_stability_bytes_f64(&good, &grid), 0u);
  EXPECT_EQ(tamis_stability_start_f64(&stability, &good, &grid, &options, memory.span().data(), memory.span().size()),
            TAMIS_INVALID_OPTION);
}

TEST(CSets, ThresholdsGiveTheBitsOfCpp) {
  const MadeSets<double> made(80, 6, 5, 3);
  const Trained trained(ranking_of(made));
  ASSERT_EQ(trained.status, TAMIS_CONVERGED);
  constexpr std::uint32_t stride = 7;
  std::vector<double> scores(made.samples * stride, not_a_number<double>);
  for (Index i = 0; i < made.samples; ++i)
    tamis_scores_f64(&trained.model, &made.values[i], made.samples, &scores[i * stride]);
  const tamis_scored_sets_f64 scored{scores.data(),     made.labels.data(), made.starts.data(), made.members.data(),
                                     made.sets().count, made.samples,       made.classes,       stride};
  for (const ThresholdKind kind : all_threshold_kinds) {
    const auto in_c = static_cast<std::uint32_t>(kind);
    const std::size_t bytes = tamis_thresholds_bytes_f64(in_c, made.samples, made.classes);
    GuardedMemory memory(bytes), own(bytes);
    tamis_thresholds_f64 thresholds;
    ASSERT_EQ(tamis_choose_thresholds_f64(in_c, &scored, memory.span().data(), bytes, &thresholds), TAMIS_CONVERGED);
    EXPECT_TRUE(memory.surroundings_intact());
    ThresholdChoice<double> choice(kind, made.samples, made.classes);
    ASSERT_EQ(choice.choose(scores.data(), stride, made.sets(), made.labels.data(), own.span()), Status::converged);
    std::size_t right = 0;
    for (Index i = 0; i < made.samples; ++i) {
      std::vector<Label> expected, set(made.classes);
      choice.thresholds().for_each_label(&scores[i * stride],
                                         [&](Index k) { expected.push_back(static_cast<Label>(k)); });
      set.resize(tamis_set_of_f64(&thresholds, &scores[i * stride], set.data()));
      EXPECT_EQ(set, expected);
      right += set == made.of[i];
    }
    EXPECT_GT(right, made.samples / 4);

    EXPECT_EQ(tamis_choose_thresholds_f64(in_c, &scored, memory.span().data(), bytes - 1, &thresholds),
              TAMIS_ARENA_TOO_SMALL);
    EXPECT_EQ(thresholds.classes, 0u);
    EXPECT_EQ(tamis_choose_thresholds_f64(in_c, &scored, memory.span().data() + 8, bytes, &thresholds),
              TAMIS_INVALID_ARENA);
    const auto refused = [&](const auto& change) {
      auto bad = scored;
      change(bad);
      return tamis_choose_thresholds_f64(in_c, &bad, memory.span().data(), bytes, &thresholds);
    };
    EXPECT_EQ(refused([](auto& s) { s.stride = 4; }), TAMIS_INVALID_SHAPE);
    EXPECT_EQ(refused([](auto& s) { s.set_starts = nullptr; }), TAMIS_INVALID_SHAPE);
    EXPECT_EQ(refused([](auto& s) { s.set_count = 1; }), TAMIS_INVALID_LABEL);
    EXPECT_EQ(refused([](auto& s) { s.stride = 6; }), TAMIS_INVALID_DATA);
  }
  tamis_thresholds_f64 thresholds;
  EXPECT_EQ(tamis_thresholds_bytes_f64(2, 10, 3), 0u);
  EXPECT_EQ(tamis_choose_thresholds_f64(2, &scored, nullptr, 0, &thresholds), TAMIS_INVALID_OPTION);
}

}  // namespace
