// What is done with samples before training and with models after it asks the heap for nothing.
#include <cstring>

#include "memory/watched.hpp"
#include "support/problems.hpp"
#include "tamis/certificate/rademacher.hpp"
#include "tamis/certificate/reliability.hpp"
#include "tamis/design/quantise.hpp"
#include "tamis/eigen.hpp"
#include "tamis/features/sample_steps.hpp"
#include "tamis/features/standardise.hpp"
#include "tamis/features/tf_idf.hpp"
#include "tamis/model/export_interactions_c.hpp"
#include "tamis/model/export_kernels_c.hpp"
#include "tamis/model/export_prepared_c.hpp"
#include "tamis/model/export_probabilities_c.hpp"
#include "tamis/model/export_quantised_c.hpp"
#include "tamis/model/two_slots.hpp"
#include "tamis/selection/set_thresholds.hpp"
#include "tamis/solver/interaction_admm.hpp"
#include "tamis/solver/kernel_admm.hpp"
#include "tamis/streaming/dual_averaging.hpp"
#include "tamis/streaming/run.hpp"

namespace {

using namespace tamis;
using tamis::testing::expect_no_call;
using tamis::testing::finish;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

char text[200000];

template <class T>
class NoHeapAround : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NoHeapAround, Scalars);

TYPED_TEST(NoHeapAround, StepsBeforeTraining) {
  using T = TypeParam;
  Made<T> made(30, 6, 3, 5);
  static ColumnScale<T> columns[6];
  static T coefficients[7 * padded<T>(3)];
  expect_no_call("standardising", [&] {
    for (Index j = 0; j < 6; ++j) {
      columns[j] = measure_column(made.values.data() + j * 30, 30);
      standardise_column(made.values.data() + j * 30, 30, columns[j]);
    }
    restore_units(coefficients, Index(6), padded<T>(3), columns);
    return columns[0].scale > T(0);
  });
  for (const SampleNorm norm : {SampleNorm::none, SampleNorm::l1, SampleNorm::l2, SampleNorm::max})
    expect_no_call("steps of a sample", [&] {
      static T means[6], sample[] = {1, not_a_number<T>, 3, 4, 5, 6};
      const SampleSteps<T> steps{T(2), means, {T(0.1), T(10)}, norm};
      steps.apply(sample, 6);
      return finite(sample[1]);
    });
  for (const bool sublinear : {false, true})
    expect_no_call("tf-idf", [&] {
      static const Index counts[] = {1, 2, 3}, terms[] = {0, 2};
      static T idf[3], values[] = {2, 1};
      values[0] = 2, values[1] = 1;
      TfIdf<T> weights({.sublinear = sublinear});
      return weights.start(counts, 4, idf) && weights.transform(terms, values);
    });
  expect_no_call("quantising", [&] {
    static std::int16_t integers[30 * 6], zeros[6];
    static T scales[6];
    for (Index j = 0; j < 6; ++j) quantise_column(made.values.data() + j * 30, 30, integers + j * 30);
    standardise_integers(integers, 30, 6, {.sample_stride = 1, .column_stride = 30}, scales, zeros);
    const QuantisedDesign<T, std::int16_t> design(integers, 30, 6, {.scale = T(1) / T(1024)});
    return design.samples() == 30 && scales[0] > T(0);
  });
}

/// Two slots of memory.
struct Slots {
  std::byte bytes[2][4096];
  bool erase(Index slot) {
    std::memset(bytes[slot], 0xff, sizeof bytes[slot]);
    return true;
  }
  bool write(Index slot, std::size_t offset, std::span<const std::byte> in) {
    std::memcpy(bytes[slot] + offset, in.data(), in.size());
    return true;
  }
  bool read(Index slot, std::size_t offset, std::span<std::byte> out) {
    std::memcpy(out.data(), bytes[slot] + offset, out.size());
    return true;
  }
};

TYPED_TEST(NoHeapAround, LinearModels) {
  using T = TypeParam;
  const Made<T> made(40, 6, 3, 5);
  using Trained = Training<T, Logistic, L1>;
  GuardedMemory memory(Trained::bytes(made.shape()));
  const auto fit = Trained({.lambda = T(0.02)}).run(made.design(), made.targets(), memory.span());
  ASSERT_TRUE(has_model(fit.status));
  static T samples[2 * 6], prepared[2 * 6];
  for (Index e = 0; e < 12; ++e) samples[e] = prepared[e] = T(1) + made.values[e];
  const ExportOptions<T> options{.samples = samples, .sample_count = 2};
  const SampleSteps<T> steps{T(1), nullptr, {}, SampleNorm::l2};
  for (const Index i : {0, 6}) steps.apply(prepared + i, 6);
  static T scores[40 * padded<T>(3)];
  expect_no_call("headers", [&] {
    return export_c(fit.model, options, text) > 0 && export_prepared_c(fit.model, options, steps, prepared, text) > 0;
  });
  expect_no_call("a model of integers", [&] {
    static CountScale counts[6];
    static std::int16_t weights[18];
    static std::int32_t intercepts[3], sums[3];
    static const float sample[6] = {};
    for (CountScale& count : counts) count = count_scale(-1, 1);
    const QuantisedModel model = quantise(fit.model, counts, 127, weights, intercepts);
    model.scores(sample, sums);
    return model.classes == 3 && export_quantised_c(model, {}, true, text) > 0;
  });
  expect_no_call("two slots", [&] {
    static std::byte blob[4000], again[4000];
    static Slots flash;
    std::size_t bytes = write_blob(fit.model, std::span<std::byte>(blob));
    TwoSlots<Slots> slots(flash, sizeof flash.bytes[0]);
    return slots.save({blob, bytes}) == SlotEnd::done && slots.save({blob, bytes}) == SlotEnd::done &&
           slots.load(again, bytes) == SlotEnd::done;
  });
  for (Index i = 0; i < 40; ++i) fit.model.scores(made.values.data() + i, scores + i * padded<T>(3), 40);
  const Rows<const T> table{scores, 40, 3, padded<T>(3)};
  for (const CalibrationKind kind : all_calibrations) {
    GuardedMemory room(calibration_requirement<T>(kind, 3).bytes);
    expect_no_call("probabilities", [&] {
      static ReliabilityBin<T> bins[10];
      Reliability<T> measured;
      const auto calibrated = calibrate(table, made.targets(), {.kind = kind}, room.span());
      T out[3];
      calibrated.calibration.probabilities(scores, out);
      return has_model(calibrated.status) &&
             export_probabilities_c(calibrated.calibration, "model", scores, text) > 0 &&
             measure_reliability<T>(calibrated.calibration, table, made.targets(), bins, measured) == Status::converged;
    });
  }
  const Index starts[] = {0, 1, 2, 3};
  const Label members[] = {0, 1, 2};
  for (const ThresholdKind kind : all_threshold_kinds) {
    using Choice = ThresholdChoice<T>;
    GuardedMemory room(Choice::requirement(kind, 40, 3).bytes);
    expect_no_call("thresholds", [&] {
      Choice choice(kind, 40, 3);
      return has_model(choice.choose(scores, padded<T>(3), {starts, members, 3}, made.labels.data(), room.span()));
    });
  }
}

TYPED_TEST(NoHeapAround, ModelsOfProductsAndOfKernels) {
  using T = TypeParam;
  const Made<T> made(20, 4, 3, 3);
  static T row[4];
  {
    GuardedMemory memory(InteractionAdmm<T>::requirement({20, 4, 3}).bytes);
    InteractionAdmm<T> solver(made.design(), {nullptr, made.labels, 3}, Hierarchy::strong, HierarchyNorm::l1, T(0.005),
                              {.lambda = T(0.01), .tolerance = T(1e-2)});
    ASSERT_TRUE(finish(solver, memory.span()));
    expect_no_call("terms", [&] {
      static InteractionTerm<T> list[100];
      static Index positions[4];
      T scores[3];
      const auto model = solver.model();
      const std::size_t count = take_terms(model, std::span<InteractionTerm<T>>(list));
      const InteractionTerms<T> terms{{list, count}, model.intercepts, 4, 3};
      terms.scores(row, scores);
      return count > 0 && count == count_terms(model) && model.predict(row) < 3 &&
             export_interactions_c<T>(terms, {.samples = row, .sample_count = 1}, positions, text) > 0;
    });
  }
  constexpr Index n = 20;
  const SampleTable<T> samples{made.values.data(), n, 4, 1, n};
  const Kernel<T> kernels[] = {{KernelKind::linear}, {KernelKind::gaussian, T(1)}};
  static T matrices[2 * n * n];
  KernelPair bad;
  for (const Index t : {0, 1}) ASSERT_TRUE(fill_kernel_matrix(kernels[t], samples, matrices + t * n * n, bad));
  const DenseDesign<T> design(matrices, n, 2 * n);
  GuardedMemory memory(KernelAdmm<T>::requirement({n, 2 * n, 3}).bytes);
  KernelAdmm<T> solver(design, made.labels, 2, 3, {1, 1, 1}, {.lambda = T(0.02), .tolerance = T(1e-2)});
  ASSERT_TRUE(finish(solver, memory.span()));
  const KernelCounts counts = count_kept<T>(solver.model(), kernels);
  GuardedMemory room(kept_requirement<T>(counts, 4, 3).bytes);
  expect_no_call("an expansion", [&] {
    KernelExpansion<T> kept;
    T scores[3], scratch[7];
    return take_kept<T>(solver.model(), kernels, samples, room.span(), kept) && kept.predict({row, 4}, scores) < 3 &&
           export_kernels_c<T>(kept, {.samples = row, .sample_count = 1}, scratch, text) > 0;
  });
  GuardedMemory signs(rademacher_requirement<T>({n, 2 * n, 1}).bytes);
  expect_no_call("a Rademacher average", [&] {
    DrawnMean<T> mean;
    return rademacher_average<T>(design, 2, {1, 1, 1}, 20, 1, signs.span(), mean) == Status::converged;
  });
}

/// Samples one after the other, from the beginning as often as it is asked for.
template <class T>
struct Source {
  const Made<T>* made;
  Index next_sample = 0;
  T row[4]{};

  StreamNext next(StreamSample<T>& sample) {
    if (next_sample == made->samples) return StreamNext::end;
    for (Index j = 0; j < 4; ++j) row[j] = made->values[next_sample + j * made->samples];
    sample.x = {row, nullptr, 4};
    sample.label = made->labels[next_sample++];
    return StreamNext::sample;
  }
  bool rewind() {
    next_sample = 0;
    return true;
  }
};

TYPED_TEST(NoHeapAround, StreamsWithTheirLearningRate) {
  using T = TypeParam;
  const Made<T> made(30, 4, 3, 4);
  using Learner = DualAveragingLearner<T, SquaredHinge, L1>;
  GuardedMemory memory(Learner::bytes(4, 3));
  expect_no_call("a stream", [&] {
    Source<T> source{&made};
    Learner learner(4, 3, {.lambda = T(0.01)});
    return choose_learning_rate(learner, source, 10, memory.span()) == StreamEnd::complete &&
           learn_stream(learner, source, 3) == StreamEnd::complete && learner.model().predict(source.row) < 3;
  });
}

}  // namespace
