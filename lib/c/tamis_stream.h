#ifndef TAMIS_STREAM_H
#define TAMIS_STREAM_H
/*
 * Learning from a stream: samples that arrive one at a time, from a sensor, a card or flash, in memory that does not
 * grow with their number. Beside tamis.h, whose rules hold here as well; tamis_stream.cpp is compiled on its own, and
 * programs without it pay nothing.
 *
 * There is no certificate: what is known is how well each sample was predicted before it was learned from.
 */
#include "tamis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tamis_learner {
  TAMIS_LEARN_DUAL_AVERAGING = 0, /* sparse models, and a step of its own for each feature: learning_rate 0.1 serves where
                                     features are about one. Twice the memory of the model */
  TAMIS_LEARN_FOBOS               /* steps of learning_rate / sqrt(number of the sample), which has to be chosen. The
                                     memory of the model, and a number per feature */
} tamis_learner;

/* How tamis_stream_run ended. There is a usable model in any case but the last. */
typedef enum tamis_stream_end {
  TAMIS_STREAM_COMPLETE = 0,      /* all passes */
  TAMIS_STREAM_FAILED,            /* next or rewind said so */
  TAMIS_STREAM_SHORT_ROW,         /* a row without indices whose count is not the number of features */
  TAMIS_STREAM_EMPTY,             /* no sample in a pass */
  TAMIS_STREAM_NOT_BEGUN          /* tamis_stream_begin was refused */
} tamis_stream_end;

/* What `next` answers: 1 for a sample, 0 at the end, anything else when it failed. */
#define TAMIS_STREAM_SAMPLE 1
#define TAMIS_STREAM_LAST 0

/* Room for the state of a learner; see tamis_training. */
#define TAMIS_STREAM_WORDS 64

/* For float. */

/** What to learn. Set every field: start from tamis_default_stream_options. Pointers must stay valid. */
typedef struct tamis_stream_options_f32 {
  float lambda;             /**< >= 0 */
  float learning_rate;      /**< > 0; default 0.1; at most 6e15 in f32, 2e146 in f64 */
  float margin;             /**< NaN (default): 1, for TAMIS_LOGISTIC 0 */
  float l1_ratio;           /**< elastic net, sparse group: 0 ... 1; default 0.5 */
  uint32_t features;
  uint32_t classes;
  uint32_t intercept;       /**< 1 (default): one free intercept per class; 0: those of the model begun from, or none */
  uint32_t loss;            /**< tamis_loss */
  uint32_t penalty;         /**< tamis_penalty but TAMIS_REWEIGHTED_L1; default TAMIS_L1 */
  uint32_t learner;         /**< tamis_learner */
  uint32_t block;           /**< groups, as in tamis_problem */
  const uint32_t *group_order;
  const uint32_t *group_starts;
  uint32_t group_count;
  const float *from;        /**< coefficients of a model of this shape to go on from, outside the arena; NULL */
  uint32_t seen;            /**< (default): zero. And how many samples it has learned from; default 0 */
} tamis_stream_options_f32;

typedef struct tamis_stream_f32 {
  uint64_t words[TAMIS_STREAM_WORDS];
} tamis_stream_f32;

/** One sample for tamis_stream_run. */
typedef struct tamis_stream_sample_f32 {
  const float *values;
  const uint32_t *indices;  /**< of the features that values belong to, ascending; NULL: values holds all features */
  uint32_t count;           /**< of values; 0 with values NULL as well: a sample of zeros */
  uint16_t label;
  float weight;             /**< 1 unless `next` sets it */
} tamis_stream_sample_f32;

typedef struct tamis_stream_report_f32 {
  float learning_rate;      /**< step length of the next sample; of dual averaging the one given */
  float mean_loss;          /**< of samples before they were learned from; NaN before the first, infinite by overflow */
  float mean_error;         /**< share of wrong predictions of the same */
  uint32_t status;          /**< tamis_status of tamis_stream_begin */
  uint32_t last_refusal;    /**< tamis_status of the last sample refused; TAMIS_RUNNING: none was */
  uint32_t samples;         /**< learned from, `seen` included */
  uint32_t refused;
  uint32_t overflowed;      /**< of these: scores or gradients overflow, the learning rate is too large */
  uint32_t column;          /**< the feature at which the last refusal found a fault */
  uint32_t arena_bytes;
} tamis_stream_report_f32;

/** Fills in a sample, whose memory may be used until the next call; see TAMIS_STREAM_SAMPLE. */
typedef int (*tamis_stream_next_f32)(void *context, tamis_stream_sample_f32 *sample);
/** Back to the first sample: 1; 0 when it cannot. */
typedef int (*tamis_stream_rewind_f32)(void *context);

void tamis_default_stream_options_f32(tamis_stream_options_f32 *options);

/** Exact bytes of arena, whatever the number of samples; 0 for an unknown loss, penalty or learner. */
size_t tamis_stream_bytes_f32(const tamis_stream_options_f32 *options);

/** Checks the options and begins. TAMIS_RUNNING, or a refusal that has not touched the arena. */
tamis_status tamis_stream_begin_f32(tamis_stream_f32 *stream, const tamis_stream_options_f32 *options, void *arena,
                                    size_t arena_bytes);

/** Learns from one sample of all features. TAMIS_RUNNING; or why it was refused: it is counted, and the model is as it
 * was. */
tamis_status tamis_stream_update_f32(tamis_stream_f32 *stream, const float *values, uint16_t label, float weight);

/** The same with the values of some features, ascending; all others are zero. */
tamis_status tamis_stream_update_sparse_f32(tamis_stream_f32 *stream, const uint32_t *indices, const float *values,
                                            uint32_t count, uint16_t label, float weight);

/** Learns from all samples that next gives, `passes` times, with a rewind between passes; rewind may be NULL when
 * passes is 1. */
tamis_stream_end tamis_stream_run_f32(tamis_stream_f32 *stream, tamis_stream_next_f32 next,
                                      tamis_stream_rewind_f32 rewind, void *context, uint32_t passes);

/** The model so far: a view into the arena, valid until the next update. TAMIS_INVALID_SHAPE, and a model of 0
 * features, when tamis_stream_begin was refused. */
tamis_status tamis_stream_model_f32(tamis_stream_f32 *stream, tamis_model_f32 *model);

void tamis_stream_report_of_f32(const tamis_stream_f32 *stream, tamis_stream_report_f32 *report);

/* catalogue: double */
/* The same for double. */
typedef struct tamis_stream_options_f64 {
  double lambda;
  double learning_rate;
  double margin;
  double l1_ratio;
  uint32_t features;
  uint32_t classes;
  uint32_t intercept;
  uint32_t loss;
  uint32_t penalty;
  uint32_t learner;
  uint32_t block;
  const uint32_t *group_order;
  const uint32_t *group_starts;
  uint32_t group_count;
  const double *from;
  uint32_t seen;
} tamis_stream_options_f64;
typedef struct tamis_stream_f64 {
  uint64_t words[TAMIS_STREAM_WORDS];
} tamis_stream_f64;
typedef struct tamis_stream_sample_f64 {
  const double *values;
  const uint32_t *indices;
  uint32_t count;
  uint16_t label;
  double weight;
} tamis_stream_sample_f64;
typedef struct tamis_stream_report_f64 {
  double learning_rate;
  double mean_loss;
  double mean_error;
  uint32_t status;
  uint32_t last_refusal;
  uint32_t samples;
  uint32_t refused;
  uint32_t overflowed;
  uint32_t column;
  uint32_t arena_bytes;
} tamis_stream_report_f64;
typedef int (*tamis_stream_next_f64)(void *context, tamis_stream_sample_f64 *sample);
typedef int (*tamis_stream_rewind_f64)(void *context);
void tamis_default_stream_options_f64(tamis_stream_options_f64 *options);
size_t tamis_stream_bytes_f64(const tamis_stream_options_f64 *options);
tamis_status tamis_stream_begin_f64(tamis_stream_f64 *stream, const tamis_stream_options_f64 *options, void *arena,
                                    size_t arena_bytes);
tamis_status tamis_stream_update_f64(tamis_stream_f64 *stream, const double *values, uint16_t label, double weight);
tamis_status tamis_stream_update_sparse_f64(tamis_stream_f64 *stream, const uint32_t *indices, const double *values,
                                            uint32_t count, uint16_t label, double weight);
tamis_stream_end tamis_stream_run_f64(tamis_stream_f64 *stream, tamis_stream_next_f64 next,
                                      tamis_stream_rewind_f64 rewind, void *context, uint32_t passes);
tamis_status tamis_stream_model_f64(tamis_stream_f64 *stream, tamis_model_f64 *model);
void tamis_stream_report_of_f64(const tamis_stream_f64 *stream, tamis_stream_report_f64 *report);
/* end of catalogue */

#ifdef __cplusplus
}
#endif
#endif
