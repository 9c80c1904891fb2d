// Training on rows that are fetched for every pass: the bits of the dense design where they fit, and sources that fail.
#include "tamis/design/read_rows.hpp"

#include <gtest/gtest.h>

#include "core.hpp"
#include "support/problems.hpp"

namespace {

using namespace tamis;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

/// The rows of a made problem; call number `fails_at` (from 1) answers `answer` instead.
template <class T>
struct Card {
  const Made<T>* made;
  std::uint32_t calls = 0, fails_at = 0;
  Index answer = row_failed;

  Index row(Index sample, std::span<T> out) {
    EXPECT_LT(sample, made->samples);
    EXPECT_EQ(out.size(), made->features);
    for (Index j = 0; j < out.size(); ++j) out[j] = made->values[sample + j * made->samples];
    if (++calls != fails_at) return static_cast<Index>(out.size());
    for (T& x : out) x = not_a_number<T>;  // half a row
    return answer;
  }
};

template <class T>
using Reader = RowReader<T, Card<T>>;
template <class T>
using Rows = RowDesign<T, Reader<T>>;

template <class T>
class ReadRows : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ReadRows, Scalars);

template <template <class, class, class, class> class Solver, class T, class Loss, class Penalty>
void expect_dense_training(Loss loss, Penalty penalty, Options<T> options) {
  const Made<T> made(90, 12, 4, 21);
  options.tolerance = T(1e-3);
  const auto dense = tamis::testing::run<Solver<T, Loss, Penalty, DenseDesign<T>>>(made.design(), made.targets(), loss,
                                                                                   penalty, options);
  ASSERT_EQ(dense.fit.status, Status::converged);
  for (const Index rows : {90u, 200u, 1u, 2u, 7u, 89u}) {
    Card<T> card{&made};
    std::vector<T> room(Reader<T>::room_for(rows, 12));
    Reader<T> reader(card, 90, 12, room);
    EXPECT_EQ(reader.together(), smallest(rows, Index(90)));
    const auto read =
        tamis::testing::run<Solver<T, Loss, Penalty, Rows<T>>>(reader.design(), made.targets(), loss, penalty, options);
    EXPECT_EQ(read.fit.status, Status::converged) << name(read.fit.status);
    EXPECT_TRUE(read.memory->surroundings_intact());
    if (rows >= 90) {
      EXPECT_EQ(card.calls, 90u) << "all rows fit: they are fetched once";
      if (!std::is_same_v<Penalty, Ridge>) {  // the dual leaves zeros out of its sums, here there are none
        EXPECT_EQ(read.fit.iterations, dense.fit.iterations);
      }
      EXPECT_EQ(read.coefficients(), dense.coefficients());
      EXPECT_EQ(read.fit.gap, dense.fit.gap);
    } else {
      EXPECT_GT(card.calls, 90u);
      EXPECT_LE(read.fit.relative_gap, T(1e-3));
      EXPECT_LE(read.fit.objective, dense.fit.objective * T(1.0011));
      EXPECT_GE(read.fit.objective, dense.fit.dual_objective * T(0.9999));
    }
  }
}

TYPED_TEST(ReadRows, TrainAsTheDenseDesignDoes) {
  using T = TypeParam;
  expect_dense_training<PrimalDual, T>(Hinge{}, L1{}, {.lambda = T(0.02)});
  expect_dense_training<Fista, T>(SquaredHinge{}, GroupL2{}, {.lambda = T(0.05)});
  expect_dense_training<CrammerSingerDual, T>(Hinge{}, Ridge{}, {.lambda = T(0.05)});
  expect_dense_training<CrammerSingerDual, T>(Hinge{}, GroupL2{}, {.lambda = T(0.05)});
  expect_dense_training<CrammerSingerDual, T>(Hinge{}, ElasticNet<T>{}, {.lambda = T(0.05)});
  expect_dense_training<ConstrainedPrimalDual, T>(Hinge{}, L1{}, {.eta = T(0.7)});
}

TYPED_TEST(ReadRows, ProductsOfListedFeatures) {
  using T = TypeParam;
  const Made<T> made(37, 9, 5, 3);
  const Index list[] = {7, 1, 2, 8}, stride = padded<T>(5);
  const Made<T> w(stride, 10, 2, 4), u(stride, 37, 2, 5);  // numbers
  for (const Index rows : {1u, 4u, 37u}) {
    Card<T> card{&made};
    std::vector<T> room(Reader<T>::room_for(rows, 9));
    Reader<T> reader(card, 37, 9, room);
    std::vector<T> z[2], g[2];
    for (const bool read : {false, true}) {
      z[read].assign(37 * stride, T(5));
      g[read].assign(9 * stride, T(5));
      const auto go = [&](const auto& design) {
        design.multiply(list, 4, w.values.data(), stride, &w.values[9 * stride], z[read].data());
        design.transposed_multiply(list, 4, u.values.data(), stride, g[read].data());
      };
      if (read) go(reader.design());
      else go(made.design());
    }
    EXPECT_EQ(z[0], z[1]);
    for (std::size_t e = 0; e < g[0].size(); ++e)
      EXPECT_NEAR(static_cast<double>(g[0][e]), static_cast<double>(g[1][e]), 1e-5);
    std::vector<T> sums(9), scratch(9), column(3);
    const Index some[] = {0, 17, 36};
    reader.design().column_sums(sums.data(), scratch.data());
    for (Index j = 0; j < 9; ++j) {
      EXPECT_EQ(sums[j], made.design().column_sum(j));
      EXPECT_EQ(reader.design().column_sum(j), sums[j]);
      reader.design().gather(j, some, 3, column.data(), 1);
      for (Index s = 0; s < 3; ++s) EXPECT_EQ(column[s], made.design()(some[s], j));
    }
  }
}

/// Trains with a card that fails at call `fails_at`; returns how many calls there were.
template <class Solver, class T, class Loss, class Penalty>
std::uint32_t fail_at(std::uint32_t fails_at, Index answer, Index rows, Loss loss, Penalty penalty, Options<T> options,
                      std::vector<T>* best = nullptr) {
  const Made<T> made(40, 6, 3, 8);
  Card<T> card{&made, 0, fails_at, answer};
  std::vector<T> room(Reader<T>::room_for(rows, 6));
  Reader<T> reader(card, 40, 6, room);
  GuardedMemory memory(Solver::requirement({40, 6, 3}).bytes);
  Solver solver(reader.design(), made.targets(), loss, penalty, options);
  T objective = infinity<T>;
  std::vector<T> model;
  std::uint32_t certificates = 0;
  const auto look = [&] {  // after each step, as a main loop would
    if (!solver.running()) return;
    objective = solver.report().objective;
    certificates = solver.certificates();
    if (certificates)
      model.assign(solver.model().coefficients, solver.model().coefficients + 7 * solver.model().stride());
  };
  bool going = solver.start(memory.span());
  for (look(); going; look()) going = solver.step();
  EXPECT_TRUE(memory.surroundings_intact());
  const bool has_failed = fails_at && card.calls >= fails_at;
  if (has_failed) {
    EXPECT_EQ(solver.report().status, answer == row_failed ? Status::source_failed : Status::short_row) << fails_at;
    EXPECT_FALSE(solver.step());
    if (fails_at <= 40) {
      EXPECT_EQ(solver.report().row, fails_at - 1);
      EXPECT_TRUE(memory.untouched()) << "a refusal";
    }
    if (certificates > 0) {  // the model is one that was certified before, not what half a pass made of it
      EXPECT_TRUE(solver.has_certified_model());
      EXPECT_TRUE(finite(solver.report().objective));
      EXPECT_LE(solver.report().objective, objective);
      const LinearModel<T> kept = solver.model();
      std::vector<T> now(kept.coefficients, kept.coefficients + 7 * kept.stride());
      for (const T x : now) EXPECT_TRUE(finite(x));
      EXPECT_NEAR(static_cast<double>(solver.report().objective),
                  tamis::testing::objective(made, kept, loss, penalty, static_cast<double>(options.lambda)), 1e-4);
    }
  } else {
    EXPECT_EQ(solver.report().status, Status::converged);
    if (best) *best = model;
  }
  return card.calls;
}

TEST(ReadRows, FailuresAtAnyCallEndTheRunAndLeaveTheModel) {
  const auto sweep = [](auto run) {
    const std::uint32_t calls = run(0, row_failed, 1);
    EXPECT_GT(calls, 200u);
    for (std::uint32_t at = 1; at <= calls; at += 1 + at / 50) {
      run(at, row_failed, 1);
      run(at, at % 2 ? 5 : 7, 1);  // a short row, and one too long
    }
    for (std::uint32_t at = 1; at <= 60; ++at) run(at, row_failed, 7);
  };
  sweep([](std::uint32_t at, Index answer, Index rows) {
    return fail_at<PrimalDual<float, Hinge, L1, Rows<float>>, float>(at, answer, rows, Hinge{}, L1{},
                                                                     {.lambda = 0.05f});
  });
  sweep([](std::uint32_t at, Index answer, Index rows) {
    return fail_at<Fista<double, SquaredHinge, L1, Rows<double>>, double>(at, answer, rows, SquaredHinge{}, L1{},
                                                                          {.lambda = 0.05});
  });
  sweep([](std::uint32_t at, Index answer, Index rows) {
    return fail_at<CrammerSingerDual<float, Hinge, Ridge, Rows<float>>, float>(at, answer, rows, Hinge{}, Ridge{},
                                                                               {.lambda = 0.05f});
  });
}

TEST(ReadRows, FailuresOfTheConstrainedForm) {
  const Made<float> made(40, 6, 3, 8);
  using Training = tamis::Training<float, Hinge, L1, Rows<float>, With<ConstrainedPrimalDual>>;
  for (std::uint32_t at = 0; at < 12000; at += 1 + at / 20) {
    Card<float> card{&made, 0, at};
    std::vector<float> room(6);
    Reader<float> reader(card, 40, 6, room);
    GuardedMemory memory(Training::bytes({40, 6, 3}));
    const auto fit = Training({.tolerance = 1e-3f, .eta = 0.6f}).run(reader.design(), made.targets(), memory.span());
    if (at == 0 || card.calls < at) {
      EXPECT_EQ(fit.status, Status::converged);
    } else {
      EXPECT_EQ(fit.status, Status::source_failed) << at;
      EXPECT_GE(fit.objective, fit.dual_objective * 0.999f) << at;
      for (Index j = 0; fit.model.features && j <= 6; ++j)
        for (Index k = 0; k < 3; ++k) EXPECT_TRUE(finite(fit.model(j, k)));
    }
    EXPECT_TRUE(memory.surroundings_intact());
  }
}

/// In the later rounds of reweighted-l1 too.
TEST(ReadRows, FailuresInRounds) {
  const Made<float> made(40, 6, 3, 8);
  for (std::uint32_t at = 1; at < 20000; at += 1 + at / 20) {
    Card<float> card{&made, 0, at};
    std::vector<float> room(6);
    Reader<float> reader(card, 40, 6, room);
    const auto rows = reader.design();
    const ProblemSpec choice{LossKind::squared_hinge, PenaltyKind::reweighted_l1, {}, SolverKind::fista};
    GuardedMemory memory(core::Training<float>::requirement(choice, {40, 6, 3}).bytes);
    core::Training<float> training(choice, AnyDesign<float>(rows), made.targets(), {.lambda = 0.05f, .tolerance = 1e-3f});
    for (training.start(memory.span()); training.step();) continue;
    EXPECT_EQ(training.report().status, card.calls < at ? Status::converged : Status::source_failed);
    const LinearModel<float> model = training.has_certified_model() ? training.model() : LinearModel<float>{};
    for (Index j = 0; j < model.features; ++j) EXPECT_TRUE(finite(model(j, 0)));
    EXPECT_TRUE(memory.surroundings_intact());
    if (card.calls < at) break;
  }
}

TEST(ReadRows, AFitKeepsTheModelOfTheLastCertificate) {
  const Made<float> made(40, 6, 3, 8);
  using Training = tamis::Training<float, Hinge, L1, Rows<float>>;
  for (const std::uint32_t at : {1u, 45u, 4000u}) {
    Card<float> card{&made, 0, at};
    float room[6];
    Reader<float> reader(card, 40, 6, room);
    GuardedMemory memory(Training::bytes({40, 6, 3}));
    const auto fit =
        Training({.lambda = 0.02f, .tolerance = 1e-5f}).run(reader.design(), made.targets(), memory.span());
    EXPECT_EQ(fit.status, Status::source_failed);
    EXPECT_EQ(fit.model.features, at == 4000 ? 6u : 0u);
    // Mended, it starts again.
    const auto again = Training({.lambda = 0.02f}).run(reader.design(), made.targets(), memory.span());
    EXPECT_EQ(again.status, Status::converged);
  }
}

TEST(ReadRows, ValuesThatAreNoNumbersAreRefusedWithTheirPlace) {
  Made<float> made(40, 6, 3, 8);
  made.values[17 + 4 * 40] = infinity<float>;
  using Training = tamis::Training<float, Hinge, L1, Rows<float>>;
  for (const Index rows : {1u, 9u, 40u}) {
    Card<float> card{&made};
    std::vector<float> room(Reader<float>::room_for(rows, 6));
    Reader<float> reader(card, 40, 6, room);
    GuardedMemory memory(Training::bytes({40, 6, 3}));
    const auto fit = Training({.lambda = 0.02f}).run(reader.design(), made.targets(), memory.span());
    EXPECT_EQ(fit.status, Status::invalid_data);
    EXPECT_EQ(fit.row, 17u);
    EXPECT_EQ(fit.column, 4u);
    EXPECT_TRUE(memory.untouched());
  }
  Card<float> card{&made};
  std::vector<float> room(5);  // one entry short of a row
  Reader<float> reader(card, 40, 6, room);
  GuardedMemory memory(Training::bytes({40, 6, 3}));
  EXPECT_EQ(Training({.lambda = 0.02f}).run(reader.design(), made.targets(), memory.span()).status,
            Status::invalid_shape);
  EXPECT_EQ(card.calls, 0u);
  EXPECT_TRUE(memory.untouched());
}

/// Rows that change between passes, zeros where there were none: nothing is written beyond the memory.
TEST(ReadRows, ASourceThatChangesItsMindHarmsNothing) {
  struct Moody {
    std::uint32_t state = 1;
    Index row(Index, std::span<float> out) {
      for (float& x : out) {
        state = state * 1664525u + 1013904223u;
        x = state >> 30 ? static_cast<float>(state >> 16) / 32768 - 1 : 0.0f;
      }
      return static_cast<Index>(out.size());
    }
  };
  const Made<float> made(40, 6, 3, 8);
  Moody source;
  std::vector<float> room(RowReader<float, Moody>::room_for(4, 6));
  RowReader<float, Moody> reader(source, 40, 6, room);
  using Design = RowDesign<float, RowReader<float, Moody>>;
  using Training = tamis::Training<float, Hinge, Ridge, Design>;
  for (const std::size_t more : {0u, 400u, 4000u}) {
    GuardedMemory memory(Training::bytes({40, 6, 3}) + more);
    const auto fit = Training({.lambda = 0.05f, .tolerance = 1e-6f, .max_iterations = 300})
                         .run(reader.design(), made.targets(), memory.span());
    EXPECT_TRUE(has_model(fit.status));
    EXPECT_TRUE(memory.surroundings_intact());
  }
}

}  // namespace
