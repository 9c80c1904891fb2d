// Models that are saved and read: damage of every kind is refused with its sentence, and power may be lost at any byte.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/problems.hpp"
#include "tamis/model/blob.hpp"
#include "tamis/model/two_slots.hpp"

namespace {

using namespace tamis;

/// A model of 6 features, of which 3 are kept, and 3 classes; `seed` makes its numbers.
template <class T>
std::vector<std::byte> blob_of(std::uint32_t seed, Index features = 6) {
  tamis::testing::Generator generator(seed);
  std::vector<T> coefficients((features + 1) * padded<T>(3));
  for (Index j = 0; j <= features; j += 2)
    for (Index k = 0; k < 3; ++k) coefficients[j * padded<T>(3) + k] = static_cast<T>(generator.uniform() + 2);
  const LinearModel<T> model{coefficients.data(), features, 3};
  std::vector<std::byte> out(blob_bytes(model));
  EXPECT_EQ(write_blob(model, std::span(out)), out.size());
  return out;
}

/// Reads a blob from memory of exactly its size: an access beyond it is caught by the sanitizers.
template <class T>
BlobFault fault_of(const std::vector<std::byte>& blob) {
  const std::vector<std::byte> exact(blob);
  const BlobFault fault = fault_of_blob<T>(exact);
  std::vector<T> coefficients(7 * padded<T>(3), T(42));
  LinearModel<T> model;
  const Status status = read_blob<T>(exact, coefficients, model);
  EXPECT_EQ(status, fault == BlobFault::none ? Status::converged : Status::invalid_data);
  if (fault != BlobFault::none) {
    EXPECT_EQ(model.features, 0u);
    for (const T x : coefficients) EXPECT_EQ(x, T(42)) << "untouched";
  }
  return fault;
}

/// Makes the CRC right again: what is refused is what was changed.
std::vector<std::byte> sealed(std::vector<std::byte> blob) {
  std::byte* tail = blob.data() + blob.size() - 4;
  detail::put(tail, detail::crc32(std::span(blob).first(blob.size() - 4)));
  return blob;
}

template <class T>
class Saving : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Saving, Scalars);

TYPED_TEST(Saving, ABlobCutAtAnyLengthIsRefused) {
  using T = TypeParam;
  const auto blob = blob_of<T>(1);
  for (std::size_t length = 0; length < blob.size(); ++length)
    EXPECT_EQ(fault_of<T>({blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(length)}), BlobFault::truncated)
        << length;
  EXPECT_EQ(fault_of<T>(blob), BlobFault::none);
}

TYPED_TEST(Saving, EveryFlippedBitIsRefused) {
  using T = TypeParam;
  const auto blob = blob_of<T>(1);
  std::set<BlobFault> seen;
  for (std::size_t at = 0; at < blob.size(); ++at)
    for (int change = 1; change < 256; ++change) {  // every other value of the byte
      auto changed = blob;
      changed[at] ^= static_cast<std::byte>(change);
      const BlobFault fault = fault_of<T>(changed);
      ASSERT_NE(fault, BlobFault::none) << at << " " << change;
      if (at <= 4) {
        ASSERT_EQ(fault, at < 4 ? BlobFault::not_a_blob : BlobFault::other_version);
      }
      seen.insert(fault);
    }
  EXPECT_EQ(seen,
            (std::set{BlobFault::truncated, BlobFault::not_a_blob, BlobFault::other_version, BlobFault::damaged}));
}

TYPED_TEST(Saving, WhatIsWrongIsSaid) {
  using T = TypeParam;
  using Other = std::conditional_t<sizeof(T) == 4, double, float>;
  EXPECT_EQ(fault_of<Other>(blob_of<T>(1)), BlobFault::other_scalar);
  for (const int version : {0, 2, 255}) {
    auto newer = blob_of<T>(1);
    newer[4] = static_cast<std::byte>(version);
    EXPECT_EQ(fault_of<T>(sealed(newer)), BlobFault::other_version);
  }
  const auto with = [](std::size_t at, std::uint32_t value) {
    auto changed = blob_of<T>(1);
    std::byte* to = &changed[at];
    detail::put(to, value);
    return sealed(changed);
  };
  EXPECT_EQ(fault_of<T>(with(8, 0)), BlobFault::damaged) << "no features";
  EXPECT_EQ(fault_of<T>(with(12, 1)), BlobFault::damaged) << "one class";
  EXPECT_EQ(fault_of<T>(with(12, 0xffffffff)), BlobFault::damaged) << "too many classes";
  EXPECT_EQ(fault_of<T>(with(16, 7)), BlobFault::damaged) << "more kept than there are";
  EXPECT_EQ(fault_of<T>(with(12, 65536)), BlobFault::truncated);
  EXPECT_EQ(fault_of<T>(with(8, 2)), BlobFault::damaged) << "fewer features than are kept";
  EXPECT_EQ(fault_of<T>(with(8, 4)), BlobFault::damaged) << "a kept feature beyond the last";
  EXPECT_EQ(fault_of<T>(with(20 + 3 * sizeof(T), 2)), BlobFault::damaged) << "kept features not ascending";

  // A model that is right, but of more features than there is memory for, in whatever width sizes are.
  const auto large = with(8, 0xffffffff);
  LinearModel<T> model;
  std::vector<T> coefficients(7 * padded<T>(3));
  ASSERT_EQ(fault_of_blob<T>(large), BlobFault::none);
  EXPECT_EQ(read_blob<T>(large, coefficients, model), Status::arena_too_small);

  std::set<std::string> sentences;
  for (int fault = 0; fault <= int(BlobFault::other_scalar); ++fault)
    sentences.insert(describe(static_cast<BlobFault>(fault)));
  EXPECT_EQ(sentences.size(), 6u) << "distinct";
}

/// Two slots of flash: erased bytes are 0xff, writing clears bits, and power fails after so many bytes, leaving the one
/// that was being changed half done. Counts writes that a real flash would refuse.
struct Flash {
  static constexpr std::size_t slot_bytes = 256;
  std::byte memory[2][slot_bytes];
  std::uint64_t bytes_left = ~0ull;
  bool torn = false;
  std::uint64_t written = 0;
  int misuse = 0;

  Flash() { std::memset(memory, 0xa5, sizeof memory); }

  bool spend(std::byte& at, std::byte value) {
    if (bytes_left == 0) return false;
    ++written;
    if (--bytes_left == 0 && torn) value = value ^ std::byte{0x24};
    at = value;
    return bytes_left > 0;
  }
  bool erase(Index slot) {
    for (std::byte& byte : memory[slot])
      if (!spend(byte, std::byte{0xff})) return false;
    return true;
  }
  bool write(Index slot, std::size_t offset, std::span<const std::byte> in) {
    misuse += offset % 16 != 0 || offset + in.size() > slot_bytes;
    for (std::size_t i = 0; i < in.size(); ++i) {
      misuse += memory[slot][offset + i] != std::byte{0xff};
      if (!spend(memory[slot][offset + i], in[i])) return false;
    }
    return true;
  }
  bool read(Index slot, std::size_t offset, std::span<std::byte> out) {
    misuse += offset + out.size() > slot_bytes;
    std::memcpy(out.data(), memory[slot] + offset, out.size());
    return bytes_left > 0;
  }
};

std::vector<std::byte> loaded(Flash& flash) {
  TwoSlots<Flash> slots(flash, Flash::slot_bytes);
  std::vector<std::byte> out(Flash::slot_bytes);
  std::size_t bytes = 0;
  const SlotEnd end = slots.load(out, bytes);
  EXPECT_TRUE(end == SlotEnd::done || end == SlotEnd::empty) << describe(end);
  EXPECT_EQ(bytes, slots.bytes());
  out.resize(end == SlotEnd::done ? bytes : 0);
  return out;
}

TEST(TwoSlots, TakeTurnsAndGiveTheNewest) {
  Flash flash;
  EXPECT_TRUE(loaded(flash).empty()) << "what a new flash holds is no model";
  for (std::uint32_t save = 1; save <= 5; ++save) {
    TwoSlots<Flash> slots(flash, Flash::slot_bytes);
    ASSERT_EQ(slots.save(blob_of<float>(save)), SlotEnd::done);
    EXPECT_EQ(loaded(flash), blob_of<float>(save));
  }
  EXPECT_EQ(flash.misuse, 0);
}

TEST(TwoSlots, PowerMayFailAtEveryByte) {
  const auto first = blob_of<float>(1), second = blob_of<float>(2), third = blob_of<double>(3, 4);
  for (const int saved : {0, 1, 2})
    for (const bool torn : {false, true}) {
      Flash before;
      for (int save = 0; save < saved; ++save)
        ASSERT_EQ((TwoSlots<Flash>(before, Flash::slot_bytes).save(save ? second : first)), SlotEnd::done);
      const auto old = saved == 0 ? std::vector<std::byte>() : saved == 1 ? first : second;
      Flash whole = before;
      whole.written = 0;
      ASSERT_EQ((TwoSlots<Flash>(whole, Flash::slot_bytes).save(third)), SlotEnd::done);
      ASSERT_EQ(whole.written, Flash::slot_bytes + 16 + third.size());
      int kept = 0, renewed = 0;
      for (std::uint64_t bytes = 1; bytes <= whole.written; ++bytes) {
        Flash flash = before;
        flash.bytes_left = bytes;
        flash.torn = torn;
        EXPECT_EQ((TwoSlots<Flash>(flash, Flash::slot_bytes).save(third)), SlotEnd::failed) << bytes;
        flash.bytes_left = ~0ull;  // power is back
        flash.torn = false;
        const auto now = loaded(flash);
        ASSERT_TRUE(now == old || now == third) << saved << " " << bytes;
        ++(now == third ? renewed : kept);
        // And it goes on from there.
        ASSERT_EQ((TwoSlots<Flash>(flash, Flash::slot_bytes).save(first)), SlotEnd::done);
        ASSERT_EQ(loaded(flash), first);
        EXPECT_EQ(flash.misuse, 0);
      }
      EXPECT_EQ(renewed, torn ? 0 : 1) << "only when the last byte was written";
      EXPECT_GT(kept, 300);
    }
}

TEST(TwoSlots, RefuseWhatCannotBeSaved) {
  Flash flash;
  TwoSlots<Flash> slots(flash, Flash::slot_bytes);
  const auto good = blob_of<float>(1);
  ASSERT_EQ(slots.save(good), SlotEnd::done);
  auto bad = blob_of<float>(2);
  bad[30] ^= std::byte{1};
  EXPECT_EQ(slots.save(bad), SlotEnd::no_blob);
  EXPECT_EQ(slots.save(blob_of<double>(1, 40)), SlotEnd::too_small);
  EXPECT_EQ((TwoSlots<Flash>(flash, good.size() + 15).save(good)), SlotEnd::too_small) << "one byte short";
  EXPECT_EQ((TwoSlots<Flash>(flash, 3).save(good)), SlotEnd::too_small);
  EXPECT_EQ((TwoSlots<Flash>(flash, 3).bytes()), 0u);
  std::byte small[8];
  std::size_t bytes = 0;
  EXPECT_EQ(slots.load(small, bytes), SlotEnd::too_small);
  EXPECT_EQ(bytes, good.size());
  EXPECT_EQ(loaded(flash), good);

  // A flash that does not keep a bit is found out, and the model before stays.
  struct Worn : Flash {
    bool write(Index slot, std::size_t offset, std::span<const std::byte> in) {
      const bool done = Flash::write(slot, offset, in);
      if (offset > 0) memory[slot][offset + 20] ^= std::byte{1};
      return done;
    }
  };
  Worn worn;
  std::memcpy(worn.memory, flash.memory, sizeof worn.memory);
  EXPECT_EQ((TwoSlots<Worn>(worn, Flash::slot_bytes).save(blob_of<float>(2))), SlotEnd::failed);
  EXPECT_EQ(loaded(worn), good);
}

TEST(TwoSlots, NumbersWrapAround) {
  Flash flash;
  TwoSlots<Flash> slots(flash, Flash::slot_bytes);
  ASSERT_EQ(slots.save(blob_of<float>(1)), SlotEnd::done);
  // The same save as number 2³² − 1.
  std::byte* head = flash.memory[0];
  std::byte* to = head + 4;
  detail::put(to, 0xffffffffu);
  const auto blob = blob_of<float>(1);
  to = head + 12;
  detail::put(to, detail::crc32(blob, detail::crc32(std::span<const std::byte>(head, 12))));
  ASSERT_EQ(loaded(flash), blob);
  ASSERT_EQ(slots.save(blob_of<float>(2)), SlotEnd::done);
  EXPECT_EQ(loaded(flash), blob_of<float>(2));
}

/// A budget: steps in slices of any size, with anything in between, give the bits of one run.
template <class Solver, class T, class Loss, class Penalty>
void expect_same_in_slices(Loss loss, Penalty penalty, Options<T> options) {
  const tamis::testing::Made<T> made(60, 9, 3, 5);
  const auto whole = tamis::testing::run<Solver>(made.design(), made.targets(), loss, penalty, options);
  ASSERT_EQ(whole.fit.status, Status::converged);
  for (const int budget : {1, 2, 7, 1000}) {
    tamis::testing::GuardedMemory memory(Solver::requirement(made.shape()).bytes);
    Solver solver(made.design(), made.targets(), loss, penalty, options);
    bool going = solver.start(memory.span());
    while (going)
      for (int call = 0; call < budget && going; ++call) going = solver.step();
    EXPECT_EQ(solver.report().iterations, whole.fit.iterations);
    EXPECT_EQ(solver.report().gap, whole.fit.gap);
    const auto model = solver.model();
    EXPECT_EQ(std::vector<T>(model.coefficients, model.coefficients + 10 * model.stride()), whole.coefficients());
  }
  // Fewer iterations end with a usable model and say so.
  options.max_iterations = 3;
  const auto part = tamis::testing::run<Solver>(made.design(), made.targets(), loss, penalty, options);
  EXPECT_EQ(part.fit.status, Status::iteration_limit);
  EXPECT_EQ(part.fit.iterations, 3u);
  EXPECT_TRUE(finite(part.fit.objective));
  EXPECT_GE(part.fit.objective, whole.fit.dual_objective * T(0.9999));
}

TYPED_TEST(Saving, TrainingInSlicesGivesTheBitsOfOneRun) {
  using T = TypeParam;
  const Options<T> options{.lambda = T(0.02), .tolerance = T(1e-3)};
  expect_same_in_slices<PrimalDual<T, Hinge, L1>, T>(Hinge{}, L1{}, options);
  expect_same_in_slices<TwoPhase<T, Hinge, L1>, T>(Hinge{}, L1{}, options);
  expect_same_in_slices<Fista<T, SquaredHinge, L1>, T>(SquaredHinge{}, L1{}, options);
  expect_same_in_slices<CrammerSingerDual<T, Hinge, Ridge>, T>(Hinge{}, Ridge{},
                                                               {.lambda = T(0.02), .tolerance = T(1e-4)});
  expect_same_in_slices<CrammerSingerDual<T, Hinge, GroupL2>, T>(Hinge{}, GroupL2{}, options);
  expect_same_in_slices<CrammerSingerDual<T, Hinge, ElasticNet<T>>, T>(Hinge{}, ElasticNet<T>{}, options);
}

}  // namespace
