/* The C interface as a C99 program sees it, included twice. */
#include "tamis.h"
#include "tamis.h"
#include "tamis_calibration.h"
#include "tamis_calibration.h"
#include "tamis_device.h"
#include "tamis_device.h"
#include "tamis_features.h"
#include "tamis_features.h"
#include "tamis_interactions.h"
#include "tamis_interactions.h"
#include "tamis_kernels.h"
#include "tamis_kernels.h"
#include "tamis_sets.h"
#include "tamis_sets.h"
#include "tamis_stability.h"
#include "tamis_stability.h"
#include "tamis_stream.h"
#include "tamis_stream.h"

tamis_status train(const float *values, const uint16_t *labels, void *arena, size_t bytes) {
  tamis_problem_f32 problem;
  tamis_training_f32 training;
  tamis_default_problem_f32(&problem);
  problem.samples = 10;
  problem.features = 2;
  problem.classes = 2;
  problem.values = values;
  problem.labels = labels;
  problem.lambda = 0.1f;
  return tamis_train_f32(&training, &problem, arena, bytes, NULL, NULL);
}

tamis_status look(tamis_device_f32 *device, const tamis_problem_f32 *problem, const int16_t *values, void *arena,
                  size_t bytes) {
  tamis_quantised_f32 samples = {values, TAMIS_INT16, 1, 0.01f, 0, NULL, NULL};
  return tamis_device_start_f32(device, problem, &samples, NULL, arena, bytes);
}

tamis_status begin(tamis_stream_f32 *stream, void *arena, size_t bytes) {
  tamis_stream_options_f32 options;
  tamis_default_stream_options_f32(&options);
  options.features = 2;
  options.classes = 2;
  return tamis_stream_begin_f32(stream, &options, arena, bytes);
}

size_t keep(const double *values, const double *targets, tamis_interactions_term_f64 *terms, double *intercept,
            void *arena, size_t bytes) {
  tamis_interactions_problem_f64 problem;
  tamis_interactions_f64 run;
  tamis_default_interactions_problem_f64(&problem);
  problem.samples = 10;
  problem.features = 2;
  problem.values = values;
  problem.targets = targets;
  problem.lambda = 0.1;
  tamis_interactions_train_f64(&run, &problem, arena, bytes, NULL, NULL);
  return tamis_interactions_terms_of_f64(&run, terms, 5, intercept, NULL);
}

uint32_t compare(const float *values, const uint16_t *labels, const float *sample, void *arena, size_t bytes, void *room,
                 size_t room_bytes) {
  static const tamis_kernel_f32 kernels[] = {{TAMIS_KERNEL_LINEAR, 0, 0}, {TAMIS_KERNEL_GAUSSIAN, 0.5f, 0}};
  tamis_kernels_problem_f32 problem;
  tamis_kernels_f32 run;
  tamis_kernels_model_f32 model;
  float score;
  tamis_default_kernels_problem_f32(&problem);
  problem.p = 2;
  problem.q = problem.r = 1;
  problem.samples = 10;
  problem.features = problem.classes = problem.kernel_count = 2;
  problem.values = values;
  problem.kernels = kernels;
  problem.labels = labels;
  problem.lambda = 0.1f;
  tamis_kernels_train_f32(&run, &problem, arena, bytes, NULL, NULL);
  if (tamis_kernels_model_of_f32(&run, room, room_bytes, &model) > TAMIS_RUNNING) return 2;
  return tamis_kernels_predict_f32(&model, sample, 1, &score);
}

tamis_status scatter(tamis_scattering_f32 *scattering, const float *image, float *features, void *arena, size_t bytes) {
  tamis_scattering_options options;
  tamis_default_scattering_options(&options);
  options.height = options.width = 28;
  if (tamis_scattering_start_f32(scattering, &options, arena, bytes) != TAMIS_RUNNING) return TAMIS_ARENA_TOO_SMALL;
  return tamis_scattering_transform_f32(scattering, image, 28 * 28, features, tamis_scattering_coefficients(&options));
}

uint32_t trust(const double *scores, const uint16_t *labels, double *probabilities, void *arena, size_t bytes) {
  const tamis_scored_f64 scored = {scores, labels, NULL, 10, 2, 2};
  tamis_calibration_options_f64 options;
  tamis_calibration_f64 calibration;
  tamis_default_calibration_options_f64(&options);
  tamis_calibrate_f64(&scored, &options, arena, bytes, &calibration, NULL);
  tamis_probabilities_f64(&calibration, scores, probabilities);
  return tamis_most_probable_f64(&calibration, scores);
}

float rely(const tamis_problem_f32 *problem, const tamis_grid_f32 *grid, void *arena, size_t bytes) {
  tamis_stability_f32 run;
  tamis_stability_options options;
  tamis_default_stability_options(&options);
  tamis_stability_run_f32(&run, problem, grid, &options, arena, bytes, NULL, NULL);
  return tamis_stability_frequency_f32(&run, 0, TAMIS_ANY_POINT);
}

tamis_status read_text(const char *line, size_t bytes, uint32_t *features, float *values, size_t room, uint32_t *count) {
  tamis_hashing_options options;
  tamis_default_hashing_options(&options);
  return tamis_hash_line_f32(&options, line, bytes, features, values, room, count);
}

int listen(tamis_windows_f64 *windows, const double *reading, double *features, void *arena, size_t bytes) {
  tamis_windows_options options;
  tamis_default_windows_options(&options);
  options.length = options.hop = 128;
  if (tamis_windows_start_f64(windows, &options, arena, bytes) != TAMIS_RUNNING) return 0;
  tamis_windows_push_f64(windows, reading, 1);
  return tamis_windows_ready_f64(windows) &&
         tamis_windows_features_of_f64(windows, features, tamis_windows_features(&options)) == TAMIS_RUNNING;
}
