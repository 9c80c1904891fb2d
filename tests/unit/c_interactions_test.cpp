// Interactions in C: the same bits as C++, every refusal with its status.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/model/export_interactions_c.hpp"
#include "tamis/selection/interaction_cross_validation.hpp"
#include "tamis_interactions.h"

namespace {

using tamis::Index;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

constexpr Index samples = 40, features = 6, classes = 3;

// The functions of one scalar by plain names.
template <class T>
struct C;
#define TAMIS_TEST_C(T, S)                                                          \
  template <>                                                                       \
  struct C<T> {                                                                     \
    using Problem = tamis_interactions_problem_##S;                                 \
    using Run = tamis_interactions_##S;                                             \
    using Report = tamis_report_##S;                                                \
    using Term = tamis_interactions_term_##S;                                       \
    using Model = tamis_interactions_model_##S;                                     \
    static constexpr auto default_problem = tamis_default_interactions_problem_##S; \
    static constexpr auto bytes = tamis_interactions_bytes_##S;                     \
    static constexpr auto start = tamis_interactions_start_##S;                     \
    static constexpr auto step = tamis_interactions_step_##S;                       \
    static constexpr auto train = tamis_interactions_train_##S;                     \
    static constexpr auto stop = tamis_interactions_stop_##S;                       \
    static constexpr auto report_of = tamis_interactions_report_of_##S;             \
    static constexpr auto terms_of = tamis_interactions_terms_of_##S;               \
    static constexpr auto predict = tamis_interactions_predict_##S;                 \
    static constexpr auto scores = tamis_interactions_scores_##S;                   \
  };
TAMIS_TEST_C(float, f32)
TAMIS_TEST_C(double, f64)

/// Samples in columns further apart than there are samples, labels, and targets in which one product matters.
template <class T>
struct Data {
  static constexpr Index stride = samples + 3;
  Made<T> made{samples, features, classes, 21};
  std::vector<T> values, targets;

  Data() : values(std::size_t{features} * stride, tamis::not_a_number<T>) {
    for (Index j = 0; j < features; ++j)
      for (Index i = 0; i < samples; ++i) values[i + j * stride] = made.values[i + j * samples];
    for (Index i = 0; i < samples; ++i) targets.push_back(2 + x(i, 0) + 3 * x(i, 1) * x(i, 2));
  }
  T x(Index i, Index j) const { return values[i + j * stride]; }

  typename C<T>::Problem problem(std::uint32_t loss) const {
    typename C<T>::Problem p;
    C<T>::default_problem(&p);
    p.lambda = T(0.02);
    p.tolerance = T(1e-3);
    p.loss = loss;
    p.samples = samples;
    p.features = features;
    p.column_stride = stride;
    p.values = values.data();
    if (loss == TAMIS_INTERACTIONS_LEAST_SQUARES) p.targets = targets.data();
    else p.labels = made.labels.data(), p.classes = classes;
    return p;
  }
};

/// A finished run and its terms.
template <class T>
struct Trained {
  typename C<T>::Run run{};
  GuardedMemory memory;
  std::vector<typename C<T>::Term> terms;
  std::vector<T> intercepts = std::vector<T>(classes);
  typename C<T>::Model model{};

  explicit Trained(const typename C<T>::Problem& p) : memory(C<T>::bytes(&p)) {
    C<T>::train(&run, &p, memory.span().data(), memory.span().size(), nullptr, nullptr);
    take();
  }
  void take() {
    terms.resize(C<T>::terms_of(&run, nullptr, 0, nullptr, nullptr));
    EXPECT_EQ(C<T>::terms_of(&run, terms.data(), terms.size(), intercepts.data(), &model), terms.size());
  }
  typename C<T>::Report report() const {
    typename C<T>::Report out;
    C<T>::report_of(&run, &out);
    return out;
  }
};

template <class T>
void expect_the_bits_of_cpp() {
  const Data<T> data;
  for (const std::uint32_t loss : {TAMIS_INTERACTIONS_LEAST_SQUARES, TAMIS_INTERACTIONS_SQUARED_HINGE})
    for (std::uint32_t hierarchy = 0; hierarchy < 4; ++hierarchy)
      for (std::uint32_t norm = 0; norm < 2; ++norm)
        for (const bool given : {false, true}) {
          auto p = data.problem(loss);
          p.hierarchy = hierarchy;
          p.norm = norm;
          p.intercept = given;
          if (given) p.lambda2 = T(0.005);
          Trained<T> trained(p);
          EXPECT_TRUE(trained.memory.surroundings_intact());

          tamis::InteractionTargets<T> targets;
          if (loss == TAMIS_INTERACTIONS_LEAST_SQUARES) targets.values = data.targets.data();
          else targets = {nullptr, data.made.labels, classes};
          const T half = hierarchy == TAMIS_HIERARCHY_FULL ? T(0.02) : T(0.02) / 2;
          tamis::InteractionAdmm<T> solver({data.values.data(), samples, features, Data<T>::stride}, targets,
                                           tamis::Hierarchy(hierarchy), tamis::HierarchyNorm(norm),
                                           given && hierarchy != TAMIS_HIERARCHY_MAIN ? T(0.005) : half,
                                           {.lambda = T(0.02), .tolerance = T(1e-3), .intercept = given});
          GuardedMemory memory(solver.requirement({samples, features, targets.classes}).bytes);
          ASSERT_EQ(memory.span().size(), trained.memory.span().size());
          solver.start(memory.span());
          while (solver.step()) {
          }
          const auto report = trained.report();
          const auto& expected = solver.report();
          ASSERT_EQ(report.status, std::uint32_t(TAMIS_CONVERGED)) << loss << hierarchy << norm << given;
          EXPECT_EQ(report.objective, expected.objective);
          EXPECT_EQ(report.dual_objective, expected.dual_objective);
          EXPECT_EQ(report.gap, expected.gap);
          EXPECT_EQ(report.relative_gap, expected.relative_gap);
          EXPECT_EQ(report.epochs, expected.epochs);
          EXPECT_EQ(report.iterations, expected.iterations);
          EXPECT_EQ(report.nonzeros, expected.nonzeros);
          EXPECT_EQ(report.nonzero_rows, expected.nonzero_rows);
          EXPECT_EQ(report.arena_bytes, memory.span().size());
          EXPECT_TRUE(report.lambda_max == expected.lambda_max || std::isnan(report.lambda_max));

          const auto model = solver.model();
          std::vector<tamis::InteractionTerm<T>> terms(count_terms(model));
          take_terms<T>(model, terms);
          ASSERT_EQ(trained.terms.size(), terms.size());
          bool products = false;
          for (std::size_t t = 0; t < terms.size(); ++t) {
            EXPECT_EQ(trained.terms[t].output, terms[t].output);
            EXPECT_EQ(trained.terms[t].first, terms[t].first);
            EXPECT_EQ(trained.terms[t].second, terms[t].second);
            EXPECT_EQ(trained.terms[t].coefficient, terms[t].coefficient);
            products = products || terms[t].is_product();
          }
          EXPECT_EQ(products, hierarchy != TAMIS_HIERARCHY_MAIN);
          const tamis::InteractionTerms<T> view{terms, model.intercepts, features, model.outputs};
          ASSERT_EQ(trained.model.outputs, model.outputs);
          EXPECT_EQ(trained.model.features, features);
          for (Index i = 0; i < samples; ++i) {
            const T* x = data.values.data() + i;
            T scores[classes];
            C<T>::scores(&trained.model, x, Data<T>::stride, scores);
            for (Index k = 0; k < model.outputs; ++k) EXPECT_EQ(scores[k], view.score(x, Data<T>::stride, k));
            EXPECT_EQ(C<T>::predict(&trained.model, x, Data<T>::stride), view.predict(x, Data<T>::stride));
          }
        }
}

TEST(CInteractions, GiveTheBitsOfCpp) {
  expect_the_bits_of_cpp<float>();
  expect_the_bits_of_cpp<double>();
}

TEST(CInteractions, StepAndStop) {
  const Data<float> data;
  auto p = data.problem(TAMIS_INTERACTIONS_SQUARED_HINGE);
  p.tolerance = 1e-4f;
  const Trained<float> whole(p);
  GuardedMemory memory(tamis_interactions_bytes_f32(&p));
  tamis_interactions_f32 run;
  ASSERT_EQ(tamis_interactions_start_f32(&run, &p, memory.span().data(), memory.span().size()), TAMIS_RUNNING);
  EXPECT_EQ(tamis_interactions_step_f32(&run, 10), TAMIS_RUNNING);
  tamis_report_f32 report;
  tamis_interactions_report_of_f32(&run, &report);
  EXPECT_EQ(report.iterations, 10u);
  while (tamis_interactions_step_f32(&run, 7) == TAMIS_RUNNING) {
  }
  tamis_interactions_report_of_f32(&run, &report);
  EXPECT_EQ(report.iterations, whole.report().iterations);
  EXPECT_EQ(report.objective, whole.report().objective);

  ASSERT_EQ(tamis_interactions_start_f32(&run, &p, memory.span().data(), memory.span().size()), TAMIS_RUNNING);
  tamis_interactions_step_f32(&run, 20);
  tamis_interactions_stop_f32(&run);
  EXPECT_EQ(tamis_interactions_step_f32(&run, 1), TAMIS_STOPPED);
  EXPECT_GT(tamis_interactions_terms_of_f32(&run, nullptr, 0, nullptr, nullptr), 0u);

  struct Watch {
    std::uint32_t calls = 0;
    static int look(void* context, const tamis_report_f32* now) {
      EXPECT_GE(now->gap, 0.0f);
      return ++static_cast<Watch*>(context)->calls < 3;
    }
  } watch;
  EXPECT_EQ(tamis_interactions_train_f32(&run, &p, memory.span().data(), memory.span().size(), Watch::look, &watch),
            TAMIS_STOPPED);
  EXPECT_EQ(watch.calls, 3u);
}

TEST(CInteractions, GoOnWithOtherWeights) {
  const Data<double> data;
  auto p = data.problem(TAMIS_INTERACTIONS_LEAST_SQUARES);
  p.tolerance = 1e-8;
  Trained<double> path(p);
  p.lambda = 0.01;
  const Trained<double> cold(p);
  EXPECT_EQ(tamis_interactions_go_on_f64(&path.run, -1, 0.1), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(path.report().status, std::uint32_t(TAMIS_CONVERGED));
  if (tamis_interactions_go_on_f64(&path.run, 0.01, tamis::not_a_number<double>) == TAMIS_RUNNING)
    while (tamis_interactions_step_f64(&path.run, 100) == TAMIS_RUNNING) {
    }
  EXPECT_EQ(path.report().status, std::uint32_t(TAMIS_CONVERGED));
  EXPECT_NEAR(path.report().objective, cold.report().objective, 2e-8);
  // With a ratio it is that of every lambda, and the same as such a lambda2.
  auto by = data.problem(TAMIS_INTERACTIONS_LEAST_SQUARES), given = by;
  by.lambda2_ratio = 0.25, given.lambda2 = 0.25 * given.lambda;
  Trained<double> ratio(by), weight(given);
  EXPECT_EQ(ratio.report().objective, weight.report().objective);
  const double usual = Trained<double>(data.problem(TAMIS_INTERACTIONS_LEAST_SQUARES)).report().objective;
  EXPECT_NE(ratio.report().objective, usual);
  for (auto [run, second] : {std::pair(&ratio.run, tamis::not_a_number<double>), std::pair(&weight.run, 0.25 * 0.01)})
    if (tamis_interactions_go_on_f64(run, 0.01, second) == TAMIS_RUNNING)
      while (tamis_interactions_step_f64(run, 100) == TAMIS_RUNNING) {
      }
  EXPECT_EQ(ratio.report().objective, weight.report().objective);
  p.samples = 0;
  tamis_interactions_f64 refused;
  EXPECT_EQ(tamis_interactions_start_f64(&refused, &p, nullptr, 0), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(tamis_interactions_go_on_f64(&refused, 0.01, 0.01), TAMIS_INVALID_SHAPE);
}

// Folds, and one that is held out once: the bits of C++.
template <class T>
void check_validation(std::uint32_t loss, std::uint32_t hierarchy, std::uint32_t norm, T lambda2) {
  constexpr bool single = sizeof(T) == 4;
  using Memory =
      std::conditional_t<single, tamis_interactions_cross_validation_f32, tamis_interactions_cross_validation_f64>;
  using CGrid = std::conditional_t<single, tamis_grid_f32, tamis_grid_f64>;
  using CHeld = std::conditional_t<single, tamis_held_out_f32, tamis_held_out_f64>;
  const auto of = [](auto f32, auto f64) {
    if constexpr (single) return f32;
    else return f64;
  };
  const auto bytes_of =
      of(tamis_interactions_cross_validation_bytes_f32, tamis_interactions_cross_validation_bytes_f64);
  const auto start = of(tamis_interactions_cross_validation_start_f32, tamis_interactions_cross_validation_start_f64);
  const auto step = of(tamis_interactions_cross_validation_step_f32, tamis_interactions_cross_validation_step_f64);
  const auto at = of(tamis_interactions_cross_validation_at_f32, tamis_interactions_cross_validation_at_f64);
  const auto best = of(tamis_interactions_cross_validation_best_f32, tamis_interactions_cross_validation_best_f64);
  const auto one_se = of(tamis_interactions_cross_validation_one_standard_error_f32,
                         tamis_interactions_cross_validation_one_standard_error_f64);
  const auto first_of = of(tamis_interactions_first_lambda_f32, tamis_interactions_first_lambda_f64);
  const auto default_grid = of(tamis_default_grid_f32, tamis_default_grid_f64);
  const auto fold_at = of(tamis_interactions_cross_validation_fold_f32, tamis_interactions_cross_validation_fold_f64);

  const Data<T> data;
  auto p = data.problem(loss);
  p.hierarchy = hierarchy;
  p.norm = norm;
  p.lambda2 = lambda2;
  const bool regression = loss == TAMIS_INTERACTIONS_LEAST_SQUARES;
  tamis::InteractionProblem<T> problem{{data.values.data(), samples, features, Data<T>::stride},
                                       {},
                                       tamis::Hierarchy(hierarchy),
                                       tamis::HierarchyNorm(norm),
                                       {.tolerance = p.tolerance}};
  if (hierarchy != TAMIS_HIERARCHY_MAIN) problem.lambda2 = lambda2;
  if (regression) problem.targets.values = data.targets.data();
  else problem.targets = {nullptr, data.made.labels, classes};
  GuardedMemory one(C<T>::bytes(&p)), other(C<T>::bytes(&p));
  CGrid grid;
  default_grid(&grid);
  grid.points = 4;
  grid.ratio = T(0.05);
  grid.first = first_of(&p, one.span().data(), one.span().size());
  ASSERT_GT(grid.first, T(0));
  EXPECT_EQ(grid.first, problem.first_lambda(other.span()));
  for (const std::uint32_t folds : {1u, 3u}) {
    std::vector<std::uint32_t> fold(samples);
    for (Index i = 0; i < samples; ++i) fold[i] = folds > 1 ? (i / 2) % 3 : i % 4 ? TAMIS_NO_FOLD : 0;
    const std::size_t bytes = bytes_of(&p, &grid, fold.data(), folds);
    GuardedMemory memory(bytes), cpp(bytes);
    Memory run;
    auto status = start(&run, &p, &grid, fold.data(), folds, memory.span().data(), bytes);
    CHeld none;
    EXPECT_EQ(at(&run, 0, &none), TAMIS_INVALID_SHAPE);
    while (status == TAMIS_RUNNING) status = step(&run, 7);
    ASSERT_EQ(status, TAMIS_CONVERGED);
    EXPECT_EQ(fold_at(&run), folds - 1);
    EXPECT_TRUE(memory.surroundings_intact());
    tamis::InteractionCrossValidation<T> cv(problem, fold.data(), folds,
                                            {.points = 4, .first = grid.first, .ratio = T(0.05)});
    cv.start(cpp.span());
    while (cv.step()) {
    }
    for (Index l = 0; l < 4; ++l) {
      CHeld held;
      ASSERT_EQ(at(&run, l, &held), TAMIS_CONVERGED);
      const auto expected = cv.at(l);
      EXPECT_EQ(held.lambda, expected.lambda);
      EXPECT_EQ(held.error, expected.error);
      EXPECT_EQ(held.error_deviation, expected.error_deviation);
      EXPECT_EQ(held.loss, expected.loss);
      EXPECT_EQ(held.loss_deviation, expected.loss_deviation);
    }
    EXPECT_EQ(at(&run, 4, &none), TAMIS_INVALID_SHAPE);
    EXPECT_EQ(best(&run, TAMIS_LOSS), cv.best(tamis::Measure::loss));
    EXPECT_EQ(one_se(&run, TAMIS_ERROR), cv.one_standard_error(tamis::Measure::error));
    EXPECT_EQ(start(&run, &p, &grid, fold.data(), folds, memory.span().data(), bytes - 1), TAMIS_ARENA_TOO_SMALL);
  }
}

TEST(CInteractions, ValidateLambdas) {
  for (const std::uint32_t loss : {TAMIS_INTERACTIONS_LEAST_SQUARES, TAMIS_INTERACTIONS_SQUARED_HINGE})
    for (const auto& [hierarchy, norm] : {std::pair{TAMIS_HIERARCHY_WEAK, TAMIS_HIERARCHY_LINF},
                                          {TAMIS_HIERARCHY_STRONG, TAMIS_HIERARCHY_L2},
                                          {TAMIS_HIERARCHY_FULL, TAMIS_HIERARCHY_RIDGE},
                                          {TAMIS_HIERARCHY_MAIN, TAMIS_HIERARCHY_L1}})
      for (const double lambda2 : {tamis::not_a_number<double>, 0.05}) {
        check_validation<float>(loss, hierarchy, norm, static_cast<float>(lambda2));
        check_validation<double>(loss, hierarchy, norm, lambda2);
      }
}

TEST(CInteractions, ValidationSaysWhatIsWrong) {
  const Data<float> data;
  const auto refused = [&](auto change, tamis_status status) {
    auto p = data.problem(TAMIS_INTERACTIONS_SQUARED_HINGE);
    tamis_grid_f32 grid;
    tamis_default_grid_f32(&grid);
    grid.points = 2;
    grid.first = 1;
    std::vector<std::uint32_t> fold(samples, TAMIS_NO_FOLD);
    fold[3] = 0;
    const std::uint32_t* folds = fold.data();
    std::uint32_t count = 1;
    change(p, grid, fold, folds, count);
    GuardedMemory memory(400000);
    tamis_interactions_cross_validation_f32 run;
    EXPECT_EQ(tamis_interactions_cross_validation_start_f32(&run, &p, &grid, folds, count, memory.span().data(),
                                                            memory.span().size()),
              status);
    EXPECT_EQ(tamis_interactions_cross_validation_step_f32(&run, 5), status);
    tamis_report_f32 report;
    tamis_interactions_cross_validation_report_f32(&run, &report);
    EXPECT_EQ(report.status, std::uint32_t(status));
    EXPECT_EQ(tamis_interactions_cross_validation_best_f32(&run, TAMIS_ERROR), 0u);
    tamis_interactions_cross_validation_stop_f32(&run);
    return report;
  };
  refused([](auto& p, auto&, auto&, auto&, auto&) { p.values = nullptr; }, TAMIS_INVALID_SHAPE);
  refused([](auto& p, auto&, auto&, auto&, auto&) { p.norm = 9; }, TAMIS_INVALID_OPTION);
  refused([](auto& p, auto&, auto&, auto&, auto&) { p.norm = TAMIS_HIERARCHY_RIDGE; }, TAMIS_INVALID_COMBINATION);
  refused([](auto&, auto& grid, auto&, auto&, auto&) { grid.first = tamis::not_a_number<float>; },
          TAMIS_INVALID_LAMBDA);
  refused([](auto&, auto&, auto&, auto& folds, auto&) { folds = nullptr; }, TAMIS_INVALID_SHAPE);
  refused([](auto&, auto&, auto&, auto&, auto& count) { count = 0; }, TAMIS_INVALID_OPTION);
  const auto bad = refused([](auto&, auto&, auto& fold, auto&, auto&) { fold[7] = 5; }, TAMIS_INVALID_OPTION);
  EXPECT_EQ(bad.row, 7u);
  const auto missing = refused(
      [&](auto&, auto&, auto& fold, auto&, auto&) {
        for (Index i = 0; i < samples; ++i)
          if (data.made.labels[i] == 2) fold[i] = 0;
      },
      TAMIS_MISSING_CLASS);
  EXPECT_EQ(missing.column, 2u);
}

// The terms do not point into the arena, and are cut rather than written beyond the caller's array.
TEST(CInteractions, TermsAreCopied) {
  const Data<double> data;
  const auto p = data.problem(TAMIS_INTERACTIONS_SQUARED_HINGE);
  Trained<double> trained(p);
  const std::size_t count = trained.terms.size();
  ASSERT_GT(count, 3u);
  double before[classes], after[classes];
  tamis_interactions_scores_f64(&trained.model, data.values.data(), Data<double>::stride, before);
  std::vector<tamis_interactions_term_f64> few(3);
  few[2].coefficient = -7;
  double intercepts[classes];
  tamis_interactions_model_f64 model;
  EXPECT_EQ(tamis_interactions_terms_of_f64(&trained.run, few.data(), 2, intercepts, &model), count);
  EXPECT_EQ(few[1].coefficient, trained.terms[1].coefficient);
  EXPECT_EQ(few[2].coefficient, -7);
  EXPECT_EQ(model.features, 0u);
  EXPECT_EQ(intercepts[1], trained.intercepts[1]);
  std::memset(trained.memory.span().data(), 0xff, trained.memory.span().size());
  tamis_interactions_scores_f64(&trained.model, data.values.data(), Data<double>::stride, after);
  for (Index k = 0; k < classes; ++k) EXPECT_EQ(before[k], after[k]);
}

TEST(CInteractions, WriteTheHeaderOfCpp) {
  const Data<float> data;
  for (const std::uint32_t loss : {TAMIS_INTERACTIONS_LEAST_SQUARES, TAMIS_INTERACTIONS_SQUARED_HINGE}) {
    const Trained<float> trained(data.problem(loss));
    const char* const labels[] = {"a", "b", "c"};
    std::vector<float> tests;
    for (Index i = 0; i < 2; ++i)
      for (Index j = 0; j < features; ++j) tests.push_back(data.x(i, j));
    std::uint32_t positions[features];
    const auto written = [&](std::string text) {
      const std::size_t length = tamis_interactions_export_c_f32(&trained.model, "m", labels, tests.data(), 2,
                                                                 positions, text.data(), text.size());
      EXPECT_TRUE(text.empty() || length == text.size());
      return text.empty() ? std::string(length, '\0') : text;
    };
    const std::string text = written(written(""));

    std::vector<tamis::InteractionTerm<float>> terms;
    for (const auto& term : trained.terms) terms.push_back({term.output, term.first, term.second, term.coefficient});
    const tamis::InteractionTerms<float> model{terms, trained.intercepts.data(), features, trained.model.outputs};
    std::string expected(text.size(), '\0');
    EXPECT_EQ(tamis::export_interactions_c<float>(model, {"m", labels, nullptr, tests.data(), 2}, positions, expected),
              text.size());
    EXPECT_EQ(text, expected);
    EXPECT_NE(text.find(loss == TAMIS_INTERACTIONS_LEAST_SQUARES ? "m_value" : "m_predict"), std::string::npos);
  }
}

TEST(CInteractions, SayWhatIsWrong) {
  const Data<float> data;
  using Problem = tamis_interactions_problem_f32;
  const auto refused = [&](auto change, std::uint32_t loss = TAMIS_INTERACTIONS_LEAST_SQUARES, std::size_t missing = 0,
                           std::size_t misalignment = 0) {
    auto p = data.problem(loss);
    change(p);
    GuardedMemory memory(std::max<std::size_t>(tamis_interactions_bytes_f32(&p), 16) - missing, misalignment);
    tamis_interactions_f32 run;
    const auto out = tamis_interactions_start_f32(&run, &p, memory.span().data(), memory.span().size());
    EXPECT_TRUE(memory.untouched());
    EXPECT_EQ(tamis_interactions_step_f32(&run, 5), out);
    tamis_interactions_stop_f32(&run);
    tamis_interactions_model_f32 model;
    float intercepts[classes];
    EXPECT_EQ(tamis_interactions_terms_of_f32(&run, nullptr, 0, intercepts, &model), 0u);
    EXPECT_EQ(model.features, 0u);
    tamis_report_f32 report;
    tamis_interactions_report_of_f32(&run, &report);
    EXPECT_EQ(report.status, std::uint32_t(out));
    EXPECT_TRUE(memory.untouched());
    return report;
  };
  const auto status = [&](auto change, std::uint32_t loss = TAMIS_INTERACTIONS_LEAST_SQUARES) {
    return tamis_status(refused(change, loss).status);
  };
  const auto nothing = [](Problem&) {};
  constexpr std::uint32_t hinge = TAMIS_INTERACTIONS_SQUARED_HINGE;
  const auto small = refused(nothing, hinge, 1);
  EXPECT_EQ(small.status, std::uint32_t(TAMIS_ARENA_TOO_SMALL));
  const auto whole = data.problem(hinge);
  EXPECT_EQ(small.arena_bytes, tamis_interactions_bytes_f32(&whole));
  EXPECT_EQ(refused(nothing, hinge, 0, 4).status, std::uint32_t(TAMIS_INVALID_ARENA));

  EXPECT_EQ(status([](Problem& p) { p.lambda = 0; }), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(status([](Problem& p) { p.lambda = std::nanf(""); }), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(status([](Problem& p) { p.lambda2 = -1; }), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(status([](Problem& p) { p.lambda2 = INFINITY; }), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(status([](Problem& p) {
              p.hierarchy = TAMIS_HIERARCHY_FULL;
              p.lambda2 = 0;
            }),
            TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(status([](Problem& p) { p.lambda2_ratio = -1; }), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(status([](Problem& p) { p.hierarchy = TAMIS_HIERARCHY_FULL, p.lambda2_ratio = 0; }), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(status([](Problem& p) { p.lambda2 = p.lambda2_ratio = 0.5f; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Problem& p) { p.hierarchy = TAMIS_HIERARCHY_MAIN, p.lambda2_ratio = 1; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Problem& p) { p.tolerance = 0; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Problem& p) { p.max_iterations = 0; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Problem& p) { p.loss = 2; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Problem& p) { p.hierarchy = 4; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Problem& p) { p.norm = 4; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Problem& p) { p.values = nullptr; }), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(status([](Problem& p) { p.targets = nullptr; }), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(status([](Problem& p) { p.column_stride = samples - 1; }), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(status([](Problem& p) { p.samples = 0; }), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(status([](Problem& p) { p.features = 0; }), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(status([](Problem& p) { p.labels = nullptr; }, hinge), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(status([](Problem& p) { p.classes = 1; }, hinge), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(status([](Problem& p) { p.classes = 65537; }, hinge), TAMIS_INVALID_SHAPE);

  auto values = data.values;
  values[5 + 2 * Data<float>::stride] = INFINITY;
  const auto data_fault = refused([&](Problem& p) { p.values = values.data(); });
  EXPECT_EQ(data_fault.status, std::uint32_t(TAMIS_INVALID_DATA));
  EXPECT_EQ(data_fault.row, 5u);
  EXPECT_EQ(data_fault.column, 2u);
  auto targets = data.targets;
  targets[7] = std::nanf("");
  const auto target_fault = refused([&](Problem& p) { p.targets = targets.data(); });
  EXPECT_EQ(target_fault.status, std::uint32_t(TAMIS_INVALID_DATA));
  EXPECT_EQ(target_fault.row, 7u);
  EXPECT_EQ(target_fault.column, features);
  auto labels = data.made.labels;
  labels[9] = classes;
  const auto label_fault = refused([&](Problem& p) { p.labels = labels.data(); }, hinge);
  EXPECT_EQ(label_fault.status, std::uint32_t(TAMIS_INVALID_LABEL));
  EXPECT_EQ(label_fault.row, 9u);
}

TEST(CInteractions, CountBytes) {
  const Data<float> data;
  auto p = data.problem(TAMIS_INTERACTIONS_LEAST_SQUARES);
  p.classes = 77;  // not read
  EXPECT_EQ(tamis_interactions_bytes_f32(&p), tamis::InteractionAdmm<float>::requirement({samples, features, 1}).bytes);
  p.samples = p.features = 0xffffffffu;
  EXPECT_GT(tamis_interactions_bytes_f32(&p), std::size_t(1) << 63);
  p.loss = 2;
  EXPECT_EQ(tamis_interactions_bytes_f32(&p), 0u);
}

}  // namespace
