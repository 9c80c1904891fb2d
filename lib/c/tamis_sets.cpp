#include "tamis_sets.h"

#include "face.hpp"
#include "tamis/selection/set_thresholds.hpp"

namespace {

using namespace tamis;
using namespace tamis::in_c;

/// The types of one scalar.
template <class T>
struct Face {
  using Scored = TAMIS_OF(T, tamis_scored_sets);
  using Thresholds = TAMIS_OF(T, tamis_thresholds);
};

static_assert(TAMIS_THRESHOLDS_LINEAR == int(ThresholdKind::linear) &&
              TAMIS_THRESHOLDS_PER_CLASS == int(ThresholdKind::per_class));

template <class T>
std::size_t bytes_of(std::uint32_t kind, std::uint32_t samples, std::uint32_t classes) {
  if (kind >= std::size(all_threshold_kinds)) return 0;
  return ThresholdChoice<T>::requirement(static_cast<ThresholdKind>(kind), samples, classes).bytes;
}

template <class T>
tamis_status choose(std::uint32_t kind, const typename Face<T>::Scored& s, void* arena, std::size_t bytes,
                    typename Face<T>::Thresholds* out) {
  *out = {};
  if (kind >= std::size(all_threshold_kinds)) return TAMIS_INVALID_OPTION;
  if (!s.scores || !s.labels || !s.set_starts || s.set_count == 0 || s.set_count > 65536 || s.samples == 0 ||
      s.classes < 2 || s.classes > 65536 || s.stride < s.classes)
    return TAMIS_INVALID_SHAPE;
  const std::span<std::byte> memory(static_cast<std::byte*>(arena), bytes);
  if (!Arena::aligned(memory)) return TAMIS_INVALID_ARENA;
  ThresholdChoice<T> choice(static_cast<ThresholdKind>(kind), s.samples, s.classes);
  const Status status = choice.choose(s.scores, s.stride, {s.set_starts, s.set_members, s.set_count}, s.labels, memory);
  if (status != Status::converged) return as_c(status);
  const SetThresholds<T> found = choice.thresholds();
  *out = {found.slopes, found.offsets, found.classes};
  return TAMIS_CONVERGED;
}

template <class T>
std::uint32_t set_of(const typename Face<T>::Thresholds& t, const T* scores, std::uint16_t* labels) {
  std::uint32_t count = 0;
  SetThresholds<T>{t.slopes, t.offsets, t.classes}.for_each_label(
      scores, [&](Index k) { labels[count++] = static_cast<std::uint16_t>(k); });
  return count;
}

}  // namespace

#define TAMIS_SETS_DEFINE(T, S)                                                                                    \
  std::size_t tamis_thresholds_bytes_##S(std::uint32_t kind, std::uint32_t samples, std::uint32_t classes) {       \
    return bytes_of<T>(kind, samples, classes);                                                                    \
  }                                                                                                                \
  tamis_status tamis_choose_thresholds_##S(std::uint32_t kind, const tamis_scored_sets_##S* scored, void* arena,   \
                                           std::size_t arena_bytes, tamis_thresholds_##S* thresholds) {            \
    return choose<T>(kind, *scored, arena, arena_bytes, thresholds);                                               \
  }                                                                                                                \
  std::uint32_t tamis_set_of_##S(const tamis_thresholds_##S* thresholds, const T* scores, std::uint16_t* labels) { \
    return set_of<T>(*thresholds, scores, labels);                                                                 \
  }

extern "C" {

TAMIS_FOR_SCALARS(TAMIS_SETS_DEFINE)

}  // extern "C"
