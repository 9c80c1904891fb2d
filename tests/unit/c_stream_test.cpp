// Streams in C: the same bits as C++, every refusal with its status.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"
#include "tamis/streaming/dual_averaging.hpp"
#include "tamis/streaming/fobos.hpp"
#include "tamis_stream.h"

namespace {

using tamis::Index;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

struct Rows {
  Made<float> made{60, 7, 3, 4};
  std::vector<float> values;  // by rows
  std::size_t next = 0;
  bool fails = false;

  Rows() {
    for (Index i = 0; i < 60; ++i)
      for (Index j = 0; j < 7; ++j) values.push_back(made.values[i + j * 60]);
  }
  static int take(void* context, tamis_stream_sample_f32* sample) {
    Rows& rows = *static_cast<Rows*>(context);
    if (rows.next == 60) return TAMIS_STREAM_LAST;
    if (rows.fails && rows.next == 10) return -1;
    sample->values = rows.values.data() + 7 * rows.next;
    sample->count = 7;
    sample->label = rows.made.labels[rows.next++];
    return TAMIS_STREAM_SAMPLE;
  }
  static int back(void* context) {
    static_cast<Rows*>(context)->next = 0;
    return 1;
  }
};

tamis_stream_options_f32 options_of(uint32_t learner) {
  tamis_stream_options_f32 options;
  tamis_default_stream_options_f32(&options);
  options.lambda = 0.01f;
  options.features = 7;
  options.classes = 3;
  options.loss = TAMIS_LOGISTIC;
  options.penalty = TAMIS_ELASTIC_NET;
  options.learner = learner;
  return options;
}

template <class Learner>
void expect_the_bits_of_cpp(uint32_t which) {
  Rows rows;
  const auto options = options_of(which);
  GuardedMemory memory(tamis_stream_bytes_f32(&options)), other(Learner::bytes(7, 3));
  ASSERT_EQ(memory.span().size(), other.span().size());
  Learner learner(7, 3, {.lambda = 0.01f});
  learner.begin(other.span());
  tamis_stream_f32 stream;
  ASSERT_EQ(tamis_stream_begin_f32(&stream, &options, memory.span().data(), memory.span().size()), TAMIS_RUNNING);
  ASSERT_EQ(tamis_stream_run_f32(&stream, Rows::take, Rows::back, &rows, 2), TAMIS_STREAM_COMPLETE);
  const uint32_t indices[] = {2, 5};
  const float values[] = {0.5f, -1.0f};
  EXPECT_EQ(tamis_stream_update_sparse_f32(&stream, indices, values, 2, 1, 2.0f), TAMIS_RUNNING);
  EXPECT_EQ(tamis_stream_update_f32(&stream, rows.values.data(), 3, 1.0f), TAMIS_INVALID_LABEL);
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < 60; ++i) learner.update(rows.values.data() + 7 * i, rows.made.labels[i]);
  learner.update(indices, values, 2, 1, 2.0f);
  tamis_model_f32 model;
  ASSERT_EQ(tamis_stream_model_f32(&stream, &model), TAMIS_RUNNING);
  const auto expected = learner.model();
  for (std::size_t e = 0; e < 8 * 4; ++e) ASSERT_EQ(model.coefficients[e], expected.coefficients[e]) << e;
  tamis_stream_report_f32 report;
  tamis_stream_report_of_f32(&stream, &report);
  EXPECT_EQ(report.samples, 121u);
  EXPECT_EQ(report.refused, 1u);
  EXPECT_EQ(report.last_refusal, uint32_t(TAMIS_INVALID_LABEL));
  EXPECT_EQ(report.mean_loss, learner.report().mean_loss);
  EXPECT_EQ(report.mean_error, learner.report().mean_error);
  EXPECT_EQ(report.learning_rate, learner.report().learning_rate);
  EXPECT_EQ(report.arena_bytes, memory.span().size());
  EXPECT_TRUE(memory.surroundings_intact());

  auto more = options;  // from that model
  more.from = model.coefficients;
  more.seen = report.samples;
  GuardedMemory again(tamis_stream_bytes_f32(&more));
  tamis_stream_f32 second;
  ASSERT_EQ(tamis_stream_begin_f32(&second, &more, again.span().data(), again.span().size()), TAMIS_RUNNING);
  tamis_model_f32 begun;
  tamis_stream_model_f32(&second, &begun);
  for (std::size_t e = 0; e < 8 * 4; ++e) ASSERT_EQ(model.coefficients[e], begun.coefficients[e]) << e;
  EXPECT_EQ(tamis_stream_begin_f32(&second, &more, memory.span().data(), memory.span().size()), TAMIS_INVALID_ARENA);
}

TEST(CStream, GivesTheBitsOfCpp) {
  using tamis::ElasticNet;
  using tamis::Logistic;
  expect_the_bits_of_cpp<tamis::DualAveragingLearner<float, Logistic, ElasticNet<float>>>(TAMIS_LEARN_DUAL_AVERAGING);
  expect_the_bits_of_cpp<tamis::FobosLearner<float, Logistic, ElasticNet<float>>>(TAMIS_LEARN_FOBOS);
}

TEST(CStream, SaysWhatIsWrong) {
  const auto status = [](auto change, std::size_t missing = 0) {
    auto options = options_of(TAMIS_LEARN_DUAL_AVERAGING);
    change(options);
    GuardedMemory memory(std::max<std::size_t>(tamis_stream_bytes_f32(&options), 16) - missing);
    tamis_stream_f32 stream;
    const auto out = tamis_stream_begin_f32(&stream, &options, memory.span().data(), memory.span().size());
    const float x[7] = {};
    EXPECT_EQ(tamis_stream_update_f32(&stream, x, 0, 1.0f), out);
    tamis_model_f32 model;
    EXPECT_EQ(tamis_stream_model_f32(&stream, &model), out == TAMIS_RUNNING ? TAMIS_RUNNING : TAMIS_INVALID_SHAPE);
    EXPECT_EQ(model.features, out == TAMIS_RUNNING ? 7u : 0u);
    tamis_stream_report_f32 report;
    tamis_stream_report_of_f32(&stream, &report);
    EXPECT_EQ(report.status, uint32_t(out));
    EXPECT_EQ(memory.untouched(), out != TAMIS_RUNNING);
    return out;
  };
  using Options = tamis_stream_options_f32;
  EXPECT_EQ(status([](Options&) {}), TAMIS_RUNNING);
  EXPECT_EQ(status([](Options&) {}, 1), TAMIS_ARENA_TOO_SMALL);
  EXPECT_EQ(status([](Options& o) { o.learner = 2; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Options& o) { o.loss = 9; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Options& o) { o.loss = TAMIS_RANKING_SQUARED_HINGE; }), TAMIS_INVALID_OPTION);  // one label each
  EXPECT_EQ(status([](Options& o) { o.learning_rate = -1; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Options& o) { o.l1_ratio = 2; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(status([](Options& o) { o.penalty = TAMIS_REWEIGHTED_L1; }), TAMIS_INVALID_COMBINATION);
  EXPECT_EQ(status([](Options& o) { o.lambda = std::nanf(""); }), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(status([](Options& o) { o.classes = 1; }), TAMIS_INVALID_SHAPE);

  auto options = options_of(TAMIS_LEARN_FOBOS);
  GuardedMemory memory(tamis_stream_bytes_f32(&options));
  tamis_stream_f32 stream;
  tamis_stream_begin_f32(&stream, &options, memory.span().data(), memory.span().size());
  Rows rows;
  EXPECT_EQ(tamis_stream_run_f32(&stream, Rows::take, nullptr, &rows, 2), TAMIS_STREAM_FAILED) << "no way back";
  rows.fails = true;
  rows.next = 0;
  EXPECT_EQ(tamis_stream_run_f32(&stream, Rows::take, Rows::back, &rows, 1), TAMIS_STREAM_FAILED);
  tamis_stream_report_f32 report;
  tamis_stream_report_of_f32(&stream, &report);
  EXPECT_EQ(report.samples, 70u);
}

}  // namespace
