// Integers, rows that are fetched, and two slots, through the C interface.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "support/problems.hpp"
#include "tamis_device.h"

namespace {

using tamis::testing::GuardedMemory;

constexpr std::uint32_t samples = 60, features = 8, classes = 3;

/// Integers by columns and by rows, and the numbers that they stand for.
template <class Integer>
struct Data {
  std::vector<Integer> columns, rows, zeros;
  std::vector<float> scales, values;
  std::vector<std::uint16_t> labels;

  explicit Data(bool per_feature)
      : columns(samples * features), rows(columns), zeros(features), values(columns.size()) {
    const tamis::testing::Made<float> made(samples, features, classes, 12);
    labels = made.labels;
    for (std::uint32_t j = 0; j < features; ++j) {
      scales.push_back(per_feature ? 0.01f + 0.001f * static_cast<float>(j) : 0.02f);
      zeros[j] = static_cast<Integer>(per_feature ? 60 + j : 64);
      for (std::uint32_t i = 0; i < samples; ++i) {
        const auto q = static_cast<Integer>(made.values[i + j * samples] * 60 + 64);
        columns[i + j * samples] = rows[j + i * features] = q;
        values[i + j * samples] = static_cast<float>(q - zeros[j]) * scales[j];
      }
    }
  }
};

tamis_problem_f32 problem_of(const std::vector<std::uint16_t>& labels) {
  tamis_problem_f32 p;
  tamis_default_problem_f32(&p);
  p.samples = samples;
  p.features = features;
  p.classes = classes;
  p.labels = labels.data();
  p.lambda = 0.02f;
  p.tolerance = 1e-3f;
  return p;
}

struct Outcome {
  tamis_status status;
  tamis_report_f32 report{};
  std::vector<float> coefficients{};
};

void take(Outcome& out, const tamis_model_f32& model) {
  if (model.features) out.coefficients.assign(model.coefficients, model.coefficients + (model.features + 1) * 4);
}

Outcome dense(tamis_problem_f32 p, const std::vector<float>& values) {
  p.values = values.data();
  GuardedMemory memory(tamis_training_bytes_f32(&p));
  tamis_training_f32 training;
  Outcome out{tamis_train_f32(&training, &p, memory.span().data(), memory.span().size(), nullptr, nullptr)};
  tamis_report_of_f32(&training, &out.report);
  tamis_model_f32 model;
  tamis_model_of_f32(&training, &model);
  take(out, model);
  return out;
}

Outcome device(const tamis_problem_f32& p, const tamis_quantised_f32* quantised, const tamis_rows_f32* rows,
               std::uint32_t steps = 5) {
  GuardedMemory memory(tamis_device_bytes_f32(&p));
  auto run = std::make_unique<tamis_device_f32>();
  std::memset(run.get(), 0xa5, sizeof *run);
  Outcome out{tamis_device_start_f32(run.get(), &p, quantised, rows, memory.span().data(), memory.span().size())};
  while (out.status == TAMIS_RUNNING) out.status = tamis_device_step_f32(run.get(), steps);
  tamis_device_report_of_f32(run.get(), &out.report);
  tamis_model_f32 model;
  tamis_device_model_of_f32(run.get(), &model);
  take(out, model);
  EXPECT_TRUE(memory.surroundings_intact());
  return out;
}

template <class Integer>
void expect_dense_bits(tamis_integer integer) {
  for (const bool per_feature : {false, true}) {
    const Data<Integer> data(per_feature);
    auto p = problem_of(data.labels);
    tamis_quantised_f32 quantised{};
    quantised.integer = integer;
    if (per_feature) {
      quantised.scales = data.scales.data();
      quantised.zeros = data.zeros.data();
      quantised.zero = 1 << 20;  // not read
    } else {
      quantised.scale = 0.02f;
      quantised.zero = 64;
    }
    for (const auto& [loss, penalty, solver] : {std::tuple{TAMIS_HINGE, TAMIS_L1, TAMIS_PRIMAL_DUAL},
                                                std::tuple{TAMIS_SQUARED_HINGE, TAMIS_GROUP_L2, TAMIS_FISTA},
                                                std::tuple{TAMIS_HINGE, TAMIS_RIDGE, TAMIS_CRAMMER_SINGER_DUAL}}) {
      p.loss = loss;
      p.penalty = penalty;
      p.solver = solver;
      const Outcome expected = dense(p, data.values);
      ASSERT_EQ(expected.status, TAMIS_CONVERGED);
      EXPECT_EQ(tamis_device_bytes_f32(&p), tamis_training_bytes_f32(&p));
      p.solver = TAMIS_AUTOMATIC;  // the same
      for (const bool by_rows : {false, true}) {
        quantised.values = by_rows ? data.rows.data() : data.columns.data();
        quantised.by_rows = by_rows;
        const Outcome got = device(p, &quantised, nullptr);
        EXPECT_EQ(got.status, TAMIS_CONVERGED);
        EXPECT_EQ(got.coefficients, expected.coefficients);
        EXPECT_EQ(std::memcmp(&got.report, &expected.report, offsetof(tamis_report_f32, constraint_value)), 0);
      }
    }
  }
}

TEST(CDevice, IntegersGiveTheBitsOfWhatTheyStandFor) {
  expect_dense_bits<std::uint8_t>(TAMIS_UINT8);
  expect_dense_bits<std::int8_t>(TAMIS_INT8);
  expect_dense_bits<std::uint16_t>(TAMIS_UINT16);
  expect_dense_bits<std::int16_t>(TAMIS_INT16);
}

TEST(CDevice, PartsOfLargerTables) {
  const Data<std::int16_t> data(false);
  auto p = problem_of(data.labels);
  p.solver = TAMIS_PRIMAL_DUAL;
  const Outcome expected = dense(p, data.values);
  std::vector<std::int16_t> wide(samples * (features + 3), 7), tall((samples + 5) * features, 7);
  for (std::uint32_t i = 0; i < samples; ++i)
    for (std::uint32_t j = 0; j < features; ++j)
      wide[i * (features + 3) + j] = tall[i + j * (samples + 5)] = data.rows[i * features + j];
  tamis_quantised_f32 quantised{wide.data(), TAMIS_INT16, 1, 0.02f, 64, nullptr, nullptr};
  p.column_stride = features + 3;
  EXPECT_EQ(device(p, &quantised, nullptr).coefficients, expected.coefficients);
  quantised.values = tall.data();
  quantised.by_rows = 0;
  p.column_stride = samples + 5;
  EXPECT_EQ(device(p, &quantised, nullptr).coefficients, expected.coefficients);
}

struct Card {
  const std::vector<float>* values;
  std::uint32_t calls = 0, fails_at = 0, answer = TAMIS_ROW_FAILED;

  static std::uint32_t row(void* context, std::uint32_t sample, float* out, std::uint32_t count) {
    auto& card = *static_cast<Card*>(context);
    for (std::uint32_t j = 0; j < count; ++j) out[j] = (*card.values)[sample + j * samples];
    return ++card.calls == card.fails_at ? card.answer : count;
  }
};

TEST(CDevice, RowsThatAreFetched) {
  const Data<std::int16_t> data(true);
  auto p = problem_of(data.labels);
  p.solver = TAMIS_PRIMAL_DUAL;
  const Outcome expected = dense(p, data.values);
  for (const std::uint32_t rows : {1u, 4u, samples, 1000u}) {
    Card card{&data.values};
    GuardedMemory room((rows + (rows > 1)) * features * sizeof(float));
    const tamis_rows_f32 source{Card::row, &card, reinterpret_cast<float*>(room.span().data()), rows};
    const Outcome got = device(p, nullptr, &source);
    EXPECT_EQ(got.status, TAMIS_CONVERGED);
    EXPECT_TRUE(room.surroundings_intact());
    if (rows >= samples) {
      EXPECT_EQ(got.coefficients, expected.coefficients);
      EXPECT_EQ(card.calls, samples);
    }
    EXPECT_NEAR(got.report.objective, expected.report.objective, 2e-3f * expected.report.objective);
  }
}

TEST(CDevice, RowsThatFail) {
  const Data<std::int16_t> data(true);
  const auto p = problem_of(data.labels);
  std::vector<float> room(features);
  for (const auto& [answer, status] :
       {std::pair{TAMIS_ROW_FAILED, TAMIS_SOURCE_FAILED}, std::pair{features - 1, TAMIS_SHORT_ROW},
        std::pair{0u, TAMIS_SHORT_ROW}, std::pair{features + 1, TAMIS_SHORT_ROW}})
    for (const std::uint32_t at : {1u, samples, samples + 7, 2000u}) {
      Card card{&data.values, 0, at, answer};
      const tamis_rows_f32 source{Card::row, &card, room.data(), 1};
      const Outcome out = device(p, nullptr, &source);
      EXPECT_EQ(out.status, status);
      EXPECT_EQ(out.report.status, static_cast<std::uint32_t>(status));
      EXPECT_EQ(out.report.row, (at - 1) % samples);
      EXPECT_EQ(out.coefficients.empty(), at < 2000u) << "the best so far stays";
      for (const float x : out.coefficients) EXPECT_TRUE(std::isfinite(x));
    }
  EXPECT_STREQ(tamis_status_name(TAMIS_SOURCE_FAILED), "source_failed");
  EXPECT_STREQ(tamis_status_name(TAMIS_SHORT_ROW), "short_row");
  EXPECT_STRNE(tamis_status_sentence(TAMIS_SOURCE_FAILED), tamis_status_sentence(TAMIS_SHORT_ROW));
}

TEST(CDevice, RefusalsHaveTheirStatus) {
  const Data<std::uint8_t> data(false);
  const auto good = problem_of(data.labels);
  const tamis_quantised_f32 integers{data.columns.data(), TAMIS_UINT8, 0, 0.02f, 64, nullptr, nullptr};
  Card card{&data.values};
  std::vector<float> room(features);
  const tamis_rows_f32 rows{Card::row, &card, room.data(), 1};
  ASSERT_EQ(device(good, &integers, nullptr).status, TAMIS_CONVERGED);
  EXPECT_EQ(device(good, &integers, &rows).status, TAMIS_INVALID_SHAPE) << "both";
  EXPECT_EQ(device(good, nullptr, nullptr).status, TAMIS_INVALID_SHAPE) << "neither";
  const auto changed = [&](auto change) {
    auto q = integers;
    change(q);
    return device(good, &q, nullptr).status;
  };
  EXPECT_EQ(changed([](auto& q) { q.values = nullptr; }), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(changed([](auto& q) { q.integer = 4; }), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(changed([](auto& q) { q.zero = 256; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(changed([](auto& q) { q.zero = -1; }), TAMIS_INVALID_OPTION);
  EXPECT_EQ(changed([](auto& q) { q.scale = INFINITY; }), TAMIS_INVALID_DATA);
  EXPECT_EQ(changed([](auto& q) { q.scale = NAN; }), TAMIS_INVALID_DATA);
  for (auto [row, memory, count] :
       {std::tuple{&Card::row, static_cast<float*>(nullptr), 1u}, std::tuple{&Card::row, room.data(), 0u},
        std::tuple{static_cast<tamis_row_f32>(nullptr), room.data(), 1u}}) {
    const tamis_rows_f32 bad{row, &card, memory, count};
    EXPECT_EQ(device(good, nullptr, &bad).status, TAMIS_INVALID_SHAPE);
  }
  auto p = good;
  p.column_stride = samples - 1;
  EXPECT_EQ(device(p, &integers, nullptr).status, TAMIS_INVALID_SHAPE);
  p = good;
  p.labels = nullptr;
  EXPECT_EQ(device(p, &integers, nullptr).status, TAMIS_INVALID_SHAPE);
  for (const auto solver : {TAMIS_TWO_PHASE, TAMIS_BLOCK_COORDINATE_DESCENT}) {
    p = good;
    p.solver = solver;
    EXPECT_EQ(tamis_device_bytes_f32(&p), 0u);
    EXPECT_EQ(device(p, &integers, nullptr).status, TAMIS_INVALID_OPTION);
  }
  p = good;
  p.solver = TAMIS_FISTA;
  EXPECT_EQ(device(p, &integers, nullptr).status, TAMIS_INVALID_COMBINATION);

  // One byte short, and not aligned: refused, nothing touched.
  const std::size_t needed = tamis_device_bytes_f32(&good);
  for (const auto* source : {&integers, static_cast<const tamis_quantised_f32*>(nullptr)}) {
    GuardedMemory small(needed - 1), shifted(needed, 8);
    tamis_device_f32 run;
    EXPECT_EQ(tamis_device_start_f32(&run, &good, source, source ? nullptr : &rows, small.span().data(), needed - 1),
              TAMIS_ARENA_TOO_SMALL);
    tamis_report_f32 report;
    tamis_device_report_of_f32(&run, &report);
    EXPECT_EQ(report.arena_bytes, needed);
    EXPECT_EQ(tamis_device_start_f32(&run, &good, source, source ? nullptr : &rows, shifted.span().data(), needed),
              TAMIS_INVALID_ARENA);
    EXPECT_TRUE(small.untouched() && shifted.untouched());
    tamis_model_f32 model;
    EXPECT_EQ(tamis_device_model_of_f32(&run, &model), TAMIS_INVALID_SHAPE);
  }
}

/// A small model as a blob.
std::vector<unsigned char> blob_of(float number) {
  alignas(TAMIS_ALIGNMENT) const float coefficients[12] = {number, 1, 0, 0, 0, 0, 0, 0, -1, 1, 0, 0};
  const tamis_model_f32 model{coefficients, 2, 2};
  std::vector<unsigned char> out(tamis_blob_bytes_f32(&model));
  EXPECT_EQ(tamis_blob_write_f32(&model, out.data(), out.size()), out.size());
  return out;
}

TEST(CDevice, ABlobSaysWhatIsWrongWithIt) {
  const auto blob = blob_of(3);
  EXPECT_EQ(tamis_blob_fault_f32(blob.data(), blob.size()), nullptr);
  std::set<std::string> sentences{tamis_blob_fault_f64(blob.data(), blob.size())};
  alignas(TAMIS_ALIGNMENT) float coefficients[12];
  const auto refused = [&](const std::vector<unsigned char>& bytes) {
    const std::vector<unsigned char> exact(bytes);
    const char* sentence = tamis_blob_fault_f32(exact.data(), exact.size());
    ASSERT_NE(sentence, nullptr);
    sentences.insert(sentence);
    tamis_model_f32 model{};
    EXPECT_EQ(tamis_blob_read_f32(exact.data(), exact.size(), coefficients, sizeof coefficients, &model),
              TAMIS_INVALID_DATA);
    EXPECT_EQ(tamis_blob_coefficient_bytes_f32(exact.data(), exact.size()), 0u);
    EXPECT_EQ(model.features, 0u);
  };
  for (std::size_t length = 0; length < blob.size(); ++length)
    refused({blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(length)});
  for (std::size_t bit = 0; bit < 8 * blob.size(); ++bit) {
    auto flipped = blob;
    flipped[bit / 8] = static_cast<unsigned char>(flipped[bit / 8] ^ (1u << bit % 8));
    refused(flipped);
  }
  EXPECT_EQ(sentences.size(), 5u) << "cut off, no blob, another version, damaged, the other scalar";
  EXPECT_NE(tamis_blob_fault_f32(nullptr, 100), nullptr);
}

struct Flash {
  unsigned char pages[2][128];
  std::uint32_t bytes_left = ~0u;

  static int erase(void* context, std::uint32_t slot) {
    auto& flash = *static_cast<Flash*>(context);
    for (unsigned char& byte : flash.pages[slot]) {
      if (!flash.bytes_left) return 0;
      --flash.bytes_left;
      byte = 0xff;
    }
    return 1;
  }
  static int write(void* context, std::uint32_t slot, std::size_t offset, const void* from, std::size_t bytes) {
    auto& flash = *static_cast<Flash*>(context);
    for (std::size_t i = 0; i < bytes; ++i) {
      if (!flash.bytes_left) return 0;
      --flash.bytes_left;
      flash.pages[slot][offset + i] = static_cast<const unsigned char*>(from)[i];
    }
    return 1;
  }
  static int read(void* context, std::uint32_t slot, std::size_t offset, void* to, std::size_t bytes) {
    std::memcpy(to, static_cast<Flash*>(context)->pages[slot] + offset, bytes);
    return 1;
  }
};

TEST(CDevice, TwoSlotsKeepAModelWhenPowerFails) {
  Flash flash{};
  const tamis_slots slots{&flash, 128, Flash::erase, Flash::write, Flash::read};
  unsigned char room[128];
  std::size_t bytes = 99;
  EXPECT_EQ(tamis_slots_load(&slots, room, sizeof room, &bytes), TAMIS_SLOT_EMPTY);
  EXPECT_EQ(bytes, 0u);
  const auto old = blob_of(1), next = blob_of(2);
  ASSERT_EQ(tamis_slots_save(&slots, old.data(), old.size()), TAMIS_SLOT_DONE);
  const Flash before = flash;
  for (std::uint32_t cut = 0;; ++cut) {
    flash = before;
    flash.bytes_left = cut;
    const tamis_slot_end end = tamis_slots_save(&slots, next.data(), next.size());
    flash.bytes_left = ~0u;
    ASSERT_EQ(tamis_slots_load(&slots, room, sizeof room, &bytes), TAMIS_SLOT_DONE);
    const std::vector<unsigned char> now(room, room + bytes);
    if (end == TAMIS_SLOT_DONE) {
      EXPECT_EQ(now, next);
      EXPECT_EQ(cut, 128 + 16 + next.size());
      break;
    }
    ASSERT_EQ(end, TAMIS_SLOT_FAILED);
    ASSERT_EQ(now, old) << cut;
  }
  EXPECT_EQ(tamis_slots_load(&slots, room, 3, nullptr), TAMIS_SLOT_TOO_SMALL);
  EXPECT_EQ(tamis_slots_save(&slots, "no blob at all, this", 20), TAMIS_SLOT_NO_BLOB);
  EXPECT_EQ(tamis_slots_save(&slots, nullptr, 20), TAMIS_SLOT_NO_BLOB);
  const tamis_slots none{&flash, 128, nullptr, nullptr, nullptr};
  EXPECT_EQ(tamis_slots_save(&none, next.data(), next.size()), TAMIS_SLOT_FAILED);
  EXPECT_EQ(tamis_slots_load(&none, room, sizeof room, &bytes), TAMIS_SLOT_FAILED);
  std::set<std::string> sentences;
  for (std::uint32_t end = 0; end <= TAMIS_SLOT_FAILED; ++end) sentences.insert(tamis_slot_sentence(end));
  EXPECT_EQ(sentences.size(), 5u);
}

}  // namespace
