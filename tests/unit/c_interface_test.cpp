// The C interface: the same answers as C++, every refusal with its status.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <type_traits>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis.h"
#include "tamis/selection/cross_validation.hpp"

namespace {

using tamis::Index;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

/// The problem of a made set, with the defaults of the interface.
tamis_problem_f32 problem_of(const Made<float>& made) {
  tamis_problem_f32 p;
  tamis_default_problem_f32(&p);
  p.samples = made.samples;
  p.features = made.features;
  p.classes = made.classes;
  p.values = made.values.data();
  p.labels = made.labels.data();
  p.lambda = 0.02f;
  return p;
}

struct Trained {
  tamis_training_f32 training{};
  GuardedMemory memory;
  tamis_status status;

  explicit Trained(const tamis_problem_f32& p, tamis_observer_f32 observe = nullptr, void* context = nullptr)
      : memory(tamis_training_bytes_f32(&p)) {
    status = tamis_train_f32(&training, &p, memory.span().data(), memory.span().size(), observe, context);
  }
  tamis_report_f32 report() const {
    tamis_report_f32 out;
    tamis_report_of_f32(&training, &out);
    return out;
  }
  tamis_model_f32 model() const {
    tamis_model_f32 out;
    tamis_model_of_f32(&training, &out);
    return out;
  }
};

TEST(CInterface, MoreMemoryMakesTheSecondPhase) {
  const auto made = tamis::testing::Made<double>(60, 12, 3, 5);
  tamis_problem_f64 p;
  tamis_default_problem_f64(&p);
  p.samples = 60, p.features = 12, p.classes = 3;
  p.values = made.values.data(), p.labels = made.labels.data();
  p.lambda = 0.005, p.tolerance = 1e-9;
  const std::size_t least = tamis_training_bytes_f64(&p), fast = tamis_fast_bytes_f64(&p, 60 * 12, 39);
  EXPECT_GT(fast, least);
  EXPECT_EQ(tamis_fast_bytes_f64(&p, 0, 0), least);
  tamis_report_f64 reports[2];
  for (const bool more : {false, true}) {
    GuardedMemory memory(more ? fast : least);
    tamis_training_f64 training{};
    EXPECT_EQ(tamis_train_f64(&training, &p, memory.span().data(), memory.span().size(), nullptr, nullptr),
              TAMIS_CONVERGED);
    EXPECT_TRUE(memory.surroundings_intact());
    tamis_report_of_f64(&training, &reports[more]);
    EXPECT_EQ(reports[more].arena_bytes, memory.span().size());
  }
  EXPECT_NEAR(reports[0].objective, reports[1].objective, 1e-8);
  EXPECT_LT(reports[1].iterations, reports[0].iterations);
}

TEST(CInterface, GivesTheBitsOfCpp) {
  const Made<float> made(50, 8, 3, 31);
  auto p = problem_of(made);
  const Trained trained(p);
  const auto direct =
      tamis::testing::run_default(made, tamis::Hinge{}, tamis::L1{}, tamis::Options<float>{.lambda = 0.02f});
  EXPECT_EQ(trained.status, TAMIS_CONVERGED);
  EXPECT_TRUE(trained.memory.surroundings_intact());
  const auto report = trained.report();
  EXPECT_EQ(report.objective, direct.fit.objective);
  EXPECT_EQ(report.iterations, direct.fit.iterations);
  EXPECT_EQ(report.nonzeros, direct.fit.nonzeros);
  EXPECT_EQ(report.arena_bytes, tamis_training_bytes_f32(&p));
  EXPECT_EQ(report.arena_used_bytes, report.arena_bytes);
  const auto model = trained.model();
  const auto expected = direct.coefficients();
  EXPECT_EQ(std::memcmp(model.coefficients, expected.data(), expected.size() * sizeof(float)), 0);
  for (Index i = 0; i < made.samples; ++i) {
    float scores[3];
    tamis_scores_f32(&model, &made.values[i], made.samples, scores);
    const auto label = tamis_predict_f32(&model, &made.values[i], made.samples);
    EXPECT_EQ(label, direct.fit.model.predict(&made.values[i], made.samples));
    for (const float score : scores) EXPECT_LE(score, scores[label]);
  }
}

TEST(CInterface, EverySmoothLossGivesTheBitsOfCpp) {
  const auto check = [](const Made<float>& made, std::uint32_t kind, auto loss) {
    auto p = problem_of(made);
    p.loss = kind;
    p.margin = 0.75f;
    const tamis::Options<float> options{.lambda = 0.02f, .margin = 0.75f};
    const auto expect_same = [&](std::uint32_t solver, const auto& direct) {
      p.solver = solver;
      const Trained trained(p);
      EXPECT_EQ(trained.status, TAMIS_CONVERGED);
      const auto expected = direct.coefficients();
      EXPECT_EQ(std::memcmp(trained.model().coefficients, expected.data(), expected.size() * sizeof(float)), 0);
    };
    expect_same(TAMIS_FISTA, tamis::testing::run_default(made, loss, tamis::L1{}, options));
    using Loss = decltype(loss);
    const auto run = [&]<class Solver>(std::type_identity<Solver>) {
      return tamis::testing::run<Solver, float>(made.design(), made.targets(), loss, tamis::L1{}, options);
    };
    const auto descended = run(std::type_identity<tamis::BlockCoordinateDescent<float, Loss, tamis::L1>>{});
    expect_same(TAMIS_BLOCK_COORDINATE_DESCENT, descended);
    if constexpr (std::is_same_v<Loss, tamis::SquaredHinge>)
      if (made.samples < made.features)
        return expect_same(TAMIS_AUTOMATIC, run(std::type_identity<tamis::TwoPhase<float, Loss, tamis::L1>>{}));
    expect_same(TAMIS_AUTOMATIC, descended);
  };
  for (const Made<float>& made : {Made<float>(50, 8, 3, 31), Made<float>(20, 24, 3, 31)}) {
    check(made, TAMIS_SQUARED_HINGE, tamis::SquaredHinge{});
    check(made, TAMIS_LOGISTIC, tamis::Logistic{});
    check(made, TAMIS_ONE_VS_REST_SQUARED_HINGE, tamis::OneVsRestSquaredHinge{});
  }
}

TEST(CInterface, DoubleSparseWeightedAndStrided) {
  Made<double> made(60, 7, 4, 33);
  for (std::size_t e = 0; e < made.values.size(); e += 2) made.values[e] = 0;
  const tamis::testing::Compressed<double> compressed(made.design());
  made.weights.assign(made.samples, 2.0);
  tamis_problem_f64 p;
  tamis_default_problem_f64(&p);
  p.loss = TAMIS_SQUARED_HINGE;
  p.penalty = TAMIS_GROUP_LINF;
  p.block = 2;
  p.samples = made.samples;
  p.features = made.features;
  p.classes = made.classes;
  p.labels = made.labels.data();
  p.weights = made.weights.data();
  p.lambda = 0.05;
  p.tolerance = 1e-7;
  const auto objective = [&] {
    GuardedMemory memory(tamis_training_bytes_f64(&p));
    tamis_training_f64 training;
    EXPECT_EQ(tamis_train_f64(&training, &p, memory.span().data(), memory.span().size(), nullptr, nullptr),
              TAMIS_CONVERGED);
    tamis_report_f64 report;
    tamis_report_of_f64(&training, &report);
    return report.objective;
  };
  p.values = made.values.data();
  const double dense = objective();
  std::vector<double> spread;
  for (Index j = 0; j < made.features; ++j) {
    spread.insert(spread.end(), &made.values[j * made.samples], &made.values[j * made.samples] + made.samples);
    spread.insert(spread.end(), 3, std::nan(""));
  }
  p.values = spread.data();
  p.column_stride = made.samples + 3;
  EXPECT_EQ(objective(), dense);
  p.values = compressed.values.data();
  p.rows = compressed.rows.data();
  p.starts = compressed.starts.data();
  EXPECT_NEAR(objective(), dense, 1e-6);

  auto backwards = compressed.starts;
  p.starts = backwards.data();
  backwards[1] = 1000000;  // a column that ends before it starts: no such entry is looked at
  tamis_training_f64 refused;
  GuardedMemory arena(tamis_training_bytes_f64(&p));
  EXPECT_EQ(tamis_start_f64(&refused, &p, arena.span().data(), arena.span().size()), TAMIS_INVALID_DATA);
  tamis_report_f64 report;
  tamis_report_of_f64(&refused, &report);
  EXPECT_EQ(report.column, 1u);
}

TEST(CInterface, PenaltiesWithParametersAndListedGroups) {
  const Made<float> made(50, 8, 3, 31);
  const auto expect_same = [&](const tamis_problem_f32& p, auto solver) {
    GuardedMemory memory(decltype(solver)::requirement(made.shape()).bytes);
    solver.start(memory.span());
    while (solver.step()) {
    }
    const Trained trained(p);
    EXPECT_EQ(trained.status, static_cast<tamis_status>(solver.report().status));
    EXPECT_EQ(trained.report().objective, solver.report().objective);
    EXPECT_EQ(trained.report().iterations, solver.report().iterations);
    EXPECT_EQ(trained.report().arena_bytes, memory.span().size());
    EXPECT_TRUE(trained.memory.surroundings_intact());
  };
  using tamis::Hinge, tamis::PrimalDual, tamis::ElasticNet, tamis::SparseGroup, tamis::WeightedL1;
  const tamis::Options<float> options{.lambda = 0.02f};
  const std::uint32_t order[] = {7, 0, 3, 1, 2, 4, 5, 6}, starts[] = {0, 2, 3, 8};
  auto p = problem_of(made);
  p.penalty = TAMIS_ELASTIC_NET;
  p.l1_ratio = 0.3f;
  expect_same(
      p, tamis::CrammerSingerDual<float, Hinge, ElasticNet<float>>(made.design(), made.targets(), {}, {0.3f}, options));
  p.loss = TAMIS_LOGISTIC;
  p.solver = TAMIS_FISTA;
  p.margin = 0.5f;
  const tamis::Options<float> with_margin{.lambda = 0.02f, .margin = 0.5f};
  expect_same(p, tamis::Fista<float, tamis::Logistic, ElasticNet<float>>(made.design(), made.targets(), {}, {0.3f},
                                                                         with_margin));
  p.loss = TAMIS_HINGE;
  p.solver = TAMIS_AUTOMATIC;
  p.margin = NAN;
  p.penalty = TAMIS_SPARSE_GROUP;
  p.group_order = order;
  p.group_starts = starts;
  p.group_count = 3;
  const SparseGroup<float> sparse_group{tamis::Groups::listed(order, starts, 3), {0.3f}};
  expect_same(p,
              PrimalDual<float, Hinge, SparseGroup<float>>(made.design(), made.targets(), {}, sparse_group, options));
  p.penalty = TAMIS_REWEIGHTED_L1;
  p.epsilon = 0.2f;
  expect_same(p, tamis::Reweighted<PrimalDual<float, Hinge, WeightedL1<float>>>(made.design(), made.targets(), {},
                                                                                options, {.epsilon = 0.2f}));
}

TEST(CInterface, StepsObserversAndStopping) {
  const Made<float> made(50, 8, 3, 31);
  const auto p = problem_of(made);
  const Trained whole(p);
  GuardedMemory memory(tamis_training_bytes_f32(&p));
  tamis_training_f32 training;
  EXPECT_EQ(tamis_start_f32(&training, &p, memory.span().data(), memory.span().size()), TAMIS_RUNNING);
  int calls = 0;
  while (tamis_step_f32(&training, 7) == TAMIS_RUNNING) ++calls;
  EXPECT_GT(calls, 3);
  tamis_report_f32 report;
  tamis_report_of_f32(&training, &report);
  EXPECT_EQ(report.objective, whole.report().objective);

  int seen = 0;
  const Trained stopped(
      p, [](void* context, const tamis_report_f32*) { return ++*static_cast<int*>(context) < 2 ? 1 : 0; }, &seen);
  EXPECT_EQ(stopped.status, TAMIS_STOPPED);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(stopped.model().features, made.features);
}

TEST(CInterface, BlobAndHeader) {
  const Made<float> made(50, 8, 3, 31);
  const Trained trained(problem_of(made));
  const auto model = trained.model();
  std::vector<unsigned char> blob(tamis_blob_bytes_f32(&model));
  EXPECT_EQ(tamis_blob_write_f32(&model, blob.data(), blob.size() - 1), 0u);
  ASSERT_EQ(tamis_blob_write_f32(&model, blob.data(), blob.size()), blob.size());
  const auto bytes = tamis_blob_coefficient_bytes_f32(blob.data(), blob.size());
  ASSERT_EQ(bytes, (made.features + 1) * 4 * sizeof(float));
  EXPECT_EQ(tamis_blob_coefficient_bytes_f64(blob.data(), blob.size()), 0u);
  alignas(TAMIS_ALIGNMENT) float coefficients[64];
  tamis_model_f32 read;
  EXPECT_EQ(tamis_blob_read_f32(blob.data(), blob.size(), coefficients, bytes - 1, &read), TAMIS_ARENA_TOO_SMALL);
  ASSERT_EQ(tamis_blob_read_f32(blob.data(), blob.size(), coefficients, sizeof coefficients, &read), TAMIS_CONVERGED);
  EXPECT_EQ(std::memcmp(read.coefficients, model.coefficients, bytes), 0);
  blob[9] ^= 1;
  EXPECT_EQ(tamis_blob_read_f32(blob.data(), blob.size(), coefficients, sizeof coefficients, &read),
            TAMIS_INVALID_DATA);

  const std::size_t length = tamis_export_c_f32(&model, "m", nullptr, nullptr, 0, nullptr, 0);
  std::string text(length, '\0');
  EXPECT_EQ(tamis_export_c_f32(&model, "m", nullptr, nullptr, 0, text.data(), text.size()), length);
  EXPECT_NE(text.find("m_predict"), std::string::npos);
}

TEST(CInterface, RefusalsHaveTheirStatus) {
  const Made<float> made(20, 3, 3, 1);
  const auto good = problem_of(made);
  const auto status = [](const tamis_problem_f32& p) {
    GuardedMemory memory(tamis_training_bytes_f32(&p) % (1u << 20));
    tamis_training_f32 training;
    const auto result = tamis_train_f32(&training, &p, memory.span().data(), memory.span().size(), nullptr, nullptr);
    tamis_report_f32 report;
    tamis_report_of_f32(&training, &report);
    EXPECT_EQ(report.status, static_cast<std::uint32_t>(result));
    tamis_model_f32 model;
    if (result > TAMIS_RUNNING) {
      EXPECT_TRUE(memory.untouched());
      EXPECT_EQ(tamis_model_of_f32(&training, &model), TAMIS_INVALID_SHAPE);
      const float sample[1] = {0};
      EXPECT_EQ(tamis_predict_f32(&model, sample, 1), 65535u) << "no label";
      EXPECT_EQ(tamis_step_f32(&training, 5), result) << "a refused run stays refused";
      tamis_stop_f32(&training);
      EXPECT_GT(std::strlen(tamis_status_sentence(result)), 10u);
    }
    return result;
  };
  EXPECT_EQ(status(good), TAMIS_CONVERGED);
  auto p = good;
  p.loss = 9;
  EXPECT_EQ(status(p), TAMIS_INVALID_OPTION);
  EXPECT_EQ(tamis_training_bytes_f32(&p), 0u);
  p = good;
  p.solver = TAMIS_FISTA;
  EXPECT_EQ(status(p), TAMIS_INVALID_COMBINATION);
  EXPECT_NE(std::string(tamis_refusal(p.solver, p.loss, p.penalty)).find("smooth"), std::string::npos);
  EXPECT_EQ(tamis_refusal(TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_L1), nullptr);
  p = good;
  p.values = nullptr;
  EXPECT_EQ(status(p), TAMIS_INVALID_SHAPE);
  p = good;
  p.labels = nullptr;
  EXPECT_EQ(status(p), TAMIS_INVALID_SHAPE);
  p = good;
  p.column_stride = 5;
  EXPECT_EQ(status(p), TAMIS_INVALID_SHAPE);
  p = good;
  p.features = 0;
  EXPECT_EQ(status(p), TAMIS_INVALID_SHAPE);
  p = good;
  p.classes = 1;
  EXPECT_EQ(status(p), TAMIS_INVALID_SHAPE);
  p = good;
  p.lambda = -1;
  EXPECT_EQ(status(p), TAMIS_INVALID_LAMBDA);
  p.lambda = std::nanf("");
  EXPECT_EQ(status(p), TAMIS_INVALID_LAMBDA);
  p = good;
  p.tolerance = 0;
  EXPECT_EQ(status(p), TAMIS_INVALID_OPTION);
  p = good;
  p.max_iterations = 0;
  EXPECT_EQ(status(p), TAMIS_INVALID_OPTION);
  for (const float ratio : {-0.1f, 1.1f, std::nanf("")})
    for (const std::uint32_t penalty : {TAMIS_ELASTIC_NET, TAMIS_SPARSE_GROUP}) {
      p = good;
      p.penalty = penalty;
      p.l1_ratio = ratio;
      EXPECT_EQ(status(p), TAMIS_INVALID_OPTION);
    }
  for (const float epsilon : {0.0f, -1.0f, std::nanf(""), 1e-42f}) {
    p = good;
    p.penalty = TAMIS_REWEIGHTED_L1;
    p.epsilon = epsilon;
    EXPECT_EQ(status(p), TAMIS_INVALID_OPTION);
  }
  const std::uint32_t order[] = {0, 1, 1}, starts[] = {0, 1, 3};
  p = good;
  p.penalty = TAMIS_GROUP_L2;
  p.group_order = order;
  p.group_starts = starts;
  p.group_count = 2;
  EXPECT_EQ(status(p), TAMIS_INVALID_GROUPS);
  p.group_starts = nullptr;
  EXPECT_EQ(status(p), TAMIS_INVALID_GROUPS);
  auto broken = made;
  broken.values[4] = std::nanf("");
  EXPECT_EQ(status(problem_of(broken)), TAMIS_INVALID_DATA);
  broken = made;
  broken.labels[2] = 3;
  EXPECT_EQ(status(problem_of(broken)), TAMIS_INVALID_LABEL);
  broken = made;
  for (auto& y : broken.labels) y = y == 2 ? 0 : y;
  EXPECT_EQ(status(problem_of(broken)), TAMIS_MISSING_CLASS);
  const std::vector<float> negative(20, -1.0f);
  p = good;
  p.weights = negative.data();
  EXPECT_EQ(status(p), TAMIS_INVALID_WEIGHT);
  p = good;
  p.margins = negative.data();
  EXPECT_EQ(status(p), TAMIS_INVALID_MARGIN);
  const std::vector<float> ones(20, 1.0f);
  p.margins = ones.data();
  p.margin = 1;
  EXPECT_EQ(status(p), TAMIS_INVALID_MARGIN);
  p.margins = nullptr;
  EXPECT_EQ(status(p), TAMIS_CONVERGED);
  p.margin = 0;
  EXPECT_EQ(status(p), TAMIS_INVALID_MARGIN);
  p.loss = TAMIS_LOGISTIC;
  EXPECT_EQ(status(p), TAMIS_CONVERGED);
  p.margin = -1;
  EXPECT_EQ(status(p), TAMIS_INVALID_MARGIN);

  tamis_training_f32 training;
  alignas(TAMIS_ALIGNMENT) static unsigned char arena[100000];
  const auto needed = tamis_training_bytes_f32(&good);
  ASSERT_LT(needed, sizeof arena);
  EXPECT_EQ(tamis_start_f32(&training, &good, nullptr, needed), TAMIS_INVALID_ARENA);
  EXPECT_EQ(tamis_start_f32(&training, &good, arena + 4, needed), TAMIS_INVALID_ARENA);
  EXPECT_EQ(tamis_start_f32(&training, &good, arena, needed - 1), TAMIS_ARENA_TOO_SMALL);
  tamis_report_f32 report;
  tamis_report_of_f32(&training, &report);
  EXPECT_EQ(report.arena_bytes, needed);
  EXPECT_EQ(tamis_start_f32(&training, &good, arena, needed), TAMIS_RUNNING);
}

// Sums of weights that overflow, and shares that are no normal numbers: no run has an objective that is no number.
template <class Problem, class Training, class Report, class T>
void expect_refused_weight(void (*defaults)(Problem*), std::size_t (*bytes)(const Problem*),
                           tamis_status (*start)(Training*, const Problem*, void*, std::size_t),
                           void (*report_of)(const Training*, Report*), const Made<T>& made, T weight, bool refused) {
  const std::vector<T> weights(made.samples, weight);
  for (const std::uint32_t loss : {TAMIS_HINGE, TAMIS_SQUARED_HINGE, TAMIS_LOGISTIC, TAMIS_ONE_VS_REST_SQUARED_HINGE}) {
    Problem p;
    defaults(&p);
    p.samples = made.samples, p.features = made.features, p.classes = made.classes;
    p.values = made.values.data(), p.labels = made.labels.data(), p.weights = weights.data();
    p.loss = loss;
    p.lambda = T(0.02);
    GuardedMemory memory(bytes(&p));
    Training training{};
    const tamis_status status = start(&training, &p, memory.span().data(), memory.span().size());
    Report report;
    report_of(&training, &report);
    EXPECT_EQ(report.objective, report.objective) << weight;
    EXPECT_EQ(status, refused ? TAMIS_INVALID_WEIGHT : TAMIS_RUNNING) << weight << ' ' << loss;
    EXPECT_EQ(memory.untouched(), refused) << weight;
  }
}
TEST(CInterface, WeightsWithoutASumOrSharesAreRefused) {
  const Made<float> floats(6, 2, 3, 1);
  const Made<double> doubles(6, 2, 3, 1);
  for (const auto& [weight, refused] : {std::pair{1e38f, true}, {1e-41f, true}, {1e37f, false}, {1e-36f, false}})
    expect_refused_weight(tamis_default_problem_f32, tamis_training_bytes_f32, tamis_start_f32, tamis_report_of_f32,
                          floats, weight, refused);
  for (const auto& [weight, refused] : {std::pair{1e308, true}, {1e-320, true}, {1e306, false}, {1e-306, false}})
    expect_refused_weight(tamis_default_problem_f64, tamis_training_bytes_f64, tamis_start_f64, tamis_report_of_f64,
                          doubles, weight, refused);
}

// ---- paths and cross-validation -------------------------------------------------------------------------------------

using Runner = tamis::core::Training<float>;

/// The problem of a made set as C++ solves it, with the solver that suits.
struct Direct {
  const Made<float>& made;
  tamis::ProblemSpec choice;
  tamis::DenseDesign<float> dense = made.design();
  tamis::AnyDesign<float> design{dense};
  auto make() const {
    return [this](const tamis::Targets<float>& targets) {
      return Runner(choice, design, targets, tamis::Options<float>{.lambda = 0.02f});
    };
  }
  tamis::Requirement solver() const { return Runner::requirement(choice, made.shape(), {made.values.size(), 40}); }
  /// That, or what the samples might choose instead.
  tamis::Requirement any_solver() const {
    return Runner::requirement_unseen(choice, made.shape(), {made.values.size(), 40});
  }
};

tamis_grid_f32 grid_of(std::uint32_t points, float ratio = 0.05f) {
  tamis_grid_f32 grid;
  tamis_default_grid_f32(&grid);
  EXPECT_EQ(grid.points, 100u);
  EXPECT_EQ(grid.lambdas, nullptr);
  EXPECT_TRUE(std::isnan(grid.first));
  grid.points = points;
  grid.ratio = ratio;
  return grid;
}

TEST(CInterface, PathsGiveTheBitsOfCpp) {
  const Made<float> made(50, 8, 3, 31);
  for (const auto& [loss, penalty] : {std::pair<std::uint32_t, std::uint32_t>{TAMIS_HINGE, TAMIS_L1},
                                      {TAMIS_LOGISTIC, TAMIS_GROUP_L2},
                                      {TAMIS_HINGE, TAMIS_RIDGE}}) {
    auto p = problem_of(made);
    p.loss = loss;
    p.penalty = penalty;
    auto grid = grid_of(6);
    std::vector<float> scratch(made.samples);
    const Direct direct{made, {static_cast<tamis::LossKind>(loss), static_cast<tamis::PenaltyKind>(penalty)}};
    if (penalty == TAMIS_RIDGE) {
      grid.first = tamis_mean_square_norm_f32(&p, scratch.data());
      EXPECT_EQ(grid.first, tamis::mean_square_norm(direct.dense, true, scratch.data()));
    }
    using P = tamis::Path<float, decltype(direct.make())>;
    const std::size_t bytes = tamis_path_fast_bytes_f32(&p, &grid, made.values.size(), 40);
    ASSERT_EQ(bytes, P::requirement(made.shape(), direct.any_solver()).bytes);
    EXPECT_LE(tamis_path_bytes_f32(&p, &grid), bytes);
    GuardedMemory memory(bytes), own(bytes);
    P expected(direct.make(), made.features, made.targets(), {.points = 6, .first = grid.first, .ratio = 0.05f});
    expected.start(own.span());
    tamis_path_f32 path;
    tamis_status status = tamis_path_start_f32(&path, &p, &grid, memory.span().data(), bytes);
    std::uint32_t points = 0;
    advance_path(expected, [&](const P& at) {
      while (!tamis_path_at_point_f32(&path) && status == TAMIS_RUNNING) status = tamis_path_step_f32(&path, 1000000);
      EXPECT_EQ(tamis_path_at_point_f32(&path), 1);
      EXPECT_EQ(tamis_path_points_f32(&path), ++points);
      EXPECT_EQ(tamis_path_lambda_f32(&path), at.lambda());
      tamis_report_f32 report;
      tamis_path_report_f32(&path, &report);
      EXPECT_EQ(report.objective, at.report().objective);
      EXPECT_EQ(report.iterations, at.report().iterations);
      EXPECT_EQ(report.status, static_cast<std::uint32_t>(at.report().status));
      EXPECT_EQ(report.arena_bytes, P::requirement(made.shape(), direct.solver()).bytes);
      tamis_model_f32 model;
      EXPECT_EQ(tamis_path_model_f32(&path, &model), static_cast<tamis_status>(at.report().status));
      EXPECT_EQ(std::memcmp(model.coefficients, at.model().coefficients, (made.features + 1) * 4 * sizeof(float)), 0);
      if (status == TAMIS_RUNNING) status = tamis_path_step_f32(&path, 1);
      return true;
    });
    EXPECT_EQ(points, 6u);
    EXPECT_EQ(status, TAMIS_CONVERGED);
    EXPECT_TRUE(memory.surroundings_intact());
  }
}

/// Hinge and ridge on samples times `scale`: the coefficients of a solver, in that much memory.
std::vector<float> coefficients_of(tamis_solver solver, float scale, std::size_t bytes, tamis_problem_f32 p,
                                   const Made<float>& made) {
  std::vector<float> values = made.values;
  for (float& x : values) x *= scale;
  p.values = values.data();
  p.solver = solver;
  GuardedMemory memory(bytes);
  tamis_training_f32 training{};
  EXPECT_EQ(tamis_train_f32(&training, &p, memory.span().data(), bytes, nullptr, nullptr), TAMIS_CONVERGED);
  EXPECT_TRUE(memory.surroundings_intact());
  tamis_model_f32 model;
  tamis_model_of_f32(&training, &model);
  return {model.coefficients, model.coefficients + (made.features + 1) * 4};
}

TEST(CInterface, AutomaticGoesByHowFarSamplesAreFromTheirMean) {
  const Made<float> made(60, 6, 3, 31);
  auto p = problem_of(made);
  p.penalty = TAMIS_RIDGE;
  p.lambda = 0.01f;
  p.tolerance = 1e-3f;
  const auto bytes_of = [&](tamis_solver solver) {
    p.solver = solver;
    return tamis_fast_bytes_f32(&p, made.values.size(), 40);
  };
  const std::size_t bytes = bytes_of(TAMIS_AUTOMATIC);
  EXPECT_EQ(bytes, std::max(bytes_of(TAMIS_TWO_PHASE), bytes_of(TAMIS_CRAMMER_SINGER_DUAL)));
  const auto ascent = coefficients_of(TAMIS_CRAMMER_SINGER_DUAL, 1, bytes, p, made);
  EXPECT_EQ(coefficients_of(TAMIS_AUTOMATIC, 1, bytes, p, made), ascent);
  EXPECT_NE(coefficients_of(TAMIS_TWO_PHASE, 1, bytes, p, made), ascent);
  const auto newton = coefficients_of(TAMIS_TWO_PHASE, 1024, bytes, p, made);
  EXPECT_EQ(coefficients_of(TAMIS_AUTOMATIC, 1024, bytes, p, made), newton);
}

TEST(CInterface, PathsGoByHowFarSamplesAreFromTheirMean) {
  Made<float> made(60, 6, 3, 31);
  for (float& x : made.values) x *= 1024;
  auto p = problem_of(made);
  p.penalty = TAMIS_RIDGE;
  p.tolerance = 1e-3f;
  const float lambdas[] = {0.1f, 0.01f};
  auto grid = grid_of(2);
  grid.lambdas = lambdas;
  std::vector<std::uint32_t> folds(made.samples);
  for (std::size_t i = 0; i < folds.size(); ++i) folds[i] = i % 3;
  std::vector<float> models[2], held_out[2];
  for (const bool automatic : {false, true}) {
    p.solver = automatic ? TAMIS_AUTOMATIC : TAMIS_TWO_PHASE;
    GuardedMemory memory(tamis_path_fast_bytes_f32(&p, &grid, made.values.size(), 40));
    tamis_path_f32 path;
    tamis_status status = tamis_path_start_f32(&path, &p, &grid, memory.span().data(), memory.span().size());
    while (status == TAMIS_RUNNING) status = tamis_path_step_f32(&path, 1000000);
    EXPECT_EQ(status, TAMIS_CONVERGED);
    tamis_model_f32 model;
    tamis_path_model_f32(&path, &model);
    models[automatic].assign(model.coefficients, model.coefficients + (made.features + 1) * 4);
    GuardedMemory room(tamis_cross_validation_fast_bytes_f32(&p, &grid, 3, made.values.size(), 40));
    held_out[automatic].resize(made.samples * 4 * 2);
    tamis_cross_validation_f32 validation;
    tamis_cross_validation_start_keeping_f32(&validation, &p, &grid, folds.data(), 3, held_out[automatic].data(),
                                             room.span().data(), room.span().size());
    while (tamis_cross_validation_step_f32(&validation, 1000000) == TAMIS_RUNNING) {
    }
  }
  EXPECT_EQ(models[true], models[false]);
  EXPECT_EQ(held_out[true], held_out[false]);
  EXPECT_NE(held_out[true], std::vector<float>(held_out[true].size()));
}

TEST(CInterface, PathsStopAndEndEarly) {
  const Made<float> made(50, 20, 3, 31);
  const auto p = problem_of(made);
  auto grid = grid_of(30);
  grid.max_features = 5;
  GuardedMemory memory(tamis_path_bytes_f32(&p, &grid));
  tamis_path_f32 path;
  tamis_report_f32 report;
  tamis_status status = tamis_path_start_f32(&path, &p, &grid, memory.span().data(), memory.span().size());
  std::uint32_t points = 0;
  for (;;) {
    if (tamis_path_at_point_f32(&path)) {
      ++points;
      tamis_path_report_f32(&path, &report);
      EXPECT_LE(report.nonzero_rows, 5u);
    }
    if (status != TAMIS_RUNNING) break;
    status = tamis_path_step_f32(&path, 50);
  }
  EXPECT_EQ(status, TAMIS_CONVERGED);
  EXPECT_LT(points, 30u);
  EXPECT_EQ(points, tamis_path_points_f32(&path));

  status = tamis_path_start_f32(&path, &p, &grid, memory.span().data(), memory.span().size());
  while (tamis_path_points_f32(&path) < 2) status = tamis_path_step_f32(&path, 1);
  tamis_path_step_f32(&path, 1);
  tamis_path_stop_f32(&path);
  EXPECT_EQ(tamis_path_step_f32(&path, 1), TAMIS_STOPPED);
  EXPECT_EQ(tamis_path_points_f32(&path), 2u);
  tamis_path_report_f32(&path, &report);
  EXPECT_EQ(report.status, TAMIS_STOPPED);
}

TEST(CInterface, PathsRefuse) {
  const Made<float> made(20, 3, 3, 1);
  const auto good = problem_of(made);
  const auto defaults = grid_of(5);
  const auto status = [&](const tamis_problem_f32& p, const tamis_grid_f32& grid, std::ptrdiff_t more = 0) {
    auto sized = good;  // where the problem has no size
    const std::size_t bytes = tamis_path_bytes_f32(&p, &grid);
    GuardedMemory memory((bytes ? bytes : tamis_path_bytes_f32(&sized, &defaults)) + static_cast<std::size_t>(more));
    tamis_path_f32 path;
    tamis_report_f32 report;
    tamis_model_f32 model;
    auto result = tamis_path_start_f32(&path, &p, &grid, memory.span().data(), memory.span().size());
    for (int i = 0; i < 1000 && result == TAMIS_RUNNING; ++i) result = tamis_path_step_f32(&path, 1000);
    tamis_path_report_f32(&path, &report);
    if (result > TAMIS_RUNNING) {
      EXPECT_EQ(report.status, static_cast<std::uint32_t>(result));
      EXPECT_EQ(tamis_path_at_point_f32(&path), 0);
      EXPECT_EQ(tamis_path_points_f32(&path), 0u);
      EXPECT_EQ(tamis_path_step_f32(&path, 5), result);
      (void)tamis_path_lambda_f32(&path);
      EXPECT_EQ(tamis_path_model_f32(&path, &model), TAMIS_INVALID_SHAPE);
      EXPECT_EQ(model.features, 0u);
      tamis_path_stop_f32(&path);
    }
    if (result == TAMIS_ARENA_TOO_SMALL) {
      EXPECT_EQ(report.arena_bytes, bytes);
    }
    return result;
  };
  EXPECT_EQ(status(good, defaults), TAMIS_CONVERGED);
  EXPECT_EQ(status(good, defaults, -1), TAMIS_ARENA_TOO_SMALL);
  auto p = good;
  p.lambda = 0, p.eta = 0.5f;
  EXPECT_EQ(status(p, defaults), TAMIS_INVALID_ETA);
  EXPECT_EQ(tamis_path_bytes_f32(&p, &defaults), 0u);
  p = good;
  p.solver = TAMIS_CONSTRAINED_PRIMAL_DUAL;
  EXPECT_EQ(status(p, defaults), TAMIS_INVALID_COMBINATION);
  EXPECT_EQ(tamis_path_bytes_f32(&p, &defaults), 0u);
  p = good;
  p.loss = 9;
  EXPECT_EQ(status(p, defaults), TAMIS_INVALID_OPTION);
  p = good;
  p.values = nullptr;
  EXPECT_EQ(status(p, defaults), TAMIS_INVALID_SHAPE);
  EXPECT_TRUE(std::isnan(tamis_mean_square_norm_f32(&p, nullptr)));
  p = good;
  p.penalty = TAMIS_RIDGE;
  EXPECT_EQ(status(p, defaults), TAMIS_INVALID_LAMBDA) << "ridge has no lambda_max";
  auto broken = made;
  broken.values[4] = std::nanf("");
  EXPECT_EQ(status(problem_of(broken), defaults), TAMIS_INVALID_DATA);
  const float rising[] = {0.1f, 0.2f};
  auto grid = defaults;
  grid.lambdas = rising, grid.points = 2;
  EXPECT_EQ(status(good, grid), TAMIS_INVALID_LAMBDA);
  grid = defaults;
  grid.points = 0;
  EXPECT_EQ(status(good, grid), TAMIS_INVALID_LAMBDA);
  const float to_zero[] = {0.1f, 0.0f};  // at zero ridge takes another solver
  grid.lambdas = to_zero, grid.points = 2;
  p = good;
  p.penalty = TAMIS_RIDGE, p.tolerance = 0.1f;
  EXPECT_LE(status(p, grid), TAMIS_RUNNING);
}

TEST(CInterface, CrossValidationGivesTheBitsOfCpp) {
  const Made<float> made(60, 6, 3, 9);
  const auto p = problem_of(made);
  std::vector<std::uint32_t> fold(60), again(60), order(61), starts(61), counts(12);
  std::uint32_t rare;
  ASSERT_EQ(tamis_deal_folds(made.labels.data(), 60, 3, 4, 1, 5, fold.data(), order.data(), &rare), 1);
  ASSERT_TRUE(tamis::deal_folds(made.labels, 3, 4, true, 5, again.data(), order.data(), rare));
  EXPECT_EQ(fold, again);
  fold[7] = TAMIS_NO_FOLD;
  auto grid = grid_of(5);
  grid.first = 0.2f;
  const Direct direct{made, {tamis::LossKind::hinge, tamis::PenaltyKind::l1}};
  using CV = tamis::CrossValidation<float, decltype(direct.make()), tamis::AnyDesign<float>, tamis::Hinge>;
  const std::size_t bytes = tamis_cross_validation_fast_bytes_f32(&p, &grid, 4, made.values.size(), 40);
  ASSERT_EQ(bytes, CV::requirement(made.shape(), 4, 5, direct.solver()).bytes);
  EXPECT_LT(tamis_cross_validation_bytes_f32(&p, &grid, 4), bytes);
  GuardedMemory own(bytes), memory(bytes);
  CV expected(direct.make(), direct.design, made.targets(), {}, fold.data(), 4,
              {.points = 5, .first = 0.2f, .ratio = 0.05f});
  expected.start(own.span());
  while (expected.step()) {
  }
  ASSERT_EQ(expected.status(), tamis::Status::converged);
  tamis_cross_validation_f32 cv;
  tamis_held_out_f32 at;
  tamis_status status = tamis_cross_validation_start_f32(&cv, &p, &grid, fold.data(), 4, memory.span().data(), bytes);
  std::set<std::uint32_t> folds;
  while (status == TAMIS_RUNNING) {
    EXPECT_EQ(tamis_cross_validation_at_f32(&cv, 0, &at), TAMIS_INVALID_SHAPE);
    folds.insert(tamis_cross_validation_fold_f32(&cv));
    EXPECT_LE(tamis_cross_validation_points_done_f32(&cv), 5u);
    status = tamis_cross_validation_step_f32(&cv, 3);
  }
  ASSERT_EQ(status, TAMIS_CONVERGED);
  EXPECT_EQ(folds.size(), 4u);
  EXPECT_TRUE(memory.surroundings_intact());
  for (std::uint32_t l = 0; l < 5; ++l) {
    const auto wanted = expected.at(l);
    ASSERT_EQ(tamis_cross_validation_at_f32(&cv, l, &at), TAMIS_CONVERGED);
    EXPECT_EQ(std::memcmp(&at, &wanted, sizeof at), 0);
  }
  EXPECT_EQ(tamis_cross_validation_at_f32(&cv, 5, &at), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(tamis_cross_validation_best_f32(&cv, TAMIS_ERROR), expected.best());
  EXPECT_EQ(tamis_cross_validation_best_f32(&cv, TAMIS_LOSS), expected.best(tamis::Measure::loss));
  EXPECT_EQ(tamis_cross_validation_one_standard_error_f32(&cv, TAMIS_ERROR), expected.one_standard_error());
  EXPECT_EQ(tamis_cross_validation_one_standard_error_f32(&cv, TAMIS_LOSS),
            expected.one_standard_error(tamis::Measure::loss));

  tamis_report_f32 report;
  const auto begin = [&](const tamis_problem_f32& problem, const tamis_grid_f32& g, const std::uint32_t* fold_of,
                         std::uint32_t count, std::size_t size) {
    const auto result = tamis_cross_validation_start_f32(&cv, &problem, &g, fold_of, count, memory.span().data(), size);
    tamis_cross_validation_report_f32(&cv, &report);
    EXPECT_EQ(report.status, static_cast<std::uint32_t>(result));
    EXPECT_EQ(tamis_cross_validation_best_f32(&cv, TAMIS_ERROR), 0u);
    return result;
  };
  const std::size_t least = tamis_cross_validation_bytes_f32(&p, &grid, 4);
  EXPECT_EQ(begin(p, grid, fold.data(), 4, least), TAMIS_RUNNING);
  EXPECT_EQ(begin(p, grid, fold.data(), 4, least - 1), TAMIS_ARENA_TOO_SMALL);
  EXPECT_EQ(report.arena_bytes, least);
  for (const std::size_t size : {std::size_t(0), std::size_t(2000)}) {
    EXPECT_EQ(begin(p, grid, fold.data(), 4, size), TAMIS_ARENA_TOO_SMALL);
    EXPECT_EQ(report.arena_bytes, least);
  }
  EXPECT_EQ(begin(p, grid, nullptr, 4, bytes), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(begin(p, grid, fold.data(), 3, bytes), TAMIS_INVALID_OPTION) << "a fold that there is not";
  EXPECT_EQ(begin(p, grid, fold.data(), 0, bytes), TAMIS_INVALID_OPTION);
  EXPECT_EQ(begin(p, grid_of(5), fold.data(), 4, bytes), TAMIS_INVALID_LAMBDA) << "an open grid";
  auto other = p;
  other.eta = 1;
  EXPECT_EQ(begin(other, grid, fold.data(), 4, bytes), TAMIS_INVALID_ETA);
  for (Index i = 0; i < 60; ++i) fold[i] = made.labels[i] == 2 ? 1 : i % 2;
  fold[0] = fold[1] = 0;
  status = begin(p, grid, fold.data(), 2, bytes);
  while (status == TAMIS_RUNNING) status = tamis_cross_validation_step_f32(&cv, 1000);
  tamis_cross_validation_report_f32(&cv, &report);
  EXPECT_EQ(status, TAMIS_MISSING_CLASS);
  EXPECT_EQ(report.column, 2u);
  EXPECT_EQ(tamis_cross_validation_fold_f32(&cv), 1u);

  EXPECT_EQ(begin(p, grid, again.data(), 4, bytes), TAMIS_RUNNING);
  tamis_cross_validation_stop_f32(&cv);
  EXPECT_EQ(tamis_cross_validation_step_f32(&cv, 1), TAMIS_STOPPED);
}

TEST(CInterface, FoldsAndGroupsAreDealt) {
  const std::uint16_t labels[] = {0, 0, 0, 1, 1, 0};
  const std::uint32_t group[] = {7, 7, 9, 9, 4, 4};
  std::uint32_t fold[6], order[7], starts[7], counts[6], rare;
  EXPECT_EQ(tamis_deal_folds(labels, 6, 2, 3, 1, 1, fold, order, &rare), 0);
  EXPECT_EQ(rare, 1u);
  EXPECT_EQ(tamis_deal_folds(labels, 6, 2, 3, 1, 1, fold, order, nullptr), 0);
  EXPECT_EQ(tamis_deal_folds(labels, 6, 2, 3, 0, 1, fold, order, &rare), 1);
  EXPECT_EQ(tamis_deal_groups(labels, 6, 2, group, 3, fold, order, starts, counts), 1);
  for (int i = 0; i < 6; i += 2) EXPECT_EQ(fold[i], fold[i + 1]);
  EXPECT_EQ(tamis_deal_groups(labels, 6, 2, group, 4, fold, order, starts, counts), 0);
  EXPECT_EQ(tamis_deal_groups(labels, 6, 1, group, 2, fold, order, starts, counts), 0);
}

}  // namespace
