#pragma once
/// A model that survives loss of power while the next one is saved: two slots of flash, EEPROM or a file, used in turn.

#include "blob.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What the slots lie in, slot 0 and slot 1. Each call says whether it succeeded. `erase` makes a slot writable again;
/// `write` and `read` take bytes from `offset` of a slot on. Between two erasures each byte is written once, at offsets
/// that are multiples of 16 and in pieces of a multiple of 16, the last of a blob aside.
template <class S>
concept SlotStorage = requires(S storage, Index slot, std::size_t offset, std::span<const std::byte> in,
                               std::span<std::byte> out) {
  { storage.erase(slot) } -> std::convertible_to<bool>;
  { storage.write(slot, offset, in) } -> std::convertible_to<bool>;
  { storage.read(slot, offset, out) } -> std::convertible_to<bool>;
};

/// How saving or loading ended.
enum class SlotEnd : std::uint8_t {
  done,
  empty,      ///< neither slot holds a model
  too_small,  ///< the blob does not fit a slot, or not the memory it is to be loaded into
  no_blob,    ///< what is to be saved is not a valid blob
  failed,     ///< the storage failed, or did not keep what was written
};

constexpr const char* describe(SlotEnd end) {
  switch (end) {
    case SlotEnd::done: return "done";
    case SlotEnd::empty: return "neither slot holds a model";
    case SlotEnd::too_small: return "the blob does not fit: give it larger slots, or more memory to be loaded into";
    case SlotEnd::no_blob: return "what is to be saved is not a valid blob: the saved model stays";
    case SlotEnd::failed: return "the storage failed: the model that was saved before stays";
  }
  return "unknown end";
}

/// Saves blobs in turn in two slots of `slot_bytes` each, as written below, the head last: until it is there, the blob
/// of the other slot is the newest one. Whatever is interrupted, and when, `load` gives the blob before or the new one.
///
///     0   "TMS2"   magic
///     4   u32      number of the save, one more than that of the other slot
///     8   u32      bytes of the blob
///     12  u32      CRC-32 of these 12 bytes and the blob
///     16  the blob
template <SlotStorage Storage>
class TwoSlots {
 public:
  static constexpr std::size_t head_bytes = 16;

  TwoSlots(Storage& storage, std::size_t slot_bytes) : storage_(&storage), slot_bytes_(slot_bytes) {}

  /// Bytes of the newest blob that is whole; 0: there is none. Cost: both slots are read.
  std::size_t bytes() { return newest().bytes; }

  /// Reads the newest blob that is whole into `out`, and sets `bytes` to its size.
  [[gnu::noinline]] SlotEnd load(std::span<std::byte> out, std::size_t& bytes) {
    const Held held = newest();
    bytes = held.bytes;
    if (held.bytes == 0) return SlotEnd::empty;
    if (out.size() < held.bytes) return SlotEnd::too_small;
    return storage_->read(held.slot, head_bytes, out.first(held.bytes)) ? SlotEnd::done : SlotEnd::failed;
  }

  /// Saves a blob, then reads it again to see that it was kept. Anything but `done`: the blob before is the newest
  /// still.
  [[gnu::noinline]] SlotEnd save(std::span<const std::byte> blob) {
    const BlobShape shape = inspect_blob(blob);
    if (!shape.valid) return SlotEnd::no_blob;
    if (slot_bytes_ < head_bytes || shape.bytes > slot_bytes_ - head_bytes || shape.bytes > 0xffffffffu)
      return SlotEnd::too_small;
    const Held before = newest();
    const Held next{.slot = before.bytes ? 1 - before.slot : 0, .number = before.number + 1, .bytes = shape.bytes};
    std::byte head[head_bytes];
    std::byte* to = head;
    for (const char c : magic) *to++ = static_cast<std::byte>(c);
    detail::put(to, next.number);
    detail::put(to, static_cast<std::uint32_t>(next.bytes));
    const auto told = std::span<const std::byte>(head).first(head_bytes - 4);
    detail::put(to, detail::crc32(blob.first(next.bytes), detail::crc32(told)));
    if (!storage_->erase(next.slot) || !storage_->write(next.slot, head_bytes, blob.first(next.bytes)) ||
        !storage_->write(next.slot, 0, head))
      return SlotEnd::failed;
    const Held kept = look(next.slot);
    return kept.bytes == next.bytes && kept.number == next.number ? SlotEnd::done : SlotEnd::failed;
  }

 private:
  static constexpr char magic[] = {'T', 'M', 'S', '2'};

  struct Held {
    Index slot = 0;
    std::uint32_t number = 0;
    std::size_t bytes = 0;  ///< of the blob; 0: none
  };

  Held newest() {
    const Held first = look(0), second = look(1);
    if (first.bytes == 0 || second.bytes == 0) return first.bytes ? first : second;
    return static_cast<std::int32_t>(second.number - first.number) > 0 ? second : first;
  }

  [[gnu::noinline]] Held look(Index slot) {
    std::byte piece[32];
    if (slot_bytes_ < head_bytes || !storage_->read(slot, 0, std::span(piece).first(head_bytes))) return {};
    const std::byte* from = piece;
    for (const char c : magic)
      if (*from++ != static_cast<std::byte>(c)) return {};
    const auto number = detail::get<std::uint32_t>(from);
    const std::size_t bytes = detail::get<std::uint32_t>(from);
    const auto expected = detail::get<std::uint32_t>(from);
    if (bytes == 0 || bytes > slot_bytes_ - head_bytes) return {};
    std::uint32_t crc = detail::crc32(std::span<const std::byte>(piece).first(head_bytes - 4));
    for (std::size_t at = 0; at < bytes;) {
      const auto part = std::span(piece).first(smallest(bytes - at, sizeof piece));
      if (!storage_->read(slot, head_bytes + at, part)) return {};
      crc = detail::crc32(part, crc);
      at += part.size();
    }
    return crc == expected ? Held{slot, number, bytes} : Held{};
  }

  Storage* storage_;
  std::size_t slot_bytes_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
