// Two slots through tamis_device.h: power lost at any byte of any erasure or write, again and again. What is loaded is
// the blob that was saved last, or the one that was being saved; and the storage is used as it must be.
#include <algorithm>
#include <array>

#include "c_face.hpp"
#include "tamis/model/blob.hpp"
#include "tamis_device.h"

namespace {

using namespace tamis::fuzz;

/// Flash that loses power after so many bytes, and keeps whatever an interrupted operation left.
struct Flash {
  std::size_t slot_bytes;
  std::array<std::vector<std::uint8_t>, 2> slots;
  std::array<std::vector<bool>, 2> written;  // since the last erasure
  std::size_t power = ~std::size_t(0);
  std::uint8_t torn = 0;  // what an interrupted erasure leaves
  bool read_fails = false;

  explicit Flash(std::size_t bytes) : slot_bytes(bytes) {
    for (auto& slot : slots) slot.assign(bytes, 0xff);
    for (auto& slot : written) slot.assign(bytes, false);
  }
  bool spend() { return power && power--; }

  static Flash& of(void* context) { return *static_cast<Flash*>(context); }
  static int erase(void* context, std::uint32_t slot) {
    Flash& f = of(context);
    expect(slot < 2, "there are two slots");
    for (std::size_t at = 0; at < f.slot_bytes; ++at) {
      if (!f.spend()) {
        if (at < f.slot_bytes) f.slots[slot][at] = f.torn;
        return 0;
      }
      f.slots[slot][at] = 0xff;
      f.written[slot][at] = false;
    }
    return 1;
  }
  static int write(void* context, std::uint32_t slot, std::size_t offset, const void* from, std::size_t bytes) {
    Flash& f = of(context);
    expect(slot < 2 && offset <= f.slot_bytes && bytes <= f.slot_bytes - offset, "writes stay in a slot");
    expect(offset % 16 == 0, "writes begin at multiples of 16");
    for (std::size_t at = offset; at < offset + bytes; ++at) {
      if (!f.spend()) return 0;
      expect(!f.written[slot][at], "a byte is written once after an erasure");
      f.written[slot][at] = true;
      f.slots[slot][at] = static_cast<const std::uint8_t*>(from)[at - offset];
    }
    return 1;
  }
  static int read(void* context, std::uint32_t slot, std::size_t offset, void* to, std::size_t bytes) {
    Flash& f = of(context);
    expect(slot < 2 && offset <= f.slot_bytes && bytes <= f.slot_bytes - offset, "reads stay in a slot");
    if (f.read_fails) return 0;
    std::copy_n(f.slots[slot].data() + offset, bytes, static_cast<std::uint8_t*>(to));
    return 1;
  }
};

using Blob = std::vector<std::uint8_t>;

/// A model of one feature whose coefficients are its number.
Blob blob_of(std::uint32_t number, std::uint32_t classes) {
  std::vector<float> coefficients(2 * tamis::padded<float>(classes), static_cast<float>(number));
  const tamis_model_f32 model{coefficients.data(), 1, classes};
  Blob out(tamis_blob_bytes_f32(&model));
  expect(tamis_blob_write_f32(&model, out.data(), out.size()) == out.size(), "a blob is written");
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  Flash flash(bytes.byte());
  const tamis_slots slots{&flash, flash.slot_bytes, Flash::erase, Flash::write, Flash::read};
  if (bytes.flag())  // whatever was there before
    for (auto& slot : flash.slots) {
      const auto some = bytes.some(flash.slot_bytes);
      std::copy(some.begin(), some.end(), slot.begin());
    }
  Blob saved;  // what must be there; nothing: whatever was there before, if that is a model
  const auto load = [&](Blob& out, std::size_t room) {
    Guarded memory(room);
    std::size_t count = 12345;
    const auto end = tamis_slots_load(&slots, memory.data(), memory.size(), &count);
    memory.check(end != TAMIS_SLOT_DONE);
    out.clear();
    if (end == TAMIS_SLOT_DONE) {
      const auto read = memory.span().first(count);
      for (const std::byte byte : read) out.push_back(static_cast<std::uint8_t>(byte));
    }
    return end;
  };
  Blob now;
  load(saved, 256);
  for (std::uint32_t turn = 1; turn < 12 && !bytes.empty(); ++turn) {
    const Blob blob = blob_of(turn, 2 + bytes.below(12));
    const std::uint8_t how = bytes.byte();
    flash.torn = bytes.byte();
    flash.power = how & 1 ? ~std::size_t(0) : bytes.byte() + 256u * (how >> 7);
    const auto end = tamis_slots_save(&slots, blob.data(), how & 2 ? blob.size() : blob.size() - (how & 4 ? 1 : 0));
    flash.power = ~std::size_t(0);
    if (end == TAMIS_SLOT_DONE) {
      expect(load(now, 256) == TAMIS_SLOT_DONE && now == blob, "what was saved is loaded");
    } else {
      const auto loaded = load(now, 256);
      expect(loaded == (now.empty() ? TAMIS_SLOT_EMPTY : TAMIS_SLOT_DONE), "what is loaded is whole");
      expect(now == saved || (end == TAMIS_SLOT_FAILED && now == blob),
             "the blob before stays, or the new one is there");
    }
    if (!now.empty()) expect(load(saved, now.size() - 1) == TAMIS_SLOT_TOO_SMALL, "room that is too small is refused");
    saved = now;
    if (how & 8) {
      flash.read_fails = true;
      const auto loaded = load(now, 256);
      expect(loaded == TAMIS_SLOT_EMPTY || loaded == TAMIS_SLOT_FAILED, "storage that fails gives nothing");
      flash.read_fails = false;
    }
  }
  return 0;
}
