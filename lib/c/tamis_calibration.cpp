#include "tamis_calibration.h"

#include "face.hpp"
#include "tamis/certificate/reliability.hpp"
#include "tamis/solver/calibration_newton.hpp"

namespace {

using namespace tamis;
using namespace tamis::in_c;

/// The types of one scalar.
template <class T>
struct Face {
  using Scored = TAMIS_OF(T, tamis_scored);
  using Options = TAMIS_OF(T, tamis_calibration_options);
  using Calibration = TAMIS_OF(T, tamis_calibration);
  using Report = TAMIS_OF(T, tamis_calibration_report);
  using Bin = TAMIS_OF(T, tamis_reliability_bin);
  using Reliability = TAMIS_OF(T, tamis_reliability);
};

static_assert(TAMIS_CALIBRATION_SIGMOID == int(CalibrationKind::sigmoid) &&
              TAMIS_CALIBRATION_SOFTMAX == int(CalibrationKind::softmax));

/// Whether a bin in C lies in memory as one in C++ does: arrays of either are handed over as they are.
template <class T, class Bin = typename Face<T>::Bin>
constexpr bool is_a_bin = sizeof(Bin) == sizeof(ReliabilityBin<T>) &&
                          offsetof(Bin, confidence) == offsetof(ReliabilityBin<T>, confidence) &&
                          offsetof(Bin, accuracy) == offsetof(ReliabilityBin<T>, accuracy);
static_assert(is_a_bin<float> && is_a_bin<double>);

bool known(std::uint32_t kind) { return kind <= TAMIS_CALIBRATION_SOFTMAX; }

template <class T>
Rows<const T> rows_of(const typename Face<T>::Scored& s) {
  return {s.scores, s.samples, s.classes, s.stride};
}
template <class T>
Targets<T> targets_of(const typename Face<T>::Scored& s) {
  return {{s.labels, s.labels ? s.samples : 0}, s.classes, s.weights};
}
template <class T>
Calibration<T> view(const typename Face<T>::Calibration& c) {
  return {static_cast<CalibrationKind>(c.kind), c.classes, c.slopes, c.offsets};
}

template <class T>
std::size_t bytes_of(std::uint32_t kind, std::uint32_t classes) {
  return known(kind) ? calibration_requirement<T>(static_cast<CalibrationKind>(kind), classes).bytes : 0;
}

template <class T>
void default_options(typename Face<T>::Options* out) {
  const CalibrationOptions<T> o;
  *out = {o.tolerance, o.max_iterations, static_cast<std::uint32_t>(o.kind)};
}

template <class T>
tamis_status fit(const typename Face<T>::Scored& scored, const typename Face<T>::Options& o, void* arena,
                 std::size_t bytes, typename Face<T>::Calibration* out, typename Face<T>::Report* report) {
  CalibrationFit<T> fitted;
  fitted.status = Status::invalid_option;
  if (known(o.kind))
    fitted = calibrate(
        rows_of<T>(scored), targets_of<T>(scored),
        {.kind = static_cast<CalibrationKind>(o.kind), .tolerance = o.tolerance, .max_iterations = o.max_iterations},
        {static_cast<std::byte*>(arena), bytes});
  const Calibration<T>& c = fitted.calibration;
  *out = {c.slopes, c.offsets, c.classes, static_cast<std::uint32_t>(c.kind)};
  const std::size_t asked = fitted.arena_bytes;
  if (report)
    *report = {fitted.objective,
               fitted.gradient,
               static_cast<std::uint32_t>(fitted.status),
               fitted.iterations,
               fitted.row,
               fitted.column,
               asked > 0xffffffffu ? 0xffffffffu : static_cast<std::uint32_t>(asked)};
  return as_c(fitted.status);
}

template <class T>
tamis_status measure(const typename Face<T>::Calibration& calibration, const typename Face<T>::Scored& scored,
                     typename Face<T>::Bin* bins, std::uint32_t count, typename Face<T>::Reliability* out) {
  Reliability<T> found;
  const Status status =
      measure_reliability(view<T>(calibration), rows_of<T>(scored), targets_of<T>(scored),
                          std::span(reinterpret_cast<ReliabilityBin<T>*>(bins), bins ? count : 0), found);
  *out = {found.log_loss, found.error, found.calibration_error, found.row, found.column};
  return as_c(status);
}

}  // namespace

#define TAMIS_CALIBRATION_DEFINE(T, S)                                                                                 \
  std::size_t tamis_calibration_bytes_##S(std::uint32_t kind, std::uint32_t classes) {                                 \
    return bytes_of<T>(kind, classes);                                                                                 \
  }                                                                                                                    \
  void tamis_default_calibration_options_##S(tamis_calibration_options_##S* options) { default_options<T>(options); }  \
  tamis_status tamis_calibrate_##S(const tamis_scored_##S* scored, const tamis_calibration_options_##S* options,       \
                                   void* arena, std::size_t arena_bytes, tamis_calibration_##S* calibration,           \
                                   tamis_calibration_report_##S* report) {                                             \
    return fit<T>(*scored, *options, arena, arena_bytes, calibration, report);                                         \
  }                                                                                                                    \
  void tamis_probabilities_##S(const tamis_calibration_##S* calibration, const T* scores, T* probabilities) {          \
    view<T>(*calibration).probabilities(scores, probabilities);                                                        \
  }                                                                                                                    \
  T tamis_log_probability_##S(const tamis_calibration_##S* calibration, const T* scores, std::uint32_t label) {        \
    return view<T>(*calibration).log_probability(scores, label);                                                       \
  }                                                                                                                    \
  std::uint32_t tamis_most_probable_##S(const tamis_calibration_##S* calibration, const T* scores) {                   \
    return view<T>(*calibration).predict(scores);                                                                      \
  }                                                                                                                    \
  tamis_status tamis_measure_reliability_##S(const tamis_calibration_##S* calibration, const tamis_scored_##S* scored, \
                                             tamis_reliability_bin_##S* bins, std::uint32_t bin_count,                 \
                                             tamis_reliability_##S* reliability) {                                     \
    return measure<T>(*calibration, *scored, bins, bin_count, reliability);                                            \
  }

extern "C" {

TAMIS_FOR_SCALARS(TAMIS_CALIBRATION_DEFINE)

}  // extern "C"
