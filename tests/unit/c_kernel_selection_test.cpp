// Choosing λ with kernels, and the bound of the error, in C: the bits of C++, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/certificate/rademacher.hpp"
#include "tamis/selection/kernel_cross_validation.hpp"
#include "tamis_kernels.h"

namespace {

using tamis::Index;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

constexpr Index samples = 24, features = 3, kernels = 2;

template <class T>
struct C;
#define TAMIS_TEST_C(T, S)                                                                            \
  template <>                                                                                         \
  struct C<T> {                                                                                       \
    using Kernel = tamis_kernel_##S;                                                                  \
    using Problem = tamis_kernels_problem_##S;                                                        \
    using Run = tamis_kernels_##S;                                                                    \
    using Validation = tamis_kernels_cross_validation_##S;                                            \
    using Report = tamis_report_##S;                                                                  \
    using Bound = tamis_kernels_bound_##S;                                                            \
    using Grid = tamis_grid_##S;                                                                      \
    using HeldOut = tamis_held_out_##S;                                                               \
    static constexpr auto default_problem = tamis_default_kernels_problem_##S;                        \
    static constexpr auto default_grid = tamis_default_grid_##S;                                      \
    static constexpr auto bytes = tamis_kernels_bytes_##S;                                            \
    static constexpr auto train = tamis_kernels_train_##S;                                            \
    static constexpr auto first_lambda = tamis_kernels_first_lambda_##S;                              \
    static constexpr auto validation_bytes = tamis_kernels_cross_validation_bytes_##S;                \
    static constexpr auto start = tamis_kernels_cross_validation_start_##S;                           \
    static constexpr auto step = tamis_kernels_cross_validation_step_##S;                             \
    static constexpr auto stop = tamis_kernels_cross_validation_stop_##S;                             \
    static constexpr auto fold = tamis_kernels_cross_validation_fold_##S;                             \
    static constexpr auto points_done = tamis_kernels_cross_validation_points_done_##S;               \
    static constexpr auto report = tamis_kernels_cross_validation_report_##S;                         \
    static constexpr auto refusal = tamis_kernels_cross_validation_refusal_##S;                       \
    static constexpr auto at = tamis_kernels_cross_validation_at_##S;                                 \
    static constexpr auto best = tamis_kernels_cross_validation_best_##S;                             \
    static constexpr auto one_standard_error = tamis_kernels_cross_validation_one_standard_error_##S; \
    static constexpr auto bound_bytes = tamis_kernels_bound_bytes_##S;                                \
    static constexpr auto bound_of = tamis_kernels_bound_of_##S;                                      \
  };
TAMIS_TEST_C(float, f32)
TAMIS_TEST_C(double, f64)

template <class T>
struct Data {
  Index classes;
  Made<T> made;
  std::vector<typename C<T>::Kernel> functions = {{TAMIS_KERNEL_GAUSSIAN, T(0.7), 0},
                                                  {TAMIS_KERNEL_SIGMOID, T(0.5), T(-1)}};
  std::vector<T> matrices = std::vector<T>(kernels * samples * samples);

  explicit Data(Index K) : classes(K), made(samples, features, K, 8) {
    const tamis::Kernel<T> same[] = {{tamis::KernelKind::gaussian, T(0.7)},
                                     {tamis::KernelKind::sigmoid, T(0.5), T(-1)}};
    const tamis::SampleTable<T> table{made.values.data(), samples, features, 1, samples};
    tamis::KernelPair bad;
    for (Index t = 0; t < kernels; ++t)
      EXPECT_TRUE(tamis::fill_kernel_matrix(same[t], table, matrices.data() + t * samples * samples, bad));
  }
  /// `given`: matrices instead of kernels.
  typename C<T>::Problem problem(bool given, std::uint32_t p, std::uint32_t q, std::uint32_t r) const {
    typename C<T>::Problem out;
    C<T>::default_problem(&out);
    out.tolerance = T(1e-3);
    out.p = p;
    out.q = q;
    out.r = r;
    out.samples = samples;
    out.classes = classes;
    out.kernel_count = kernels;
    out.labels = made.labels.data();
    if (given) {
      out.matrices = matrices.data();
    } else {
      out.features = features;
      out.values = made.values.data();
      out.kernels = functions.data();
    }
    return out;
  }
  tamis::KernelProblem<T> in_cpp(const typename C<T>::Problem& p) const {
    return {{matrices.data(), samples, samples * kernels},
            made.labels,
            kernels,
            classes == 2 ? 1 : classes,
            {static_cast<int>(p.p), static_cast<int>(p.q), static_cast<int>(p.r)},
            {.tolerance = p.tolerance, .intercept = p.intercept != 0}};
  }
};

/// λ of the grid, and what is held out of one fold or three.
template <class T>
void check_validation(Index classes, bool given, std::uint32_t p_, std::uint32_t q, std::uint32_t r, bool intercept) {
  const Data<T> data(classes);
  auto p = data.problem(given, p_, q, r);
  p.intercept = intercept;
  const auto problem = data.in_cpp(p);
  GuardedMemory one(C<T>::bytes(&p)), other(C<T>::bytes(&p));
  typename C<T>::Grid grid;
  C<T>::default_grid(&grid);
  grid.points = 3;
  grid.ratio = T(0.05);
  grid.first = C<T>::first_lambda(&p, one.span().data(), one.span().size());
  ASSERT_GT(grid.first, T(0));
  EXPECT_EQ(grid.first, problem.first_lambda(other.span()));
  EXPECT_TRUE(one.surroundings_intact());
  EXPECT_TRUE(std::isnan(C<T>::first_lambda(&p, one.span().data(), one.span().size() - 1)));
  for (const std::uint32_t folds : {1u, 3u}) {
    std::vector<std::uint32_t> fold(samples);
    for (Index i = 0; i < samples; ++i) fold[i] = folds > 1 ? i / 2 % 3 : i % 4 ? TAMIS_NO_FOLD : 0;
    const std::size_t bytes = C<T>::validation_bytes(&p, &grid, fold.data(), folds);
    GuardedMemory memory(bytes), cpp(bytes);
    typename C<T>::Validation run;
    typename C<T>::HeldOut held;
    auto status = C<T>::start(&run, &p, &grid, fold.data(), folds, memory.span().data(), bytes);
    EXPECT_EQ(C<T>::at(&run, 0, &held), TAMIS_INVALID_SHAPE) << "not before the end";
    while (status == TAMIS_RUNNING) status = C<T>::step(&run, 7);
    ASSERT_EQ(status, TAMIS_CONVERGED);
    EXPECT_EQ(C<T>::fold(&run), folds - 1);
    EXPECT_TRUE(memory.surroundings_intact());
    tamis::KernelCrossValidation<T> cv(problem.design, problem.labels, kernels, problem.classes, problem.norm,
                                       problem.options, fold.data(), folds,
                                       {.points = 3, .first = grid.first, .ratio = T(0.05)});
    cv.start(cpp.span());
    while (cv.step()) {
    }
    for (Index l = 0; l < 3; ++l) {
      ASSERT_EQ(C<T>::at(&run, l, &held), TAMIS_CONVERGED);
      const auto expected = cv.at(l);
      EXPECT_EQ(held.lambda, expected.lambda);
      EXPECT_EQ(held.error, expected.error);
      EXPECT_EQ(held.error_deviation, expected.error_deviation);
      EXPECT_EQ(held.loss, expected.loss);
      EXPECT_EQ(held.loss_deviation, expected.loss_deviation);
    }
    EXPECT_EQ(C<T>::at(&run, 3, &held), TAMIS_INVALID_SHAPE);
    EXPECT_EQ(C<T>::best(&run, TAMIS_LOSS), cv.best(tamis::Measure::loss));
    EXPECT_EQ(C<T>::one_standard_error(&run, TAMIS_ERROR), cv.one_standard_error(tamis::Measure::error));
    EXPECT_EQ(C<T>::start(&run, &p, &grid, fold.data(), folds, memory.span().data(), bytes - 1), TAMIS_ARENA_TOO_SMALL);
    typename C<T>::Report report;
    C<T>::report(&run, &report);
    EXPECT_EQ(report.arena_bytes, bytes);
  }
}

TEST(CKernelSelection, ValidatesLambdasAsCppDoes) {
  for (const bool given : {false, true})
    for (const Index classes : {2u, 3u})
      for (std::uint32_t norm = 0; norm < 8; ++norm) {
        SCOPED_TRACE(norm);
        check_validation<float>(classes, given, 1 + norm % 2, 1 + norm / 2 % 2, 1 + norm / 4, norm % 3 == 0);
        check_validation<double>(classes, given, 1 + norm % 2, 1 + norm / 2 % 2, 1 + norm / 4, norm % 3 == 0);
      }
}

TEST(CKernelSelection, SaysWhatIsWrong) {
  const Data<float> data(3);
  const auto refused = [&](auto change, tamis_status status, tamis_kernels_fault fault = TAMIS_KERNELS_NO_FAULT) {
    auto p = data.problem(false, 2, 1, 1);
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
    tamis_kernels_cross_validation_f32 run;
    EXPECT_EQ(tamis_kernels_cross_validation_start_f32(&run, &p, &grid, folds, count, memory.span().data(),
                                                       memory.span().size()),
              status);
    EXPECT_EQ(tamis_kernels_cross_validation_step_f32(&run, 5), status);
    tamis_report_f32 report;
    tamis_kernels_cross_validation_report_f32(&run, &report);
    EXPECT_EQ(report.status, std::uint32_t(status));
    EXPECT_EQ(tamis_kernels_cross_validation_best_f32(&run, TAMIS_ERROR), 0u);
    EXPECT_EQ(tamis_kernels_cross_validation_points_done_f32(&run), 0u);
    tamis_kernels_cross_validation_stop_f32(&run);
    tamis_kernels_refusal why;
    tamis_kernels_cross_validation_refusal_f32(&run, &why);
    EXPECT_EQ(why.fault, std::uint32_t(fault)) << why.sentence;
    return report;
  };
  refused([](auto& p, auto&, auto&, auto&, auto&) { p.values = nullptr; }, TAMIS_INVALID_SHAPE, TAMIS_KERNELS_NULL);
  refused([](auto& p, auto&, auto&, auto&, auto&) { p.q = 3; }, TAMIS_INVALID_OPTION, TAMIS_KERNELS_NORM);
  auto values = data.made.values;
  values[5] = tamis::not_a_number<float>;
  const auto bad_value = refused([&](auto& p, auto&, auto&, auto&, auto&) { p.values = values.data(); },
                                 TAMIS_INVALID_DATA, TAMIS_KERNELS_SAMPLE_VALUE);
  EXPECT_EQ(bad_value.row, 5u);
  refused([](auto&, auto&, auto&, auto& folds, auto&) { folds = nullptr; }, TAMIS_INVALID_SHAPE, TAMIS_KERNELS_FOLDS);
  refused([](auto&, auto& grid, auto&, auto&, auto&) { grid.first = tamis::not_a_number<float>; },
          TAMIS_INVALID_LAMBDA);
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

template <class T>
struct Trained {
  typename C<T>::Run run{};
  GuardedMemory memory;

  explicit Trained(const typename C<T>::Problem& p) : memory(C<T>::bytes(&p)) {
    C<T>::train(&run, &p, memory.span().data(), memory.span().size(), nullptr, nullptr);
  }
};

// The parts of the bound from definitions: the draws by the library's own average, all else by hand.
template <class T>
void check_bound(bool given, std::uint32_t p_, std::uint32_t q, std::uint32_t r, bool proved) {
  const Data<T> data(2);
  auto p = data.problem(given, p_, q, r);
  p.lambda = T(0.02);
  const Trained<T> trained(p);
  const std::size_t bytes = C<T>::bound_bytes(&trained.run);
  GuardedMemory scratch(bytes), other(bytes);
  typename C<T>::Bound bound;
  ASSERT_EQ(C<T>::bound_of(&trained.run, 50, 7, T(0.1), scratch.span().data(), bytes, &bound), TAMIS_CONVERGED);
  EXPECT_TRUE(scratch.surroundings_intact());

  const auto problem = data.in_cpp(p);
  tamis::KernelAdmm<T> solver = problem(p.lambda);
  GuardedMemory memory(tamis::KernelAdmm<T>::requirement({samples, samples * kernels, 1}).bytes);
  solver.start(memory.span());
  while (solver.step()) {
  }
  const auto alpha = solver.model();
  double clipped = 0;
  for (Index i = 0; i < samples; ++i) {
    double f = 0;
    for (Index t = 0; t < kernels; ++t)
      for (Index l = 0; l < samples; ++l)
        f += double(alpha(l, t)) * double(data.matrices[(t * samples + l) * samples + i]);
    const double violation = std::max(1 - (data.made.labels[i] ? f : -f), 0.0);
    clipped += std::min(violation * violation, 1.0) / samples;
  }
  const auto inner = [&](Index g) {  // ‖·‖_p^p of group g
    double total = 0;
    for (Index e = 0; e < (r == 1 ? kernels : samples); ++e)
      total += std::pow(std::abs(double(r == 1 ? alpha(g, e) : alpha(e, g))), double(p_));
    return total;
  };
  double radius = 0;
  for (Index g = 0; g < (r == 1 ? samples : kernels); ++g) radius += std::pow(inner(g), double(q) / p_);
  radius = std::pow(radius, 1.0 / q);
  tamis::DrawnMean<T> average;
  ASSERT_EQ(tamis::rademacher_average(problem.design, kernels, problem.norm, 50, 7, other.span(), average),
            tamis::Status::converged);
  const double near = sizeof(T) == 4 ? 1e-4 : 1e-12;
  EXPECT_NEAR(double(bound.clipped_loss), clipped, near);
  EXPECT_NEAR(double(bound.radius), radius, near * (1 + radius));
  EXPECT_NEAR(double(bound.complexity), radius * double(average.mean), near * (1 + radius));
  EXPECT_NEAR(double(bound.standard_error), radius * double(average.standard_error), near * (1 + radius));
  EXPECT_NEAR(double(bound.deviation), std::sqrt(std::log(10.0) / (2 * samples)), 1e-6);
  EXPECT_NEAR(double(bound.value), double(bound.clipped_loss + 16 * bound.complexity + bound.deviation), 16 * near);
  EXPECT_EQ(bound.has_proved_rate, std::uint32_t(proved));
}
TEST(CKernelSelection, BoundsTheError) {
  for (const bool given : {false, true}) {
    check_bound<double>(given, 1, 1, 1, true);
    check_bound<double>(given, 2, 1, 1, true);
    check_bound<double>(given, 1, 2, 2, true);
    check_bound<double>(given, 2, 1, 2, false);
    check_bound<double>(given, 1, 2, 1, false);
    check_bound<float>(given, 2, 2, 1, false);
  }
}

TEST(CKernelSelection, BoundsOnlyWhatIsProved) {
  const auto refused = [](const tamis_kernels_problem_f32& p, std::uint32_t draws, float delta, tamis_status status) {
    const Trained<float> trained(p);
    GuardedMemory scratch(tamis_kernels_bound_bytes_f32(&trained.run));
    tamis_kernels_bound_f32 bound;
    EXPECT_EQ(
        tamis_kernels_bound_of_f32(&trained.run, draws, 0, delta, scratch.span().data(), scratch.span().size(), &bound),
        status);
    EXPECT_EQ(bound.value, 0.0f);
    EXPECT_TRUE(scratch.untouched());
  };
  const Data<float> two(2), three(3);
  auto p = two.problem(false, 2, 1, 1);
  p.lambda = 0.02f;
  refused(p, 1, 0.1f, TAMIS_INVALID_OPTION);
  for (const float delta : {0.0f, 1.0f, tamis::not_a_number<float>}) refused(p, 10, delta, TAMIS_INVALID_OPTION);
  const Trained<float> trained(p);
  GuardedMemory small(tamis_kernels_bound_bytes_f32(&trained.run) - 1);
  tamis_kernels_bound_f32 bound;
  EXPECT_EQ(tamis_kernels_bound_of_f32(&trained.run, 10, 0, 0.1f, small.span().data(), small.span().size(), &bound),
            TAMIS_ARENA_TOO_SMALL);
  p.intercept = 1;
  refused(p, 10, 0.1f, TAMIS_INVALID_COMBINATION);
  p = three.problem(true, 1, 1, 1);
  p.lambda = 0.02f;
  refused(p, 10, 0.1f, TAMIS_INVALID_COMBINATION);
  p.lambda = 0;
  refused(p, 10, 0.1f, TAMIS_INVALID_LAMBDA);
}

}  // namespace
