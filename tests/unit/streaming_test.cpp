// Learning from a stream: against plain loops over whole matrices, against certified optima, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"
#include "tamis/solver/stochastic.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

/// Samples by rows with their zeros left out; about one value in four is there.
template <class T>
struct Stream {
  Index features, classes;
  std::vector<std::vector<Index>> indices;
  std::vector<std::vector<T>> values;
  std::vector<Label> labels;

  Stream(Index n, Index p, Index K, std::uint32_t seed, Index sparsity = 4) : features(p), classes(K) {
    Generator generator(seed);
    for (Index i = 0; i < n; ++i) {
      const Label y = static_cast<Label>(generator.draw(K));
      labels.push_back(y);
      indices.emplace_back();
      values.emplace_back();
      for (Index j = 0; j < p; ++j) {
        const double value = generator.uniform() + (j % K == y ? 0.7 : 0);
        if (generator.draw(sparsity) != 0 || value == 0) continue;
        indices.back().push_back(j);
        values.back().push_back(static_cast<T>(value));
      }
    }
  }
  std::size_t samples() const { return labels.size(); }
  std::vector<T> dense(std::size_t i) const {
    std::vector<T> row(features);
    for (std::size_t e = 0; e < values[i].size(); ++e) row[indices[i][e]] = values[i][e];
    return row;
  }
  template <class Learner>
  Status show(Learner& learner, std::size_t i, T weight = T(1)) const {
    return learner.update(indices[i].data(), values[i].data(), static_cast<Index>(values[i].size()), labels[i], weight);
  }
};

/// A learner and memory that notices what is written beyond, and what is read before it is written.
template <class Learner>
struct Begun {
  using T = typename Learner::Scalar;
  Learner learner;
  GuardedMemory memory;
  explicit Begun(const Learner& made, bool listed = false, const LinearModel<T>& from = {}, std::uint32_t seen = 0)
      : learner(made), memory(Learner::bytes(made.features(), made.classes(), listed)) {
    EXPECT_EQ(learner.begin(memory.span(), from, seen), Status::running);
  }
  std::vector<T> coefficients() {
    const auto model = learner.model();
    return {model.coefficients, model.coefficients + (model.features + 1) * model.stride()};
  }
};

/// The penalty without what tells how its steps compose.
template <class P>
struct Plain {
  P penalty;
  Groups grouping() const { return groups_of(penalty); }
  template <class T>
  T value(Rows<const T> w) const {
    return penalty.value(w);
  }
  template <class T>
  void prox(Rows<T> w, T step) const {
    penalty.prox(w, step);
  }
};

template <class T>
struct Whole {  // a matrix of features + 1 rows
  Index stride;
  std::vector<T> entries;
  Whole(Index p, Index K) : stride(padded<T>(K)), entries((p + 1) * stride) {}
  T* row(Index j) { return entries.data() + j * stride; }
};

/// W ← prox(W − η ∇ℓ), every feature at every sample, by plain loops.
template <class T, class Loss, class Penalty>
std::vector<T> fobos_by_hand(const Stream<T>& stream, Loss loss, Penalty penalty, T lambda, T eta) {
  const Index p = stream.features, K = stream.classes;
  Whole<T> w(p, K);
  std::vector<T> u(w.stride);
  for (std::size_t i = 0; i < stream.samples(); ++i) {
    std::vector<T> z(w.row(p), w.row(p) + K);
    const auto x = stream.dense(i);
    for (Index j = 0; j < p; ++j)
      for (Index k = 0; k < K; ++k) z[k] += x[j] * w.row(j)[k];
    detail::stream_gradient(loss, z.data(), K, stream.labels[i], default_margin<T>(loss), T(1), u.data());
    const T rate = eta / std::sqrt(static_cast<T>(i + 1));
    for (Index j = 0; j <= p; ++j)
      for (Index k = 0; k < K; ++k) w.row(j)[k] -= rate * (j < p ? x[j] : T(1)) * u[k];
    groups_of(penalty).for_each(
        p, [&](FeatureGroup g) { penalty.prox(rows_of(w.entries.data(), g, K, w.stride), rate * lambda); });
  }
  return w.entries;
}

/// w_g = prox_{s c λ}(−s G), every group after every sample.
template <class T, class Loss, class Penalty>
std::vector<T> dual_averaging_by_hand(const Stream<T>& stream, Loss loss, Penalty penalty, T lambda, T eta) {
  const Index p = stream.features, K = stream.classes;
  Whole<T> w(p, K), gradients(p, K);
  std::vector<T> u(w.stride), square(p + 1);
  for (std::size_t i = 0; i < stream.samples(); ++i) {
    std::vector<T> z(w.row(p), w.row(p) + K);
    const auto x = stream.dense(i);
    for (Index j = 0; j < p; ++j)
      for (Index k = 0; k < K; ++k) z[k] += x[j] * w.row(j)[k];
    detail::stream_gradient(loss, z.data(), K, stream.labels[i], default_margin<T>(loss), T(1), u.data());
    const auto take = [&](FeatureGroup g, bool penalised) {
      T& all = square[g.first];
      for (Index r = 0; r < g.count; ++r)
        for (Index k = 0; k < K; ++k) {
          const T entry = (g.feature(r) < p ? x[g.feature(r)] : T(1)) * u[k];
          gradients.row(g.feature(r))[k] += entry;
          all += entry * entry;
        }
      const T step = all > 0 ? eta / std::sqrt(all) : T(0);
      for (Index r = 0; r < g.count; ++r)
        for (Index k = 0; k < K; ++k) w.row(g.feature(r))[k] = -step * gradients.row(g.feature(r))[k];
      if (penalised && step > 0)
        penalty.prox(rows_of(w.entries.data(), g, K, w.stride), step * static_cast<T>(i + 1) * lambda);
    };
    groups_of(penalty).for_each(p, [&](FeatureGroup g) { take(g, true); });
    take({p, 1}, false);
  }
  return w.entries;
}

template <class T>
void expect_near(const std::vector<T>& a, const std::vector<T>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t e = 0; e < a.size(); ++e)
    ASSERT_NEAR(static_cast<double>(a[e]), static_cast<double>(b[e]), tolerance) << e;
}

template <class T, class Loss, class Penalty>
void expect_lazy_as_eager(Loss loss, Penalty penalty, T lambda) {
  const Stream<T> stream(1300, 11, 3, 5, 9);  // beyond the 1024 samples after which all steps are done
  const StreamOptions<T> options{.lambda = lambda, .learning_rate = T(0.3)};
  const bool listed = groups_of(penalty).is_listed;
  const double tolerance = sizeof(T) == 8 ? 1e-12 : 2e-5;
  Begun lazy(FobosLearner<T, Loss, Penalty>(11, 3, options, loss, penalty), listed);
  Begun eager(FobosLearner<T, Loss, Plain<Penalty>>(11, 3, options, loss, {penalty}), listed);
  Begun averaging(DualAveragingLearner<T, Loss, Penalty>(11, 3, options, loss, penalty), listed);
  for (std::size_t i = 0; i < stream.samples(); ++i) {
    ASSERT_EQ(stream.show(lazy.learner, i), Status::running);
    ASSERT_EQ(stream.show(eager.learner, i), Status::running);
    ASSERT_EQ(stream.show(averaging.learner, i), Status::running);
  }
  expect_near(eager.coefficients(), fobos_by_hand(stream, loss, penalty, lambda, T(0.3)), tolerance);
  expect_near(lazy.coefficients(), eager.coefficients(), tolerance);
  expect_near(averaging.coefficients(), dual_averaging_by_hand(stream, loss, penalty, lambda, T(0.3)), tolerance);
  for (auto* begun : {&lazy.memory, &eager.memory, &averaging.memory}) EXPECT_TRUE(begun->surroundings_intact());
}

TEST(Streaming, WhatWaitsIsDoneAsThoughItHadNotWaited) {
  const Index order[] = {8, 0, 3, 1, 10, 2, 5, 4, 7, 6, 9}, starts[] = {0, 2, 3, 11};
  const Groups listed = Groups::listed(order, starts, 3);
  expect_lazy_as_eager<double>(Hinge{}, L1{}, 0.02);
  expect_lazy_as_eager<double>(Logistic{}, Ridge{}, 0.1);
  expect_lazy_as_eager<double>(SquaredHinge{}, ElasticNet<double>{0.4}, 0.1);
  expect_lazy_as_eager<double>(SquaredHinge{}, GroupL2{}, 0.05);
  expect_lazy_as_eager<double>(SquaredHinge{}, GroupL2{Groups::blocks(4)}, 0.05);
  expect_lazy_as_eager<double>(SquaredHinge{}, GroupLinf{}, 0.05);
  expect_lazy_as_eager<double>(SquaredHinge{}, GroupLinf{listed}, 0.05);
  expect_lazy_as_eager<double>(SquaredHinge{}, SparseGroup<double>{listed, {0.3}}, 0.05);
  expect_lazy_as_eager<float>(Logistic{}, ElasticNet<float>{0.4f}, 0.1f);
  expect_lazy_as_eager<float>(Logistic{}, GroupL2{}, 0.05f);
}

/// prox_s ∘ prox_t = prox_{s + t + q s t} on random rows.
template <class P>
double worst_composition(P penalty, double q, Index rows) {
  Generator generator(7);
  double worst = 0;
  for (int round = 0; round < 500; ++round) {
    const Index K = 1 + generator.draw(7);
    Whole<double> twice(rows, K), once(rows, K);
    for (Index j = 0; j < rows; ++j)
      for (Index k = 0; k < K; ++k) twice.row(j)[k] = once.row(j)[k] = generator.uniform();
    const double s = 0.01 + 0.2 * (1 + generator.uniform()), t = 0.01 + 0.2 * (1 + generator.uniform());
    const FeatureGroup group{0, rows};
    penalty.prox(rows_of(twice.entries.data(), group, K, twice.stride), t);
    penalty.prox(rows_of(twice.entries.data(), group, K, twice.stride), s);
    penalty.prox(rows_of(once.entries.data(), group, K, once.stride), s + t + q * s * t);
    for (std::size_t e = 0; e < once.entries.size(); ++e)
      worst = std::max(worst, std::abs(once.entries[e] - twice.entries[e]));
  }
  return worst;
}

TEST(Streaming, ProximalStepsComposeAsThePenaltySays) {
  const auto check = [](auto penalty, Index rows) {
    EXPECT_LT(worst_composition(penalty, step_coupling<double>(penalty), rows), 1e-14);
  };
  check(L1{}, 1);
  check(Ridge{}, 1);
  check(ElasticNet<double>{0.3}, 1);
  check(GroupL2{}, 1);
  check(GroupLinf{}, 1);
  check(GroupL2{Groups::blocks(3)}, 3);
  check(GroupLinf{Groups::blocks(3)}, 3);
  EXPECT_TRUE(std::isnan(step_coupling<double>(SparseGroup<double>{})));
  EXPECT_GT(worst_composition(SparseGroup<double>{}, 0, 1), 1e-3) << "its steps do not add, so it must not be lazy";
  for (const PenaltyKind kind : all_penalties) {
    const AnyPenalty<double> any(kind, Groups::rows(), {.l1_ratio = 0.3});
    const double q = step_coupling<double>(any);
    if (kind == PenaltyKind::sparse_group) {
      EXPECT_TRUE(std::isnan(q));
    } else {
      EXPECT_EQ(q, kind == PenaltyKind::ridge ? 1 : kind == PenaltyKind::elastic_net ? 0.7 : 0) << name(kind);
    }
  }
}

TEST(Streaming, TheSubgradientOfTheHingeSupportsIt) {
  Generator generator(3);
  for (int round = 0; round < 2000; ++round) {
    const Index K = 2 + generator.draw(6);
    const Label y = static_cast<Label>(generator.draw(K));
    std::vector<double> z(K), other(K), u(K);
    for (Index k = 0; k < K; ++k) z[k] = 2 * generator.uniform(), other[k] = 2 * generator.uniform();
    const double value = Hinge{}.subgradient(z.data(), K, y, 1.0, 0.5, u.data());
    EXPECT_EQ(value, Hinge{}.value(z.data(), K, y, 1.0));
    double tangent = 0.5 * value;
    for (Index k = 0; k < K; ++k) tangent += u[k] * (other[k] - z[k]);
    EXPECT_GE(0.5 * Hinge{}.value(other.data(), K, y, 1.0), tangent - 1e-12);
    double sum = 0;
    for (const double entry : u) sum += entry;
    EXPECT_EQ(sum, 0);
    EXPECT_GE(u[y], -0.5);
  }
}

// ---- how samples arrive

template <class T>
struct Pull {
  const Stream<T>* stream;
  bool as_dense = false;
  std::size_t fails_at = ~std::size_t(0), short_at = ~std::size_t(0);
  bool rewinds = true;
  std::size_t next_one = 0, calls = 0;
  std::vector<T> row = {};

  StreamNext next(StreamSample<T>& sample) {
    if (calls++ == fails_at) return StreamNext::failed;
    if (next_one == stream->samples()) return StreamNext::end;
    const std::size_t i = next_one++;
    sample.label = stream->labels[i];
    if (as_dense) {
      row = stream->dense(i);
      sample.x = {row.data(), nullptr, static_cast<Index>(row.size()) - (i == short_at)};
    } else {
      sample.x = {stream->values[i].data(), stream->indices[i].data(), static_cast<Index>(stream->values[i].size())};
    }
    return StreamNext::sample;
  }
  bool rewind() {
    next_one = 0;
    return rewinds;
  }
};

using Learner = DualAveragingLearner<float, SquaredHinge, GroupL2>;
constexpr StreamOptions<float> usual{.lambda = 0.01f};

template <class L>
void expect_same_however_it_arrives() {
  const Stream<float> stream(200, 9, 4, 2, 2);
  Begun pushed(L(9, 4, usual)), dense(L(9, 4, usual)), pulled(L(9, 4, usual)), pulled_dense(L(9, 4, usual));
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < stream.samples(); ++i) {
      stream.show(pushed.learner, i);
      EXPECT_EQ(dense.learner.update(stream.dense(i).data(), stream.labels[i]), Status::running);
    }
  Pull<float> source{&stream}, dense_source{&stream, true};
  EXPECT_EQ(learn_stream(pulled.learner, source, 2), StreamEnd::complete);
  EXPECT_EQ(learn_stream(pulled_dense.learner, dense_source, 2), StreamEnd::complete);
  EXPECT_EQ(pushed.coefficients(), dense.coefficients());
  EXPECT_EQ(pushed.coefficients(), pulled.coefficients());
  EXPECT_EQ(pushed.coefficients(), pulled_dense.coefficients());
  EXPECT_EQ(pulled.learner.report().samples, 400u);
  EXPECT_EQ(pushed.learner.report().mean_loss, pulled_dense.learner.report().mean_loss);
}

TEST(Streaming, PushAndPullDenseAndSparseAreTheSame) {
  expect_same_however_it_arrives<Learner>();
  expect_same_however_it_arrives<FobosLearner<float, Logistic, ElasticNet<float>>>();
}

TEST(Streaming, ASourceThatFailsLeavesAModelOfWhatCameBefore) {
  const Stream<float> stream(50, 9, 4, 2);
  Begun before(Learner(9, 4, usual));
  for (std::size_t i = 0; i < 20; ++i) stream.show(before.learner, i);
  const auto twenty = before.coefficients();
  const auto check = [&](Pull<float> source, StreamEnd end, std::uint32_t passes, std::uint32_t samples) {
    Begun begun(Learner(9, 4, usual));
    EXPECT_EQ(learn_stream(begun.learner, source, passes), end) << describe(end);
    EXPECT_EQ(begun.learner.report().samples, samples);
    if (samples == 20) {
      EXPECT_EQ(begun.coefficients(), twenty);
    }
  };
  check({&stream, false, 20}, StreamEnd::failed, 1, 20);
  check({&stream, true, ~std::size_t(0), 20}, StreamEnd::short_row, 1, 20);
  check({&stream, false, ~std::size_t(0), ~std::size_t(0), false}, StreamEnd::failed, 2, 50);
  const Stream<float> nothing(0, 9, 4, 2);
  check({&nothing}, StreamEnd::empty, 1, 0);
  Learner unbegun(9, 4, usual);
  Pull<float> source{&stream};
  EXPECT_EQ(learn_stream(unbegun, source), StreamEnd::not_begun);
}

TEST(Streaming, BadSamplesAreRefusedCountedAndLeaveNoTrace) {
  const Stream<float> stream(60, 5, 3, 2, 1);
  Begun clean(FobosLearner<float, Hinge, L1>(5, 3, usual)), dirty(FobosLearner<float, Hinge, L1>(5, 3, usual));
  const float nan = std::nanf(""), infinite = std::numeric_limits<float>::infinity();
  std::uint32_t refused = 0;
  const auto expect = [&](Status wanted, Status got) {
    EXPECT_EQ(got, wanted) << name(wanted);
    EXPECT_EQ(dirty.learner.report().refused, ++refused);
    EXPECT_EQ(dirty.learner.report().last_refusal, wanted);
  };
  const float good[] = {1, 2, 3, 4, 5}, bad[] = {1, 2, nan, 4, 5}, endless[] = {1, infinite, 3, 4, 5},
              huge[] = {1, 2, 3, 3e38f, 5};
  const Index twice[] = {1, 1}, beyond[] = {2, 5}, back[] = {3, 1};
  for (std::size_t i = 0; i < stream.samples(); ++i) {
    stream.show(clean.learner, i);
    stream.show(dirty.learner, i);
    auto& learner = dirty.learner;
    expect(Status::invalid_data, learner.update(bad, 0));
    EXPECT_EQ(learner.report().column, 2u);
    expect(Status::invalid_data, learner.update(endless, 0));
    expect(Status::invalid_data, learner.update(huge, 0));
    EXPECT_EQ(learner.report().overflowed, i + 1);
    expect(Status::invalid_data, learner.update(twice, good, 2, 0));
    expect(Status::invalid_data, learner.update(beyond, good, 2, 0));
    EXPECT_EQ(learner.report().column, 5u);
    expect(Status::invalid_data, learner.update(back, good, 2, 0));
    expect(Status::invalid_label, learner.update(good, 3));
    expect(Status::invalid_weight, learner.update(good, 0, -1.0f));
    expect(Status::invalid_weight, learner.update(good, 0, nan));
    expect(Status::invalid_shape, learner.update(nullptr, 0));
    expect(Status::invalid_shape, learner.update(nullptr, good, 2, 0));
    expect(Status::invalid_shape, learner.update(StreamSample<float>{{good, nullptr, 4}, 0}));
    expect(Status::invalid_margin, learner.update(StreamSample<float>{{good, nullptr, 5}, 0, 1, 0.0f}));
  }
  expect_near(clean.coefficients(), dirty.coefficients(), 1e-7);  // where overflow was found, waiting steps were joined
  EXPECT_EQ(clean.learner.report().mean_loss, dirty.learner.report().mean_loss);
  EXPECT_EQ(clean.learner.report().samples, dirty.learner.report().samples);
  EXPECT_EQ(dirty.learner.update(twice, nullptr, 0, 0), Status::running) << "a sample of zeros is one";
}

TEST(Streaming, ALearningRateThatIsTooLargeOverflowsAndSaysSo) {
  const Stream<float> stream(300, 5, 3, 2, 1);
  const auto check = [&](auto learner) {
    Begun begun(learner);
    for (std::size_t i = 0; i < stream.samples(); ++i) stream.show(begun.learner, i);
    for (const float w : begun.coefficients()) EXPECT_TRUE(std::isfinite(w));
    return begun.learner.report().overflowed;
  };
  EXPECT_GT(check(FobosLearner<float, SquaredHinge, L1>(5, 3, {.learning_rate = 1e3f})), 0u);
  EXPECT_EQ(check(FobosLearner<float, SquaredHinge, L1>(5, 3, {.learning_rate = 1e-2f})), 0u);
  check(DualAveragingLearner<float, SquaredHinge, L1>(5, 3, {.learning_rate = 5e15f}));
}

// Each number is one that a learner may be given; with a step of their product, or a sum of many, coefficients are
// none.
TEST(Streaming, HugeStepsAreRefusedBeforeTheyAreTaken) {
  const auto check = [](auto learner, float value, float weight, bool refuses) {
    Begun begun(learner);
    std::uint32_t refused = 0;
    for (int i = 0; i < 3000; ++i) {
      const float x[] = {value, i % 7 == 0 ? 1.0f : 0.0f};
      const auto before = begun.coefficients();
      if (begun.learner.update(x, static_cast<Label>(i % 2), weight) == Status::running) continue;
      ++refused;
      ASSERT_EQ(before, begun.coefficients()) << i;
    }
    for (const float w : begun.coefficients()) ASSERT_TRUE(std::isfinite(w));
    EXPECT_EQ(refused > 0, refuses) << refused << " samples refused";
    EXPECT_EQ(begun.learner.report().refused, refused);
    EXPECT_EQ(begun.learner.report().samples, 3000 - refused);
  };
  const auto each = [&]<class Penalty>(Penalty) {
    using Fobos = FobosLearner<float, Hinge, Penalty>;
    using Averaging = DualAveragingLearner<float, Hinge, Penalty>;
    check(Fobos(2, 2, {.lambda = 0, .learning_rate = 5e15f}), 4e17f, 1.0f, true);
    check(Fobos(2, 2, {.lambda = 1e30f, .learning_rate = 1e8f}), 1.0f, 1e4f, true);
    check(Fobos(2, 2, {.lambda = 1e30f, .learning_rate = 1.0f}), 1.0f, 1.0f, false);
    check(Averaging(2, 2, {.lambda = 0, .learning_rate = 5e15f}), 4e17f, 1.0f, false);
    check(Averaging(2, 2, {.lambda = 1e36f, .learning_rate = 1e8f}), 1.0f, 1.0f, true);
    check(Averaging(2, 2, {.lambda = 0, .learning_rate = 1.0f}), 0.0f, 1e15f, false);
    check(Averaging(2, 2, {.lambda = 1e30f, .learning_rate = 5e15f}), 1e-20f, 1.0f, false);
  };
  each(L1{});
  each(GroupL2{});
  each(GroupLinf{});
  each(Ridge{});
  each(ElasticNet<float>{0.0f});
  each(SparseGroup<float>{});
}

TEST(Streaming, WhatIsWrongAtTheDoorTouchesNothing) {
  const auto refused = [](auto learner, Status wanted, std::size_t missing = 0, std::size_t off = 0) {
    GuardedMemory memory(learner.bytes(learner.features(), learner.classes()) - missing, off);
    EXPECT_EQ(learner.begin(memory.span()), wanted) << name(wanted);
    EXPECT_TRUE(memory.untouched());
    EXPECT_EQ(learner.report().status, wanted);
    const float x[] = {1, 2, 3, 4, 5};
    EXPECT_EQ(learner.update(x, 0), wanted);
    EXPECT_EQ(learner.model().features, 0u);
    EXPECT_EQ(learner.report().arena_bytes, learner.bytes(learner.features(), learner.classes()));
  };
  refused(Learner(5, 3, usual), Status::arena_too_small, 1);
  refused(FobosLearner<float, Hinge, L1>(5, 3, usual), Status::arena_too_small, 1);
  refused(Learner(5, 3, usual), Status::invalid_arena, 0, 4);
  refused(Learner(0, 3, usual), Status::invalid_shape);
  refused(Learner(5, 1, usual), Status::invalid_shape);
  refused(Learner(5, 3, {.lambda = -1}), Status::invalid_lambda);
  refused(Learner(5, 3, {.learning_rate = 0}), Status::invalid_option);
  refused(Learner(5, 3, {.learning_rate = 1e17f}), Status::invalid_option);
  refused(Learner(5, 3, {.margin = -1}), Status::invalid_margin);
  refused(FobosLearner<float, Hinge, ElasticNet<float>>(5, 3, usual, {}, {2.0f}), Status::invalid_option);
  const Index order[] = {0, 1, 2, 3, 3}, starts[] = {0, 2, 5};
  Learner listed(5, 3, usual, {}, {Groups::listed(order, starts, 2)});
  GuardedMemory memory(Learner::bytes(5, 3, true));
  EXPECT_EQ(listed.begin(memory.span()), Status::invalid_groups);
  EXPECT_TRUE(memory.untouched());
  static_assert(Learner::bytes(5, 3, true) == Learner::bytes(5, 3) + 32);  // five numbers, padded
  static_assert(FobosLearner<float, Hinge, L1>::bytes(784, 10) == (785 * 12 + 2 * 12 + 784) * 4);
}

// ---- going on

TEST(Streaming, FobosGoesOnWhereItEnded) {
  const Stream<double> stream(400, 9, 3, 2);
  const StreamOptions<double> options{.lambda = 0.02, .learning_rate = 0.3};
  using L = FobosLearner<double, Logistic, GroupL2>;
  Begun all(L(9, 3, options)), first(L(9, 3, options));
  for (std::size_t i = 0; i < 400; ++i) stream.show(all.learner, i);
  for (std::size_t i = 0; i < 150; ++i) stream.show(first.learner, i);
  Begun second(L(9, 3, options), false, first.learner.model(), first.learner.report().samples);
  EXPECT_EQ(second.coefficients(), first.coefficients());
  for (std::size_t i = 150; i < 400; ++i) stream.show(second.learner, i);
  expect_near(all.coefficients(), second.coefficients(), 1e-13);
  EXPECT_EQ(second.learner.report().samples, 400u);
  EXPECT_EQ(second.learner.report().learning_rate, all.learner.report().learning_rate);

  L inside(9, 3, options);  // a model in the memory that is to be used
  EXPECT_EQ(inside.begin(first.memory.span(), first.learner.model()), Status::invalid_arena);
  const Stream<double> other(10, 8, 3, 2);
  EXPECT_EQ(L(8, 3, options).begin(first.memory.span(), second.learner.model()), Status::invalid_shape);
}

TEST(Streaming, DualAveragingStaysNearTheOptimumItBeginsFrom) {
  const Made<double> made(300, 8, 3, 4);
  const auto optimum = tamis::testing::run_default(made, Logistic{}, L1{}, Options<double>{.lambda = 0.01});
  const auto objective = [&](const LinearModel<double>& model) {
    return tamis::testing::objective(made, model, Logistic{}, L1{}, 0.01);
  };
  const auto learn = [&](std::uint32_t seen) {
    Begun begun(DualAveragingLearner<double, Logistic, L1>(8, 3, {.lambda = 0.01}), false, optimum.fit.model, seen);
    std::vector<double> x(8);
    for (Index i = 0; i < 300; ++i) {
      for (Index j = 0; j < 8; ++j) x[j] = made.values[i + j * 300];
      begun.learner.update(x.data(), made.labels[i]);
    }
    return objective(begun.learner.model());
  };
  const double best = objective(optimum.fit.model);
  EXPECT_LT(learn(3000), best * 1.01);
  EXPECT_LT(learn(3000), learn(0)) << "what has been seen before counts";
}

// ---- how well it learns

template <class Solver, class Loss, class Penalty>
Fit<double> fitted(const Made<double>& made, Loss loss, Penalty penalty, std::uint32_t passes,
                   StochasticOptions<double> stochastic, std::vector<double>* objectives = nullptr) {
  const Options<double> options{.lambda = 0.01, .max_iterations = passes};
  GuardedMemory memory(Solver::requirement(made.shape()).bytes);
  Solver solver(made.design(), made.targets(), loss, penalty, options, stochastic);
  solver.start(memory.span());
  advance_to_end(solver, [&](const Report<double>& report) {
    if (objectives) objectives->push_back(report.objective);
    return true;
  });
  EXPECT_TRUE(memory.surroundings_intact());
  Fit<double> fit;
  static_cast<Report<double>&>(fit) = solver.report();
  fit.model = solver.model();
  return fit;
}

template <class Loss, class Penalty>
void expect_near_the_optimum(Loss loss, Penalty penalty, double within) {
  const Made<double> made(300, 12, 4, 3);
  const auto optimum = tamis::testing::run_default(made, loss, penalty, Options<double>{.lambda = 0.01});
  const auto check = [&]<class Solver>(Solver*) {
    std::vector<double> objectives;
    const auto fit = fitted<Solver>(made, loss, penalty, 60, {}, &objectives);
    EXPECT_LT(fit.objective, optimum.fit.objective * (1 + within)) << name(Solver::kind);
    EXPECT_LE(fit.dual_objective, optimum.fit.objective * (1 + 1e-9));
    for (std::size_t e = 1; e < objectives.size(); ++e) EXPECT_LE(objectives[e], objectives[e - 1]);
    EXPECT_EQ(fit.status, Status::iteration_limit);
    EXPECT_EQ(fit.iterations, 60u);
  };
  check(static_cast<as_printed::Fobos<double, Loss, Penalty>*>(nullptr));
  check(static_cast<AdaptiveDualAveraging<double, Loss, Penalty>*>(nullptr));
}

TEST(Streaming, PassesInRandomOrderApproachTheCertifiedOptimum) {
  expect_near_the_optimum(SquaredHinge{}, GroupL2{}, 0.03);
  expect_near_the_optimum(Logistic{}, ElasticNet<double>{}, 0.005);
  expect_near_the_optimum(Hinge{}, L1{}, 0.03);
}

TEST(Streaming, TheObjectiveOfFobosFallsOnAverage) {
  const Made<double> made(300, 12, 4, 3);
  Begun begun(FobosLearner<double, SquaredHinge, L1>(12, 4, {.lambda = 0.01, .learning_rate = 0.05}));
  std::vector<double> blocks, x(12);
  for (int block = 0; block < 4; ++block) {
    double total = 0;
    for (int pass = 0; pass < 8; ++pass) {
      for (Index i = 0; i < 300; ++i) {
        for (Index j = 0; j < 12; ++j) x[j] = made.values[i + j * 300];
        begun.learner.update(x.data(), made.labels[i]);
      }
      total += tamis::testing::objective(made, begun.learner.model(), SquaredHinge{}, L1{}, 0.01);
    }
    blocks.push_back(total / 8);
    if (block > 0) {
      EXPECT_LT(blocks[block], blocks[block - 1]);
    }
  }
}

TEST(Streaming, DualAveragingIsSparserThanFobos) {
  const Made<double> made(400, 40, 4, 8);
  const StochasticOptions<double> stochastic{.learning_rate = 0.1};
  const auto averaging = fitted<AdaptiveDualAveraging<double, Logistic, L1>>(made, Logistic{}, L1{}, 20, stochastic);
  const auto fobos = fitted<as_printed::Fobos<double, Logistic, L1>>(made, Logistic{}, L1{}, 20, stochastic);
  EXPECT_LT(averaging.nonzeros + 20, fobos.nonzeros);
}

TEST(Streaming, TheSeedDecidesAndMemoryDoesNot) {
  const Made<double> made(80, 6, 3, 3);
  using Solver = AdaptiveDualAveraging<double, Hinge, L1>;
  const auto coefficients = [&](std::uint64_t seed, bool room) {
    const Options<double> options{.lambda = 0.01, .max_iterations = 3};
    GuardedMemory memory(room ? Solver::requirement(made.shape(), WorkspaceHint{.entries = 480}).bytes
                              : Solver::requirement(made.shape()).bytes);
    Solver solver(made.design(), made.targets(), {}, {}, options, {.learning_rate = 0.2, .seed = seed});
    solver.start(memory.span());
    while (solver.step()) {
    }
    EXPECT_EQ(solver.report().arena_used_bytes, memory.span().size());
    return std::vector<double>(solver.model().coefficients, solver.model().coefficients + 7 * padded<double>(3));
  };
  EXPECT_EQ(coefficients(1, false), coefficients(1, false));
  EXPECT_EQ(coefficients(1, false), coefficients(1, true));
  EXPECT_NE(coefficients(1, false), coefficients(2, false));
}

TEST(Streaming, TheLearningRateIsChosenByWhatIsHeldOut) {
  const Stream<double> stream(300, 9, 3, 2, 1);
  using L = FobosLearner<double, SquaredHinge, L1>;
  L learner(9, 3, {.lambda = 0.01});
  GuardedMemory memory(L::bytes(9, 3));
  Pull<double> source{&stream};
  ASSERT_EQ(choose_learning_rate(learner, source, 200, memory.span()), StreamEnd::complete);
  double best = 0, least = 1e300;
  for (const double rate : learning_rates<double>) {
    Begun begun(L(9, 3, {.lambda = 0.01, .learning_rate = rate}));
    for (std::size_t i = 0; i < 200; ++i) stream.show(begun.learner, i);
    if (begun.learner.report().overflowed == 0 && begun.learner.report().mean_loss < least) {
      least = begun.learner.report().mean_loss;
      best = rate;
    }
  }
  EXPECT_EQ(learner.learning_rate(), best);
  EXPECT_EQ(learner.report().samples, 0u) << "begun anew";
  EXPECT_EQ(source.next_one, 0u) << "rewound";
  Pull<double> broken{&stream, false, 30};
  EXPECT_EQ(choose_learning_rate(learner, broken, 200, memory.span()), StreamEnd::failed);
  EXPECT_EQ(learner.learning_rate(), best);

  const Made<double> made(200, 8, 3, 4);
  for (const double scale : {1.0, 1000.0}) {  // in the solvers: a scale of the features is no matter
    Made<double> scaled = made;
    for (double& x : scaled.values) x *= scale;
    AdaptiveDualAveraging<double, SquaredHinge, Ridge> solver(scaled.design(), scaled.targets(), {}, {},
                                                              Options<double>{.max_iterations = 10}, {});
    GuardedMemory room(solver.requirement(made.shape()).bytes);
    solver.start(room.span());
    EXPECT_TRUE(std::isnan(solver.learning_rate()));
    while (solver.step()) {
    }
    EXPECT_LE(solver.learning_rate(), scale == 1 ? 10 : 0.01);
    EXPECT_LT(solver.report().objective, 1.2);
  }
}

TEST(Streaming, WeightsAreShares) {
  // A sample of weight 0 is none; in the solvers, weights that are all the same are no weights.
  const Stream<double> stream(100, 5, 3, 2, 2);
  using L = DualAveragingLearner<double, Logistic, L1>;
  Begun with(L(5, 3, {.lambda = 0.01})), without(L(5, 3, {.lambda = 0.01}));
  for (std::size_t i = 0; i < 100; ++i) {
    if (i % 3) stream.show(without.learner, i);
    stream.show(with.learner, i, i % 3 ? 1 : 0);
  }
  EXPECT_EQ(with.coefficients(), without.coefficients());
  EXPECT_EQ(with.learner.report().mean_loss, without.learner.report().mean_loss);

  Made<double> made(80, 6, 3, 3), weighted = made;
  weighted.weights.assign(80, 4.0);
  using Solver = as_printed::Fobos<double, Hinge, L1>;
  const auto a = fitted<Solver>(made, Hinge{}, L1{}, 3, {.learning_rate = 0.1});
  const auto b = fitted<Solver>(weighted, Hinge{}, L1{}, 3, {.learning_rate = 0.1});
  EXPECT_EQ(a.objective, b.objective);
  weighted.weights[0] = 20;
  EXPECT_NE(fitted<Solver>(weighted, Hinge{}, L1{}, 3, {.learning_rate = 0.1}).objective, a.objective);
}

}  // namespace
