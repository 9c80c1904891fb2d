#include "tamis_dynamic.h"

#include <cstring>
#include <span>

#include "tamis/catalogue.hpp"
#include "tamis/model/calibration.hpp"
#include "tamis/model/export_c.hpp"
#include "tamis/model/export_probabilities_c.hpp"
#include "tamis/model/export_quantised_c.hpp"

namespace {

using namespace tamis;

template <class T, class Samples>
const T* sample_of(const Samples& samples, Index i) {
  return samples.values + i * samples.row_stride;
}

/// The scores of sparse samples: entries in the order of their columns, as of dense ones, whose zeros add nothing.
template <class T, class Model, class Samples>
void sparse_scores(const Model& model, const Samples& samples, T* out) {
  const LinearModel<T> view{model.coefficients, model.features, model.classes};
  for (Index i = 0; i < samples.samples; ++i, out += model.classes) {
    for (Index k = 0; k < model.classes; ++k) out[k] = view.intercept(k);
    for (Index e = samples.starts[i]; e < samples.starts[i + 1]; ++e)
      for (Index k = 0; k < model.classes; ++k) out[k] += samples.values[e] * view(samples.columns[e], k);
  }
}

template <class T, class C>
Calibration<T> view_of(const C& calibration) {
  return {static_cast<CalibrationKind>(calibration.kind), calibration.classes, calibration.slopes, calibration.offsets};
}

template <class T, class Header>
ExportOptions<T> options_of(const Header& header) {
  return {header.name, header.labels, header.feature_names, header.samples,
          header.samples ? header.sample_count : Index(0)};
}

template <class T, class Model, class Header>
std::size_t export_header(const Model& model, const Header& header, T* scratch, char* out, std::size_t bytes) {
  const LinearModel<T> view{model.coefficients, model.features, model.classes};
  const std::size_t first = export_c(view, options_of<T>(header), {out, bytes});
  if (!header.calibration) return first;
  const bool tested = header.samples && header.sample_count;
  if (tested) view.scores(header.samples, scratch);
  const std::size_t room = bytes > first ? bytes - first : 0;
  return first + export_probabilities_c(view_of<T>(*header.calibration), header.name, tested ? scratch : nullptr,
                                        {room ? out + first : out, room});
}

struct Size {
  const char* name;
  std::size_t bytes;
};
#define TAMIS_SIZE(type) \
  { #type, sizeof(type) }
#define TAMIS_SIZES(S)                                                                                           \
  TAMIS_SIZE(tamis_problem_##S), TAMIS_SIZE(tamis_report_##S), TAMIS_SIZE(tamis_grid_##S),                       \
      TAMIS_SIZE(tamis_model_##S), TAMIS_SIZE(tamis_held_out_##S), TAMIS_SIZE(tamis_training_##S),               \
      TAMIS_SIZE(tamis_path_##S), TAMIS_SIZE(tamis_cross_validation_##S), TAMIS_SIZE(tamis_stability_##S),       \
      TAMIS_SIZE(tamis_stability_progress_##S), TAMIS_SIZE(tamis_scored_##S), TAMIS_SIZE(tamis_calibration_##S), \
      TAMIS_SIZE(tamis_calibration_options_##S), TAMIS_SIZE(tamis_calibration_report_##S),                       \
      TAMIS_SIZE(tamis_interactions_problem_##S), TAMIS_SIZE(tamis_interactions_##S),                            \
      TAMIS_SIZE(tamis_interactions_term_##S), TAMIS_SIZE(tamis_interactions_model_##S),                         \
      TAMIS_SIZE(tamis_interactions_cross_validation_##S), TAMIS_SIZE(tamis_kernel_##S),                         \
      TAMIS_SIZE(tamis_kernels_problem_##S), TAMIS_SIZE(tamis_kernels_##S), TAMIS_SIZE(tamis_kernels_model_##S), \
      TAMIS_SIZE(tamis_kernels_cross_validation_##S), TAMIS_SIZE(tamis_scattering_##S),                          \
      TAMIS_SIZE(tamis_signal_scattering_##S), TAMIS_SIZE(tamis_windows_##S), TAMIS_SIZE(tamis_samples_##S),     \
      TAMIS_SIZE(tamis_header_##S), TAMIS_SIZE(tamis_stream_##S), TAMIS_SIZE(tamis_stream_options_##S),          \
      TAMIS_SIZE(tamis_stream_report_##S)
constexpr Size sizes[] = {TAMIS_SIZES(f32), TAMIS_SIZES(f64), TAMIS_SIZE(tamis_range)};

template <class Kind, std::size_t count>
const char* name_at(const Kind (&kinds)[count], std::uint32_t number) {
  return number < count ? name(kinds[number]) : nullptr;
}

/// What an integer header takes of its scratch.
struct IntegerScratch {
  std::size_t intercepts, counts, weights, bytes;
  IntegerScratch(std::size_t features, std::size_t classes)
      : intercepts(0),
        counts(intercepts + classes * sizeof(std::int32_t)),
        weights(counts + features * sizeof(CountScale)),
        bytes(weights + features * classes * sizeof(std::int16_t)) {}
};

}  // namespace

#define TAMIS_DYNAMIC_DEFINE(T, S)                                                                                     \
  void tamis_scores_of_samples_##S(const tamis_model_##S* model, const tamis_samples_##S* samples, T* scores) {        \
    if (samples->columns) return sparse_scores<T>(*model, *samples, scores);                                           \
    for (Index i = 0; i < samples->samples; ++i, scores += model->classes)                                             \
      tamis_scores_##S(model, sample_of<T>(*samples, i), samples->column_stride, scores);                              \
  }                                                                                                                    \
  void tamis_interactions_scores_of_samples_##S(const tamis_interactions_model_##S* model,                             \
                                                const tamis_samples_##S* samples, T* scores) {                         \
    for (Index i = 0; i < samples->samples; ++i, scores += model->outputs)                                             \
      tamis_interactions_scores_##S(model, sample_of<T>(*samples, i), samples->column_stride, scores);                 \
  }                                                                                                                    \
  void tamis_kernels_scores_of_samples_##S(const tamis_kernels_model_##S* model, const tamis_samples_##S* samples,     \
                                           T* scores) {                                                                \
    for (Index i = 0; i < samples->samples; ++i, scores += model->outputs)                                             \
      tamis_kernels_scores_##S(model, sample_of<T>(*samples, i), samples->column_stride, scores);                      \
  }                                                                                                                    \
  void tamis_probabilities_of_scores_##S(const tamis_calibration_##S* calibration, std::uint32_t samples, T* scores) { \
    const auto view = view_of<T>(*calibration);                                                                        \
    for (Index i = 0; i < samples; ++i, scores += view.classes) view.probabilities(scores, scores);                    \
  }                                                                                                                    \
  std::uint32_t tamis_stream_update_samples_##S(tamis_stream_##S* stream, const tamis_samples_##S* samples,            \
                                                const std::uint16_t* labels, const T* weights) {                       \
    std::uint32_t learned = 0;                                                                                         \
    for (Index i = 0; i < samples->samples; ++i) {                                                                     \
      const T weight = weights ? weights[i] : T(1);                                                                    \
      const T* values = samples->columns ? samples->values + samples->starts[i] : sample_of<T>(*samples, i);           \
      learned += TAMIS_RUNNING ==                                                                                      \
                 (samples->columns                                                                                     \
                      ? tamis_stream_update_sparse_##S(stream, samples->columns + samples->starts[i], values,          \
                                                       samples->starts[i + 1] - samples->starts[i], labels[i], weight) \
                      : tamis_stream_update_##S(stream, values, labels[i], weight));                                   \
    }                                                                                                                  \
    return learned;                                                                                                    \
  }                                                                                                                    \
  std::size_t tamis_export_header_##S(const tamis_model_##S* model, const tamis_header_##S* header, T* scratch,        \
                                      char* out, std::size_t bytes) {                                                  \
    return export_header<T>(*model, *header, scratch, out, bytes);                                                     \
  }

extern "C" {
TAMIS_DYNAMIC_DEFINE(float, f32)
TAMIS_DYNAMIC_DEFINE(double, f64)

std::size_t tamis_integer_header_bytes(std::uint32_t features, std::uint32_t classes) {
  return IntegerScratch(features, classes).bytes;
}

std::size_t tamis_export_integer_header(const tamis_model_f64* model, const tamis_header_f32* header,
                                        std::uint32_t bits, const tamis_range* ranges, const char* remark,
                                        void* scratch, char* out, std::size_t bytes) {
  const std::size_t features = model->features, classes = model->classes;
  const IntegerScratch at(features, classes);
  auto* memory = static_cast<std::byte*>(scratch);
  const std::span intercepts(reinterpret_cast<std::int32_t*>(memory + at.intercepts), classes);
  const std::span weights(reinterpret_cast<std::int16_t*>(memory + at.weights), features * classes);
  auto* counts = reinterpret_cast<CountScale*>(memory + at.counts);
  for (std::size_t j = 0; j < features; ++j)
    counts[j] =
        ranges[j].least == 0 && ranges[j].most == 0 ? CountScale{} : count_scale(ranges[j].least, ranges[j].most);
  const QuantisedModel quantised = quantise(LinearModel<double>{model->coefficients, model->features, model->classes},
                                            counts, bits == 8 ? 127 : 32767, weights, intercepts);
  if (quantised.classes == 0 || !(quantised.scale > 0) || !finite(quantised.scale)) return 0;
  return export_quantised_c(quantised, options_of<float>(*header), bits == 8, {out, bytes}, remark);
}

const char* tamis_name_of(const char* kind, std::uint32_t number) {
  if (std::strcmp(kind, "loss") == 0) return name_at(all_losses, number);
  if (std::strcmp(kind, "penalty") == 0) return name_at(all_penalties, number);
  if (std::strcmp(kind, "solver") == 0) return name_at(all_solvers, number);
  return nullptr;
}

std::size_t tamis_size_of(const char* structure) {
  for (const Size& size : sizes)
    if (std::strcmp(size.name, structure) == 0) return size.bytes;
  return 0;
}
}
