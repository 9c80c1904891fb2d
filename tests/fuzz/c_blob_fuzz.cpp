// Blobs through tamis.h: a blob that is damaged, cut off or of the other scalar is refused and everything stays as it
// was; one that is read predicts within its classes.
#include "c_face.hpp"
#include "tamis/model/blob.hpp"

namespace {

using namespace tamis::fuzz;

template <class T>
struct Face;
#define TAMIS_FUZZ_FACE(REAL, S)                                                \
  template <>                                                                   \
  struct Face<REAL> {                                                           \
    using Model = tamis_model_##S;                                              \
    static constexpr auto coefficient_bytes = tamis_blob_coefficient_bytes_##S; \
    static constexpr auto fault = tamis_blob_fault_##S;                         \
    static constexpr auto read = tamis_blob_read_##S;                           \
    static constexpr auto bytes = tamis_blob_bytes_##S;                         \
    static constexpr auto write = tamis_blob_write_##S;                         \
    static constexpr auto predict = tamis_predict_##S;                          \
  };
TAMIS_FUZZ_SCALARS(TAMIS_FUZZ_FACE)

using Blob = std::vector<std::uint8_t>;

/// Makes the CRC right, so that what comes behind that check is looked at too.
void seal(Blob& blob) {
  if (blob.size() < 4) return;
  std::byte* tail = reinterpret_cast<std::byte*>(blob.data()) + blob.size() - 4;
  tamis::detail::put(tail, tamis::detail::crc32(std::as_bytes(std::span(blob).first(blob.size() - 4))));
}

/// Whether it can be read; then what was read is written.
template <class T>
bool read(const Blob& blob, Blob& written, std::size_t short_of) {
  const char* const fault = Face<T>::fault(blob.data(), blob.size());
  const std::size_t needed = Face<T>::coefficient_bytes(blob.data(), blob.size());
  expect((needed == 0) == (fault != nullptr), "what has a fault needs no memory");
  const std::size_t most = std::size_t(1) << 20, room = needed < most ? needed : most;
  Guarded memory(room - short_of % (room + 1));
  typename Face<T>::Model model{nullptr, 7, 7};
  const auto status = Face<T>::read(blob.data(), blob.size(), memory.data(), memory.size(), &model);
  if (fault || memory.size() < needed) {
    expect(status == (fault ? TAMIS_INVALID_DATA : TAMIS_ARENA_TOO_SMALL), "a refusal has its status");
    expect(model.coefficients == nullptr && model.features == 7 && model.classes == 7, "a refusal leaves the model");
    memory.check(true);
    return false;
  }
  expect(status == TAMIS_CONVERGED, "a blob without a fault can be read");
  memory.check();
  const std::vector<T> sample(model.features, T(1));
  expect(Face<T>::predict(&model, sample.data(), 1) < model.classes, "predictions are classes");
  written.resize(Face<T>::bytes(&model));
  expect(Face<T>::write(&model, written.data(), written.size()) == written.size(), "a model that was read is written");
  expect(written.size() <= blob.size(), "rows of zeros are left out, and nothing comes in");
  return true;
}

template <class T>
void check(const Blob& blob, std::size_t short_of) {
  Blob written, again;
  if (!read<T>(blob, written, short_of)) return;
  expect(read<T>(written, again, 0) && again == written, "a blob that is written is read as the same");
  if (written.size() == blob.size()) expect(written == blob, "a blob without rows of zeros is written as it was");
}

/// A model of finite numbers, as a blob.
template <class T>
Blob made(Bytes& b) {
  const tamis::Index features = 1 + b.below(6), classes = 2 + b.below(5), stride = tamis::padded<T>(classes);
  std::vector<T> coefficients((features + 1) * std::size_t(stride));
  for (tamis::Index j = 0; j <= features; ++j)
    for (tamis::Index k = 0; k < classes && b.flag(); ++k) coefficients[j * stride + k] = b.finite<T>();
  const typename Face<T>::Model model{coefficients.data(), features, classes};
  Blob out(Face<T>::bytes(&model));
  expect(Face<T>::write(&model, out.data(), out.size()) == out.size(), "a model is written");
  return out;
}

template <class T>
void damage(Bytes& b, std::size_t short_of) {
  Blob blob = made<T>(b), written;
  check<T>(blob, 0);
  const std::size_t at = b.word() % blob.size();
  if (const std::uint8_t change = b.byte()) {
    blob[at] ^= change;
    expect(!read<T>(blob, written, 0), "a blob with another byte is refused");
    seal(blob);
  } else {
    blob.resize(at);
    expect(!read<T>(blob, written, 0), "a blob that is cut off is refused");
  }
  check<T>(blob, short_of);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const std::uint8_t how = bytes.byte(), short_of = bytes.flag() ? bytes.byte() : std::uint8_t(0);
  if (how & 1) {
    if (how & 2) damage<double>(bytes, short_of);
    else damage<float>(bytes, short_of);
    return 0;
  }
  const auto rest = bytes.rest();
  Blob blob(rest.begin(), rest.end());
  if (how & 4) seal(blob);
  check<float>(blob, short_of);
  check<double>(blob, short_of);
  return 0;
}
