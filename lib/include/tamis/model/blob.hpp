#pragma once
/// A model as bytes: for flash, EEPROM, a file or a message. Read on any target, whatever wrote it.

#include <span>

#include "../arena.hpp"
#include "../status.hpp"
#include "linear.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Layout, little-endian, no padding; only features with a coefficient are stored:
///
///     0   "TMSB"   magic
///     4   u8       layout version, 1
///     5   u8       bytes of a scalar: 4 or 8 (IEEE 754)
///     6   u16      0
///     8   u32      features
///     12  u32      classes K
///     16  u32      kept features
///     20  K scalars of intercepts
///         kept × (u32 position, ascending; K scalars of coefficients)
///         u32      CRC-32 (IEEE 802.3) of everything before
namespace detail {

inline constexpr std::size_t blob_head = 20;

/// `before`: the CRC of what comes before these bytes.
inline std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0) {
  std::uint32_t crc = ~before;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

template <class Integer>
[[gnu::noinline]] void put(std::byte*& to, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) *to++ = static_cast<std::byte>(value >> (8 * i) & 0xff);
}
template <class Integer>
[[gnu::noinline]] Integer get(const std::byte*& from) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value |= static_cast<Integer>(static_cast<Integer>(*from++) << (8 * i));
  return value;
}
inline void put_scalar(std::byte*& to, float value) { put(to, __builtin_bit_cast(std::uint32_t, value)); }
inline void put_scalar(std::byte*& to, double value) { put(to, __builtin_bit_cast(std::uint64_t, value)); }
inline float get_scalar(const std::byte*& from, float) { return __builtin_bit_cast(float, get<std::uint32_t>(from)); }
inline double get_scalar(const std::byte*& from, double) {
  return __builtin_bit_cast(double, get<std::uint64_t>(from));
}

constexpr std::uint64_t blob_size(std::uint64_t classes, std::uint64_t kept, std::uint64_t scalar) {
  return blob_head + classes * scalar + kept * (4 + classes * scalar) + 4;
}

}  // namespace detail

/// Bytes that `write_blob` writes for this model.
template <class T>
std::size_t blob_bytes(const LinearModel<T>& model) {
  std::uint64_t kept = 0;
  for (Index j = 0; j < model.features; ++j) kept += model.uses(j);
  return static_cast<std::size_t>(detail::blob_size(model.classes, kept, sizeof(T)));
}

/// Writes the model and returns the number of bytes; 0, and nothing written, when `out` is smaller than blob_bytes.
template <class T>
std::size_t write_blob(const LinearModel<T>& model, std::span<std::byte> out) {
  const std::size_t size = blob_bytes(model);
  if (out.size() < size) return 0;
  std::byte* to = out.data();
  for (const char c : {'T', 'M', 'S', 'B', '\1', static_cast<char>(sizeof(T)), '\0', '\0'})
    *to++ = static_cast<std::byte>(c);
  Index kept = 0;
  for (Index j = 0; j < model.features; ++j) kept += model.uses(j);
  detail::put(to, model.features);
  detail::put(to, model.classes);
  detail::put(to, kept);
  for (Index k = 0; k < model.classes; ++k) detail::put_scalar(to, model.intercept(k));
  for (Index j = 0; j < model.features; ++j) {
    if (!model.uses(j)) continue;
    detail::put(to, j);
    for (Index k = 0; k < model.classes; ++k) detail::put_scalar(to, model(j, k));
  }
  detail::put(to, detail::crc32(out.first(size - 4)));
  return size;
}

/// What is wrong with a blob.
enum class BlobFault : std::uint8_t {
  none,
  truncated,      ///< shorter than it says it is
  not_a_blob,     ///< does not begin as one does
  other_version,  ///< of a layout that this reader does not know
  damaged,        ///< its CRC, a size or a position is not right
  other_scalar,   ///< of the other scalar type than asked for
};

/// One sentence: what is wrong and what to do.
constexpr const char* describe(BlobFault fault) {
  switch (fault) {
    case BlobFault::none: return "the blob is whole";
    case BlobFault::truncated: return "the blob is cut off: read all of its bytes";
    case BlobFault::not_a_blob: return "these bytes are no tamis model: look where the blob begins";
    case BlobFault::other_version: return "the blob has a layout of another version: update the program that reads it";
    case BlobFault::damaged: return "the blob is damaged: write it again";
    case BlobFault::other_scalar: return "the blob holds numbers of the other precision: read it as those";
  }
  return "unknown fault";
}

/// What a blob says of itself, once it has been checked from end to end.
struct BlobShape {
  bool valid = false;
  BlobFault fault = BlobFault::truncated;  ///< none: valid
  Index features = 0;
  Index classes = 0;
  Index kept = 0;
  std::uint32_t scalar_bytes = 0;
  std::size_t bytes = 0;  ///< of a valid blob
};

/// Checks magic, version, sizes, positions and CRC. `bytes` may be longer than the blob. Never reads past its end.
inline BlobShape inspect_blob(std::span<const std::byte> bytes) {
  BlobShape shape;
  const auto bad = [&](BlobFault fault) {
    shape.fault = fault;
    return shape;
  };
  if (bytes.size() < detail::blob_head) return shape;
  const std::byte* from = bytes.data();
  for (const char c : {'T', 'M', 'S', 'B'})
    if (*from++ != static_cast<std::byte>(c)) return bad(BlobFault::not_a_blob);
  if (detail::get<std::uint8_t>(from) != 1) return bad(BlobFault::other_version);
  shape.scalar_bytes = detail::get<std::uint8_t>(from);
  if (detail::get<std::uint16_t>(from) != 0 || (shape.scalar_bytes != 4 && shape.scalar_bytes != 8))
    return bad(BlobFault::damaged);
  shape.features = detail::get<Index>(from);
  shape.classes = detail::get<Index>(from);
  shape.kept = detail::get<Index>(from);
  if (shape.features == 0 || shape.classes < 2 || shape.classes > 65536 || shape.kept > shape.features)
    return bad(BlobFault::damaged);
  const std::uint64_t size = detail::blob_size(shape.classes, shape.kept, shape.scalar_bytes);
  if (size > bytes.size()) return bad(BlobFault::truncated);
  const auto body = bytes.first(static_cast<std::size_t>(size) - 4);
  const std::byte* tail = body.data() + body.size();
  if (detail::get<std::uint32_t>(tail) != detail::crc32(body)) return bad(BlobFault::damaged);
  const std::size_t row = 4 + std::size_t(shape.classes) * shape.scalar_bytes;
  Index next = 0;
  for (Index r = 0; r < shape.kept; ++r) {
    const std::byte* position = from + std::size_t(shape.classes) * shape.scalar_bytes + r * row;
    const Index feature = detail::get<Index>(position);
    if (feature < next || feature >= shape.features) return bad(BlobFault::damaged);
    next = feature + 1;
  }
  shape.valid = true;
  shape.fault = BlobFault::none;
  shape.bytes = static_cast<std::size_t>(size);
  return shape;
}

/// What keeps a blob from being read as a model of T.
template <class T>
BlobFault fault_of_blob(std::span<const std::byte> bytes) {
  const BlobShape shape = inspect_blob(bytes);
  return shape.valid && shape.scalar_bytes != sizeof(T) ? BlobFault::other_scalar : shape.fault;
}

/// Entries of T that `read_blob` needs for the coefficients; all ones: more than can be addressed.
template <class T>
constexpr std::size_t blob_coefficients(const BlobShape& shape) {
  return detail::saturating_multiply(detail::saturating_add(shape.features, 1), padded<T>(shape.classes));
}

/// Expands a blob into `coefficients`, aligned to 16 bytes, and makes `model` a view of them. `invalid_data` for a blob
/// with a fault (`fault_of_blob` says which), `arena_too_small` when `coefficients` is; both leave everything
/// untouched.
template <class T>
Status read_blob(std::span<const std::byte> bytes, std::span<T> coefficients, LinearModel<T>& model) {
  const BlobShape shape = inspect_blob(bytes);
  if (!shape.valid || shape.scalar_bytes != sizeof(T)) return Status::invalid_data;
  if (coefficients.size() < blob_coefficients<T>(shape)) return Status::arena_too_small;
  const Index stride = padded<T>(shape.classes);
  fill(coefficients.data(), blob_coefficients<T>(shape), T(0));
  const std::byte* from = bytes.data() + detail::blob_head;
  T* intercepts = row_of(coefficients.data(), shape.features, stride);
  for (Index k = 0; k < shape.classes; ++k) intercepts[k] = detail::get_scalar(from, T());
  for (Index r = 0; r < shape.kept; ++r) {
    T* row = row_of(coefficients.data(), detail::get<Index>(from), stride);
    for (Index k = 0; k < shape.classes; ++k) row[k] = detail::get_scalar(from, T());
  }
  model = {coefficients.data(), shape.features, shape.classes};
  return Status::converged;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
