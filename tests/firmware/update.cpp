// A model in flash learns from samples of its owner: the blob is read, a learner goes on from it, and the new blob is
// saved in two slots in turn, so that the model survives when power fails at any byte, as it does here.
#include <cstddef>

#include "iris_table.hpp"
#include "tamis/loss/hinge.hpp"
#include "tamis/model/text_sink.hpp"
#include "tamis/model/two_slots.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/streaming/dual_averaging.hpp"
#include "target.hpp"

namespace {

/// Two pages of flash, with a power supply that fails after so many bytes.
struct Flash {
  static constexpr std::size_t page = 256;
  std::byte pages[2][page];
  std::uint32_t bytes_left = ~0u;

  bool spend() { return bytes_left > 0 && --bytes_left > 0; }
  bool erase(tamis::Index slot) {
    for (std::byte& byte : pages[slot]) {
      byte = std::byte{0xff};
      if (!spend()) return false;
    }
    return true;
  }
  bool write(tamis::Index slot, std::size_t offset, std::span<const std::byte> in) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      pages[slot][offset + i] = in[i];
      if (!spend()) return false;
    }
    return true;
  }
  bool read(tamis::Index slot, std::size_t offset, std::span<std::byte> out) {
    __builtin_memcpy(out.data(), pages[slot] + offset, out.size());
    return true;
  }
};

using Learner = tamis::DualAveragingLearner<float, tamis::Hinge, tamis::L1>;
constexpr std::size_t coefficients = (iris::features + 1) * tamis::padded<float>(iris::classes);

Flash flash;
alignas(Learner::alignment) std::byte memory[Learner::bytes(iris::features, iris::classes)];
alignas(tamis::Arena::alignment) float deployed[coefficients];
std::byte blob[tamis::detail::blob_size(iris::classes, iris::features, sizeof(float))];
char text[512];

/// The deployed model; without features when there is none.
tamis::LinearModel<float> load() {
  tamis::TwoSlots slots(flash, Flash::page);
  std::size_t bytes = 0;
  tamis::LinearModel<float> model;
  if (slots.load(blob, bytes) == tamis::SlotEnd::done)
    tamis::read_blob<float>(std::span<const std::byte>(blob).first(bytes), deployed, model);
  return model;
}

/// Teaches the deployed model, or none, `count` samples from number `first` on, and saves what it has become.
[[gnu::noinline]] tamis::SlotEnd teach(std::uint32_t first, std::uint32_t count) {
  Learner learner(iris::features, iris::classes, {.lambda = 0.02f, .learning_rate = 0.3f});
  if (learner.begin(memory, load(), first) != tamis::Status::running) return tamis::SlotEnd::failed;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const std::uint32_t place = i * 37 % iris::samples;
    float row[iris::features];
    for (std::uint32_t j = 0; j < iris::features; ++j) row[j] = iris::values[place + j * iris::samples];
    learner.update(row, iris::labels[place]);
  }
  const std::size_t bytes = tamis::write_blob(learner.model(), std::span<std::byte>(blob));
  return tamis::TwoSlots(flash, Flash::page).save(std::span<const std::byte>(blob).first(bytes));
}

[[gnu::noinline]] void print(const char* what, tamis::SlotEnd end) {
  const auto model = load();
  tamis::Index right = 0;
  for (tamis::Index i = 0; model.features && i < iris::samples; ++i)
    right += model.predict(iris::values + i, iris::samples) == iris::labels[i];
  tamis::TextSink out(text);
  out << what << ": " << tamis::describe(end) << "\nright " << right << " of " << iris::samples << "\nblob bytes "
      << static_cast<std::uint32_t>(tamis::TwoSlots(flash, Flash::page).bytes()) << '\n';
  for (tamis::Index j = 0; model.features && j <= iris::features; ++j) {
    out << (j < iris::features ? "weights" : "intercepts");
    for (tamis::Index k = 0; k < iris::classes; ++k) out << ' ' << model(j, k);
    out << '\n';
  }
  out << '\0';
  target::write(text);
}

/// The blob that a load gives, in `to`.
[[gnu::noinline]] void take_blob(std::byte* to) {
  std::size_t bytes = 0;
  __builtin_memset(blob, 0, sizeof blob);
  tamis::TwoSlots(flash, Flash::page).load(blob, bytes);
  __builtin_memcpy(to, blob, sizeof blob);
}

/// Saving what 30 more samples taught, cut off after every possible number of bytes: how often the flash then holds
/// neither the model before nor the one after.
[[gnu::noinline]] std::uint32_t count_losses(std::uint32_t& cuts) {
  static Flash before;
  static std::byte old_blob[sizeof blob], new_blob[sizeof blob], now[sizeof blob];
  before = flash;
  take_blob(old_blob);
  teach(60, 30);
  take_blob(new_blob);
  std::uint32_t losses = 0;
  for (cuts = 1;; ++cuts) {
    flash = before;
    flash.bytes_left = cuts;
    const tamis::SlotEnd end = teach(60, 30);
    flash.bytes_left = ~0u;
    take_blob(now);
    losses += __builtin_memcmp(now, old_blob, sizeof now) != 0 && __builtin_memcmp(now, new_blob, sizeof now) != 0;
    if (end == tamis::SlotEnd::done) return losses;
  }
}

}  // namespace

int main() {
  target::mark_stack();
  print("a new board", teach(0, 0));  // a model of zeros
  print("30 samples", teach(0, 30));
  print("30 more", teach(30, 30));
  std::uint32_t cuts = 0;
  const std::uint32_t losses = count_losses(cuts);
  print("and 30 more", tamis::SlotEnd::done);
  const std::uint32_t stack = target::stack_used();
  tamis::TextSink out(text);
  out << "power failed " << cuts - 1 << " times, models lost " << losses << "\narena bytes "
      << static_cast<std::uint32_t>(sizeof memory) << "\nmeasured: stack bytes " << stack << "\n"
      << '\0';
  target::write(text);
  return losses == 0 && cuts > 300 ? 0 : 1;
}
