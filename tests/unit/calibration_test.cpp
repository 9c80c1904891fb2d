// Calibrated probabilities: parameters that are known, optima by derivatives worked out again.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/problems.hpp"

namespace tamis {
namespace {

using testing::Generator;
using testing::GuardedMemory;
using testing::Made;

constexpr CalibrationKind kinds[] = {CalibrationKind::sigmoid, CalibrationKind::softmax};

/// Scores with a row of `stride` per sample, and labels.
template <class T>
struct Scored {
  Index classes, stride;
  std::vector<T> scores;
  std::vector<Label> labels;
  std::vector<T> weights;

  explicit Scored(Index K) : classes(K), stride(padded<T>(K) + 1) {}
  Index samples() const { return static_cast<Index>(labels.size()); }
  Rows<const T> rows() const { return {scores.data(), samples(), classes, stride}; }
  Targets<T> targets() const { return {labels, classes, weights.empty() ? nullptr : weights.data()}; }
  void add(const std::vector<double>& s, Label label) {
    for (Index k = 0; k < stride; ++k) scores.push_back(k < classes ? static_cast<T>(s[k]) : not_a_number<T>);
    labels.push_back(label);
  }
};

template <class T>
struct Fitted {
  std::unique_ptr<GuardedMemory> memory;
  CalibrationFit<T> fit;
};
template <class T>
Fitted<T> fitted(const Scored<T>& data, CalibrationOptions<T> options) {
  Fitted<T> out{std::make_unique<GuardedMemory>(calibration_requirement<T>(options.kind, data.classes).bytes), {}};
  out.fit = calibrate(data.rows(), data.targets(), options, out.memory->span());
  EXPECT_TRUE(out.memory->surroundings_intact());
  return out;
}

double unit(Generator& generator) { return (generator.draw(32768) + generator.draw(32768) / 32768.0) / 32768.0; }

/// Labels drawn from softmax(a s_k + b_k).
Scored<double> drawn(Index samples, Index K, double a, const std::vector<double>& b, std::uint32_t seed) {
  Generator generator(seed);
  Scored<double> out(K);
  std::vector<double> s(K), p(K);
  for (Index i = 0; i < samples; ++i) {
    double total = 0;
    for (Index k = 0; k < K; ++k) total += p[k] = std::exp(a * (s[k] = 2 * generator.uniform()) + b[k]);
    double draw = total * unit(generator);
    Index label = 0;
    while (label + 1 < K && (draw -= p[label]) > 0) ++label;
    out.add(s, static_cast<Label>(label));
  }
  return out;
}

TEST(Calibration, FindsTheParametersThatDrewTheLabels) {
  const auto many = drawn(40000, 3, 1.7, {0.5, -0.8, 0.3}, 3);
  const auto soft = fitted(many, {});
  ASSERT_EQ(soft.fit.status, Status::converged);
  const double b[] = {0.5, -0.8, 0.3};
  for (Index k = 0; k < 3; ++k) {
    EXPECT_NEAR(soft.fit.calibration.slopes[k], 1.7, 0.04);
    EXPECT_NEAR(soft.fit.calibration.offsets[k], b[k], 0.04);
  }

  Generator generator(5);  // one score against its negative: P(0) = 1/(1 + exp(A s + B)) with A = −1.4, B = 0.6
  Scored<double> two(2);
  for (int i = 0; i < 40000; ++i) {
    const double s = 3 * generator.uniform();
    two.add({s, -s}, unit(generator) < 1 / (1 + std::exp(-1.4 * s + 0.6)) ? 0 : 1);
  }
  const auto platt = fitted(two, {.kind = CalibrationKind::sigmoid});
  ASSERT_EQ(platt.fit.status, Status::converged);
  EXPECT_NEAR(platt.fit.calibration.slopes[0], 1.4, 0.04);
  EXPECT_NEAR(platt.fit.calibration.offsets[0], -0.6, 0.04);
  EXPECT_NEAR(platt.fit.calibration.slopes[1], 1.4, 0.04);
  EXPECT_NEAR(platt.fit.calibration.offsets[1], 0.6, 0.04);
}

/// The objective by its definition, of any slopes and offsets.
long double by_definition(const Scored<double>& data, CalibrationKind kind, const std::vector<double>& a,
                          const std::vector<double>& b) {
  const Index K = data.classes;
  long double value = 0, all = 0, n = 0;
  std::vector<long double> of_class(K);
  for (Index i = 0; i < data.samples(); ++i) {
    const double w = data.weights.empty() ? 1 : data.weights[i];
    all += w;
    n += w > 0;
    of_class[data.labels[i]] += w > 0;
  }
  for (Index i = 0; i < data.samples(); ++i) {
    const double w = data.weights.empty() ? 1 : data.weights[i];
    if (w == 0) continue;
    const Label y = data.labels[i];
    std::vector<long double> z(K);
    long double total = 0;
    for (Index k = 0; k < K; ++k)
      total += std::exp(z[k] = static_cast<long double>(a[k]) * data.scores[i * data.stride + k] + b[k]);
    for (Index k = 0; k < K; ++k) {
      if (kind == CalibrationKind::softmax) {
        const long double t = k == y ? (n + 1) / (n + 2) : 1 / (n + 2) / (K - 1);
        value -= w / all * t * (z[k] - std::log(total));
      } else {
        const long double t = k == y ? (of_class[k] + 1) / (of_class[k] + 2) : 1 / (n - of_class[k] + 2);
        const long double p = 1 / (1 + std::exp(-z[k]));
        value -= w / all * (t * std::log(p) + (1 - t) * std::log(1 - p));
      }
    }
  }
  return value;
}

TEST(Calibration, IsWhereTheDerivativesOfTheObjectiveAreZero) {
  auto data = drawn(300, 4, 1.1, {0.2, 0, -0.5, 0.3}, 8);
  for (Index i = 0; i < 300; ++i) data.weights.push_back(0.5 + i % 3 * (i % 5 != 0));
  data.weights[7] = 0;
  for (const auto kind : kinds) {
    const auto at = fitted(data, {.kind = kind});
    ASSERT_EQ(at.fit.status, Status::converged);
    EXPECT_LE(at.fit.gradient, 1e-10);
    EXPECT_LE(at.fit.iterations, 10u);
    const auto& c = at.fit.calibration;
    std::vector<double> a(c.slopes, c.slopes + 4), b(c.offsets, c.offsets + 4);
    const long double here = by_definition(data, kind, a, b);
    EXPECT_NEAR(static_cast<double>(here), at.fit.objective, 1e-13);
    const double h = 1e-4;
    const auto both_ways = [&](auto move) {
      auto a_up = a, b_up = b, a_down = a, b_down = b;
      move(a_up, b_up, h);
      move(a_down, b_down, -h);
      const long double up = by_definition(data, kind, a_up, b_up), down = by_definition(data, kind, a_down, b_down);
      EXPECT_NEAR(static_cast<double>((up - down) / (2 * h)), 0, 2e-9);
      EXPECT_GT(static_cast<double>(up + down - 2 * here), 1e-12);
    };
    for (Index k = 0; k < 4; ++k) {
      both_ways([&](auto&, auto& offsets, double t) { offsets[k] += t; });
      if (kind == CalibrationKind::sigmoid) both_ways([&](auto& slopes, auto&, double t) { slopes[k] += t; });
    }
    both_ways([&](auto& slopes, auto&, double t) {
      for (double& slope : slopes) slope += t;
    });
    if (kind == CalibrationKind::softmax) {
      EXPECT_NEAR(b[0] + b[1] + b[2] + b[3], 0, 1e-14);
    }
  }
}

TEST(Calibration, StaysFiniteWhereScoresSeparateOrSayNothing) {
  Scored<double> apart(3), constant(3);
  for (int i = 0; i < 30; ++i) {
    std::vector<double> s(3, -1.0);
    s[static_cast<std::size_t>(i % 3)] = 1 + i;
    apart.add(s, static_cast<Label>(i % 3));
    constant.add({2, 0, -5}, static_cast<Label>(i % 6 ? 0 : 1 + i / 6 % 2));
  }
  for (const auto kind : kinds) {
    const auto at = fitted(apart, {.kind = kind});
    ASSERT_EQ(at.fit.status, Status::converged);
    double p[3];
    at.fit.calibration.probabilities(apart.scores.data() + 27 * apart.stride, p);
    EXPECT_GT(p[0], 0.8);
    EXPECT_LT(p[0], 1);
    const auto same = fitted(constant, {.kind = kind});
    ASSERT_EQ(same.fit.status, Status::converged);
    same.fit.calibration.probabilities(constant.scores.data(), p);
    EXPECT_NEAR(p[0], 25.0 / 30, 0.05) << "the share of the class";
  }
}

TEST(Calibration, DoesNotDependOnTheUnitsOfScores) {
  const auto data = drawn(400, 3, 1.3, {0.4, 0, -0.4}, 12);
  for (const auto kind : kinds) {
    const auto plain = fitted(data, {.kind = kind});
    for (const auto& [scale, shift] : {std::pair<double, double>{1e-9, 0}, {1e7, 1e7}, {1e306, 0}, {-2, 1}}) {
      auto moved = data;
      for (double& s : moved.scores) s = scale * s + shift;
      const auto at = fitted(moved, {.kind = kind});
      ASSERT_EQ(at.fit.status, Status::converged) << scale;
      EXPECT_NEAR(at.fit.objective, plain.fit.objective, 1e-12);
      double p[3], q[3];
      for (Index i = 0; i < 400; i += 17) {
        plain.fit.calibration.probabilities(data.scores.data() + i * data.stride, p);
        at.fit.calibration.probabilities(moved.scores.data() + i * data.stride, q);
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(p[k], q[k], 1e-7);
      }
    }
  }
}

TEST(Calibration, LeavesOutSamplesWithoutWeight) {
  auto data = drawn(200, 3, 1.3, {0.4, 0, -0.4}, 15);
  Scored<double> rest(3);
  for (Index i = 0; i < 200; ++i) {
    data.weights.push_back(i % 4 == 0 ? 0 : 1);
    if (i % 4 == 0) data.scores[i * data.stride] = not_a_number<double>;
    else rest.add({data.scores.begin() + i * data.stride, data.scores.begin() + i * data.stride + 3}, data.labels[i]);
  }
  for (const auto kind : kinds) {
    const auto a = fitted(data, {.kind = kind}), b = fitted(rest, {.kind = kind});
    ASSERT_EQ(a.fit.status, Status::converged);
    for (Index k = 0; k < 3; ++k) {
      EXPECT_EQ(a.fit.calibration.slopes[k], b.fit.calibration.slopes[k]);
      EXPECT_EQ(a.fit.calibration.offsets[k], b.fit.calibration.offsets[k]);
    }
  }
}

TEST(Calibration, IsCloseInFloat) {
  const auto data = drawn(2000, 5, 1.3, {0.4, 0, -0.4, 0.2, -0.2}, 12);
  Scored<float> narrow(5);
  for (Index i = 0; i < 2000; ++i)
    narrow.add({data.scores.begin() + i * data.stride, data.scores.begin() + i * data.stride + 5}, data.labels[i]);
  for (const auto kind : kinds) {
    const auto wide = fitted(data, {.kind = kind});
    const auto at = fitted<float>(narrow, {.kind = kind});
    ASSERT_EQ(at.fit.status, Status::converged);
    for (Index k = 0; k < 5; ++k) {
      EXPECT_NEAR(static_cast<double>(at.fit.calibration.slopes[k]), wide.fit.calibration.slopes[k], 2e-4);
      EXPECT_NEAR(static_cast<double>(at.fit.calibration.offsets[k]), wide.fit.calibration.offsets[k], 2e-4);
    }
    const auto tight = fitted<float>(narrow, {.kind = kind, .tolerance = 1e-30f});
    EXPECT_EQ(tight.fit.status, Status::precision_limit);
    EXPECT_EQ(tight.fit.calibration.classes, 5u);
    EXPECT_LT(tight.fit.gradient, 1e-6f);
  }
}

TEST(Calibration, SaysWhatIsWrong) {
  const auto good = drawn(60, 3, 1, {0, 0, 0}, 2);
  GuardedMemory memory(calibration_requirement<double>(CalibrationKind::softmax, 3).bytes);
  const auto status = [&](const auto& change) {
    auto bad = good;
    CalibrationOptions<double> options;
    change(bad, options);
    const auto fit = calibrate(bad.rows(), bad.targets(), options, memory.span());
    EXPECT_EQ(fit.calibration.classes, 0u);
    EXPECT_TRUE(memory.untouched());
    return std::tuple(fit.status, fit.row, fit.column);
  };
  using Bad = Scored<double>;
  using O = CalibrationOptions<double>;
  using Answer = std::tuple<Status, Index, Index>;
  EXPECT_EQ(status([](Bad& b, O&) { b.scores[5 * b.stride + 2] = infinity<double>; }),
            Answer(Status::invalid_data, 5, 2));
  EXPECT_EQ(status([](Bad& b, O&) { b.labels[9] = 3; }), Answer(Status::invalid_label, 9, 0));
  EXPECT_EQ(status([](Bad& b, O&) { (b.weights = std::vector<double>(60, 1))[4] = -1; }),
            Answer(Status::invalid_weight, 4, 0));
  for (const double weight : {1e308, 1e-320})  // without a sum, or shares, that are normal numbers
    EXPECT_EQ(status([=](Bad& b, O&) { b.weights = std::vector<double>(60, weight); }),
              Answer(Status::invalid_weight, 0, 0));
  EXPECT_EQ(status([](Bad& b, O&) { (b.weights = std::vector<double>(60, 1))[4] = 1e-310; }),
            Answer(Status::invalid_weight, 4, 0));
  EXPECT_EQ(status([](Bad& b, O&) {
              for (Label& y : b.labels) y = 0;
            }),
            Answer(Status::missing_class, 0, 1));
  EXPECT_EQ(status([](Bad& b, O&) { b.classes = 1; }), Answer(Status::invalid_shape, 0, 0));
  EXPECT_EQ(status([](Bad& b, O&) { b.labels.clear(); }), Answer(Status::invalid_shape, 0, 0));
  EXPECT_EQ(status([](Bad& b, O&) { b.stride = 2; }), Answer(Status::invalid_shape, 0, 0));
  EXPECT_EQ(status([](Bad&, O& o) { o.tolerance = 0; }), Answer(Status::invalid_option, 0, 0));
  EXPECT_EQ(status([](Bad&, O& o) { o.max_iterations = 0; }), Answer(Status::invalid_option, 0, 0));

  for (const auto kind : kinds) {
    const std::size_t bytes = calibration_requirement<double>(kind, 3).bytes;
    GuardedMemory small(bytes - 1), crooked(bytes, 8);
    const auto fit = calibrate(good.rows(), good.targets(), {.kind = kind}, small.span());
    EXPECT_EQ(fit.status, Status::arena_too_small);
    EXPECT_EQ(fit.arena_bytes, bytes);
    EXPECT_TRUE(small.untouched());
    EXPECT_EQ(calibrate(good.rows(), good.targets(), {.kind = kind}, crooked.span()).status, Status::invalid_arena);
    const auto short_run = fitted(good, {.kind = kind, .max_iterations = 1});
    EXPECT_EQ(short_run.fit.status, Status::iteration_limit);
    EXPECT_EQ(short_run.fit.calibration.classes, 3u);
  }
}

// ---- probabilities --------------------------------------------------------------------------------------------------

TEST(Probabilities, AreThoseOfTheFormula) {
  const float a[] = {1.5f, 0.5f, 2, 1, 1}, b[] = {0.25f, -1, 0, 0.5f, 2}, s[] = {0.5f, 1, -1, 2, -0.25f};
  for (const auto kind : kinds) {
    const Calibration<float> c{kind, 5, a, b};
    double expected[5], total = 0;
    for (int k = 0; k < 5; ++k) {
      const double z = double(a[k]) * double(s[k]) + double(b[k]);
      total += expected[k] = kind == CalibrationKind::sigmoid ? 1 / (1 + std::exp(-z)) : std::exp(z);
    }
    float p[5], in_place[5];
    c.probabilities(s, p);
    std::copy(s, s + 5, in_place);
    c.probabilities(in_place, in_place);
    for (Index k = 0; k < 5; ++k) {
      EXPECT_NEAR(double(p[k]), expected[k] / total, 3e-7);
      EXPECT_EQ(p[k], in_place[k]);
      EXPECT_NEAR(double(c.log_probability(s, k)), std::log(expected[k] / total), 2e-6);
    }
    EXPECT_EQ(c.predict(s), std::max_element(p, p + 5) - p);
  }
}

TEST(Probabilities, AreFiniteWhateverTheScores) {
  const double a[] = {-3, 2, 1e200}, b[] = {1e3, 0, -5};
  const double top = 1.7e308;
  const double nan = not_a_number<double>;
  const double rows[][3] = {{top, top, -top}, {-top, -top, -top}, {800, -800, 0},  {0, -5000, -1e-190},
                            {1e4, -1e4, -1},  {nan, 1, 0},        {nan, nan, nan}, {infinity<double>, 0, 0}};
  for (const auto kind : kinds)
    for (const auto& row : rows)
      for (const bool parameters : {true, false}) {
        const Calibration<double> c = parameters ? Calibration<double>{kind, 3, a, b} : Calibration<double>{kind, 3};
        double p[3];
        c.probabilities(row, p);
        double total = 0;
        for (Index k = 0; k < 3; ++k) {
          EXPECT_GE(p[k], 0);
          EXPECT_TRUE(finite(c.log_probability(row, k)));
          total += p[k];
        }
        EXPECT_NEAR(total, 1, 1e-14);
        EXPECT_LT(c.predict(row), 3);
      }
}

// ---- reliability ----------------------------------------------------------------------------------------------------

TEST(Reliability, IsTheSumOverBins) {
  Scored<double> data(2);  // without parameters, the probabilities of (log p, log(1 − p)) are p and 1 − p
  struct Case {
    double p;
    Label label;
    double weight;
  };
  for (const auto& [p, label, weight] : {Case{0.62, 0, 1}, {0.35, 0, 2}, {0.91, 0, 1}, {0.97, 1, 1}, {0.5, 0, 0}}) {
    data.add({std::log(p), std::log(1 - p)}, label);
    data.weights.push_back(weight);
  }
  ReliabilityBin<double> bins[10];
  Reliability<double> out;
  ASSERT_EQ(measure_reliability<double>({CalibrationKind::softmax, 2}, data.rows(), data.targets(), bins, out),
            Status::converged);
  EXPECT_NEAR(bins[6].weight, 0.6, 1e-15);
  EXPECT_NEAR(bins[6].confidence, (0.62 + 2 * 0.65) / 3, 1e-15);
  EXPECT_NEAR(bins[6].accuracy, 1.0 / 3, 1e-15);
  EXPECT_NEAR(bins[9].confidence, 0.94, 1e-15);
  EXPECT_NEAR(bins[9].accuracy, 0.5, 1e-15);
  EXPECT_EQ(bins[5].weight, 0);
  EXPECT_NEAR(out.calibration_error, 0.6 * (0.64 - 1.0 / 3) + 0.4 * 0.44, 1e-14);
  EXPECT_NEAR(out.error, 0.6, 1e-15);
  EXPECT_NEAR(out.log_loss, -(std::log(0.62) + 2 * std::log(0.35) + std::log(0.91) + std::log(0.03)) / 5, 1e-14);

  const auto status = [&](const Calibration<double>& c, Index count) {
    return measure_reliability<double>(c, data.rows(), data.targets(), {bins, count}, out);
  };
  EXPECT_EQ(status({CalibrationKind::softmax, 3}, 10), Status::invalid_shape);
  EXPECT_EQ(status({CalibrationKind::softmax, 2}, 0), Status::invalid_option);
  data.scores[0] = not_a_number<double>;
  EXPECT_EQ(status({CalibrationKind::softmax, 2}, 10), Status::invalid_data);
  data.weights = {0, 0, 0, 0, 0};
  EXPECT_EQ(status({CalibrationKind::softmax, 2}, 10), Status::missing_class);
}

TEST(Reliability, OfTheProbabilitiesThatDrewTheLabelsIsGood) {
  const auto data = drawn(40000, 3, 1.7, {0, 0, 0}, 4);
  const double right[] = {1.7, 1.7, 1.7}, bold[] = {5, 5, 5};
  ReliabilityBin<double> bins[15];
  Reliability<double> good, bad;
  measure_reliability<double>({CalibrationKind::softmax, 3, right}, data.rows(), data.targets(), bins, good);
  EXPECT_LT(good.calibration_error, 0.01);
  measure_reliability<double>({CalibrationKind::softmax, 3, bold}, data.rows(), data.targets(), bins, bad);
  EXPECT_GT(bad.calibration_error, 0.1);
  EXPECT_GT(bad.log_loss, good.log_loss + 0.1);
}

// ---- from held-out scores -------------------------------------------------------------------------------------------

TEST(HeldOutScores, AreThoseOfTrainingOnTheOtherRows) {
  const Made<double> made(40, 6, 3, 9);
  const auto design = made.design();
  using Squared = Training<double, SquaredHinge, GroupL2>;
  const Squared training{{.tolerance = 1e-10}};
  const auto make = [&](const Targets<double>& targets) { return training.solver(design, targets); };
  std::vector<Index> fold(40), order(40);
  Index rare = 0;
  ASSERT_TRUE(deal_folds(made.labels, 3, 3, true, 1, fold.data(), order.data(), rare));
  fold[5] = no_fold;
  const double lambdas[] = {0.1, 0.02};
  using CV = CrossValidation<double, decltype(make), DenseDesign<double>, SquaredHinge>;
  GuardedMemory memory(CV::requirement(made.shape(), 3, 2, {Squared::bytes(made.shape())}).bytes);
  std::vector<double> held(2 * 40 * 4, -77);
  CV plain(make, design, made.targets(), SquaredHinge{}, fold.data(), 3, {lambdas, 2});
  plain.start(memory.span());
  while (plain.step()) {
  }
  const double error = plain.at(1).error, loss = plain.at(1).loss;
  CV cv(make, design, made.targets(), SquaredHinge{}, fold.data(), 3, {lambdas, 2});
  cv.keep_scores(held.data());
  cv.start(memory.span());
  while (cv.step()) {
  }
  ASSERT_EQ(cv.status(), Status::converged);
  EXPECT_EQ(cv.at(1).error, error);
  EXPECT_EQ(cv.at(1).loss, loss);
  for (Index l = 0; l < 2; ++l)
    for (Index f = 0; f < 3; ++f) {
      auto part = made;
      for (Index i = 0; i < 40; ++i) part.weights.push_back(fold[i] != f);
      const auto fit =
          testing::run_default(part, SquaredHinge{}, GroupL2{}, {.lambda = lambdas[l], .tolerance = 1e-10});
      for (Index i = 0; i < 40; ++i) {
        double z[3];
        fit.fit.model.scores(made.values.data() + i, z, 40);
        if (fold[i] != f) continue;
        for (Index k = 0; k < 3; ++k) EXPECT_NEAR(held[(l * 40 + i) * 4 + k], z[k], 1e-4);
      }
    }
  EXPECT_EQ(held[5 * 4], -77) << "never held out";
}

}  // namespace
}  // namespace tamis
