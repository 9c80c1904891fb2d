#ifndef TAMIS_FEATURES_H
#define TAMIS_FEATURES_H
/*
 * Features of images, signals and text, in a fixed piece of memory: what models are trained with where pixels, sensor
 * values or words tell too little by themselves. Beside tamis.h, whose rules hold here as well; tamis_features.cpp is
 * compiled on its own, and programs without it pay nothing.
 */
#include "tamis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call was refused; TAMIS_RUNNING when the last one was accepted. Nothing is written by a call that is refused. */
typedef struct tamis_features_refusal {
  uint32_t status;       /* tamis_status */
  uint32_t row, column;  /* of the value that is not finite, or 0 */
  const char *sentence;  /* what is wrong, and what to do; NULL when nothing is */
} tamis_features_refusal;

/* ---- the scattering transform of images: means of the moduli of wavelet coefficients, which shifts and small
 * deformations change little. Images of 28 x 28 pixels have 81 maps of 7 x 7 values by default. ---- */

/* Set every field: start from tamis_default_scattering_options. */
typedef struct tamis_scattering_options {
  uint32_t height, width;  /* of the images: multiples of 2^scales, at most 16384; default 0 */
  uint32_t scales;         /* 1 ... 8: means are taken over about 2^scales pixels; default 2 */
  uint32_t orientations;   /* 1 ... 64 of each wavelet; default 8 */
  uint32_t order;          /* 0: means alone; 1: of wavelets; 2 (default): of wavelets of wavelets, too */
  uint32_t oversampling;   /* maps have a value at every 2^(scales - oversampling)-th pixel each way; default 0 */
  uint32_t by_position;    /* 1: all maps' values of a position stand together; 0 (default): map after map */
} tamis_scattering_options;

/* The same of signals. */
typedef struct tamis_signal_scattering_options {
  uint32_t length;         /* of the signals: from 2^scales to 2^24; default 0 */
  uint32_t scales;         /* 1 ... 16: means are taken over about 2^scales entries; default 4 */
  uint32_t per_octave;     /* 1 ... 32 wavelets for each octave; default 1 */
  uint32_t order;          /* 0, 1 or 2, as above; default 2 */
  uint32_t oversampling;   /* a value at every 2^(scales - oversampling)-th entry; default 0 */
  uint32_t by_position;    /* 1: all values of a position stand together; 0 (default): line after line */
} tamis_signal_scattering_options;

void tamis_default_scattering_options(tamis_scattering_options *options);
void tamis_default_signal_scattering_options(tamis_signal_scattering_options *options);

/* What is wrong with options, and what to do, in one sentence; NULL when nothing is. */
const char *tamis_scattering_sentence(const tamis_scattering_options *options);
const char *tamis_signal_scattering_sentence(const tamis_signal_scattering_options *options);

/* How many maps, or lines, there are, and values of all of them; 0 for options that are refused. */
uint32_t tamis_scattering_maps(const tamis_scattering_options *options);
size_t tamis_scattering_coefficients(const tamis_scattering_options *options);
uint32_t tamis_signal_scattering_lines(const tamis_signal_scattering_options *options);
size_t tamis_signal_scattering_coefficients(const tamis_signal_scattering_options *options);

/* Room for the state of a transform; see tamis_training. Points into the arena. */
#define TAMIS_SCATTERING_WORDS 80

/* ---- windows over the readings of sensors. Of each channel: mean, deviation, energy (mean square), how often the
 * readings cross their mean, and the powers of `bands` bands, which add up to the variance ---- */

typedef struct tamis_windows_options {
  uint32_t length;         /* readings in a window, 1 ... 2^24; default 0 */
  uint32_t hop;            /* readings from the start of a window to that of the next, >= 1; default 0 */
  uint32_t channels;       /* values of each reading, 1 ... 65536; default 1 */
  uint32_t bands;          /* of equal width, up to half of the sampling frequency; at most length/2; default 0 */
} tamis_windows_options;

void tamis_default_windows_options(tamis_windows_options *options);
const char *tamis_windows_sentence(const tamis_windows_options *options);
/* channels (4 + bands); 0 for options that are refused. */
size_t tamis_windows_features(const tamis_windows_options *options);

/* Room for the state of windows; see tamis_training. Points into the arena. */
#define TAMIS_WINDOWS_WORDS 24

/* ---- feature hashing: lines of text as sparse samples of 2^bits features, without a vocabulary. Words are ASCII letters
 * and digits, and all bytes of UTF-8 sequences, in lower case; the numbers are those of scikit-learn's FeatureHasher.
 * ---- */

typedef enum tamis_sample_norm {
  TAMIS_SAMPLE_NORM_NONE = 0,  /* samples as they are */
  TAMIS_SAMPLE_NORM_L1,        /* sum of absolute values */
  TAMIS_SAMPLE_NORM_L2,        /* root of the sum of squares */
  TAMIS_SAMPLE_NORM_MAX        /* largest absolute value */
} tamis_sample_norm;

typedef struct tamis_hashing_options {
  uint32_t bits;           /* 1 ... 24; default 18 */
  uint32_t ngrams;         /* a term has 1 ... so many words, at most 8; default 1 */
  uint32_t alternating;    /* 1 (default): a term counts 1 or -1, as its hash says; 0: 1 */
  uint32_t sublinear;      /* 1: a total c becomes sign(c) (1 + ln |c|); default 0 */
  uint32_t norm;           /* tamis_sample_norm that samples are divided by; default TAMIS_SAMPLE_NORM_L2 */
} tamis_hashing_options;

void tamis_default_hashing_options(tamis_hashing_options *options);
const char *tamis_hashing_sentence(const tamis_hashing_options *options);

/* How many terms a line has, repeated ones each time: the room that its row needs. */
size_t tamis_count_terms(const char *line, size_t bytes, uint32_t ngrams);

/* For float. */

typedef struct tamis_scattering_f32 {
  uint64_t words[TAMIS_SCATTERING_WORDS];
} tamis_scattering_f32;
typedef struct tamis_signal_scattering_f32 {
  uint64_t words[TAMIS_SCATTERING_WORDS];
} tamis_signal_scattering_f32;

/** Exact bytes of arena, the same on every target: 28 x 28 pixels with the defaults need 152 KB in float. SIZE_MAX
 * for options that are refused, or for more than can be addressed. */
size_t tamis_scattering_bytes_f32(const tamis_scattering_options *options);
size_t tamis_signal_scattering_bytes_f32(const tamis_signal_scattering_options *options);

/** Checks the options and makes the filters, once for all images. arena: so many bytes, aligned to TAMIS_ALIGNMENT,
 * in use until the last transform. TAMIS_RUNNING, or a refusal. options may be discarded afterwards. */
tamis_status tamis_scattering_start_f32(tamis_scattering_f32 *scattering, const tamis_scattering_options *options,
                                        void *arena, size_t arena_bytes);
tamis_status tamis_signal_scattering_start_f32(tamis_signal_scattering_f32 *scattering,
                                               const tamis_signal_scattering_options *options, void *arena,
                                               size_t arena_bytes);

/** One image of height * width pixels, row by row, into `count` = tamis_scattering_coefficients values; a signal of
 * length entries likewise. TAMIS_RUNNING: ready for the next; TAMIS_INVALID_SHAPE for other counts or NULL,
 * TAMIS_INVALID_DATA for a value that is not finite. 28 x 28 pixels take about 3 million operations. */
tamis_status tamis_scattering_transform_f32(tamis_scattering_f32 *scattering, const float *image, size_t pixels,
                                            float *out, size_t count);
tamis_status tamis_signal_scattering_transform_f32(tamis_signal_scattering_f32 *scattering, const float *signal,
                                                   size_t entries, float *out, size_t count);

/** How the last call ended: row and column of the pixel, column of the entry of a signal. */
void tamis_scattering_refusal_of_f32(const tamis_scattering_f32 *scattering, tamis_features_refusal *refusal);
void tamis_signal_scattering_refusal_of_f32(const tamis_signal_scattering_f32 *scattering,
                                            tamis_features_refusal *refusal);

typedef struct tamis_windows_f32 {
  uint64_t words[TAMIS_WINDOWS_WORDS];
} tamis_windows_f32;

/** Exact bytes of arena: length channels numbers, with bands 6 length more. SIZE_MAX for options that are refused. */
size_t tamis_windows_bytes_f32(const tamis_windows_options *options);

/** Begins without readings. arena: so many bytes, aligned to TAMIS_ALIGNMENT, in use as long as readings come.
 * TAMIS_RUNNING, or a refusal. */
tamis_status tamis_windows_start_f32(tamis_windows_f32 *windows, const tamis_windows_options *options, void *arena,
                                     size_t arena_bytes);

/** Forgets the readings. */
void tamis_windows_restart_f32(tamis_windows_f32 *windows);

/** One value for each channel. TAMIS_RUNNING; or a refusal (TAMIS_INVALID_DATA, the column is the channel), and the
 * reading is as if it had not come. */
tamis_status tamis_windows_push_f32(tamis_windows_f32 *windows, const float *reading, uint32_t channels);

/** 1 where a window ends with the last reading, else 0. */
int tamis_windows_ready_f32(const tamis_windows_f32 *windows);

/** The window that ends with the last reading, channel after channel, into `count` = tamis_windows_features values.
 * TAMIS_RUNNING; TAMIS_INVALID_DATA where none does. */
tamis_status tamis_windows_features_of_f32(tamis_windows_f32 *windows, float *out, size_t count);

void tamis_windows_refusal_of_f32(const tamis_windows_f32 *windows, tamis_features_refusal *refusal);

/** One line into the features that are not zero, ascending, and their values, *count of them; both have room for
 * `room` entries, tamis_count_terms(line, bytes, ngrams) at least. TAMIS_RUNNING; TAMIS_INVALID_OPTION or
 * TAMIS_ARENA_TOO_SMALL, and *count is 0. A line without words has no entries. */
tamis_status tamis_hash_line_f32(const tamis_hashing_options *options, const char *line, size_t bytes,
                                 uint32_t *features, float *values, size_t room, uint32_t *count);

/* catalogue: double */
/* The same for double. */
typedef struct tamis_scattering_f64 {
  uint64_t words[TAMIS_SCATTERING_WORDS];
} tamis_scattering_f64;
typedef struct tamis_signal_scattering_f64 {
  uint64_t words[TAMIS_SCATTERING_WORDS];
} tamis_signal_scattering_f64;
size_t tamis_scattering_bytes_f64(const tamis_scattering_options *options);
size_t tamis_signal_scattering_bytes_f64(const tamis_signal_scattering_options *options);
tamis_status tamis_scattering_start_f64(tamis_scattering_f64 *scattering, const tamis_scattering_options *options,
                                        void *arena, size_t arena_bytes);
tamis_status tamis_signal_scattering_start_f64(tamis_signal_scattering_f64 *scattering,
                                               const tamis_signal_scattering_options *options, void *arena,
                                               size_t arena_bytes);
tamis_status tamis_scattering_transform_f64(tamis_scattering_f64 *scattering, const double *image, size_t pixels,
                                            double *out, size_t count);
tamis_status tamis_signal_scattering_transform_f64(tamis_signal_scattering_f64 *scattering, const double *signal,
                                                   size_t entries, double *out, size_t count);
void tamis_scattering_refusal_of_f64(const tamis_scattering_f64 *scattering, tamis_features_refusal *refusal);
void tamis_signal_scattering_refusal_of_f64(const tamis_signal_scattering_f64 *scattering,
                                            tamis_features_refusal *refusal);
typedef struct tamis_windows_f64 {
  uint64_t words[TAMIS_WINDOWS_WORDS];
} tamis_windows_f64;
size_t tamis_windows_bytes_f64(const tamis_windows_options *options);
tamis_status tamis_windows_start_f64(tamis_windows_f64 *windows, const tamis_windows_options *options, void *arena,
                                     size_t arena_bytes);
void tamis_windows_restart_f64(tamis_windows_f64 *windows);
tamis_status tamis_windows_push_f64(tamis_windows_f64 *windows, const double *reading, uint32_t channels);
int tamis_windows_ready_f64(const tamis_windows_f64 *windows);
tamis_status tamis_windows_features_of_f64(tamis_windows_f64 *windows, double *out, size_t count);
void tamis_windows_refusal_of_f64(const tamis_windows_f64 *windows, tamis_features_refusal *refusal);
tamis_status tamis_hash_line_f64(const tamis_hashing_options *options, const char *line, size_t bytes,
                                 uint32_t *features, double *values, size_t room, uint32_t *count);
/* end of catalogue */

#ifdef __cplusplus
}
#endif
#endif
