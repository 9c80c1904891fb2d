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

#define TAMIS_FEATURES_DECLARE(REAL, S)                                                                                  \
  typedef struct tamis_scattering_##S {                                                                                  \
    uint64_t words[TAMIS_SCATTERING_WORDS];                                                                              \
  } tamis_scattering_##S;                                                                                                \
  typedef struct tamis_signal_scattering_##S {                                                                           \
    uint64_t words[TAMIS_SCATTERING_WORDS];                                                                              \
  } tamis_signal_scattering_##S;                                                                                         \
                                                                                                                         \
  /* Exact bytes of arena, the same on every target: 28 x 28 pixels with the defaults need 152 KB in float. SIZE_MAX     \
   * for options that are refused, or for more than can be addressed. */                                                 \
  size_t tamis_scattering_bytes_##S(const tamis_scattering_options *options);                                            \
  size_t tamis_signal_scattering_bytes_##S(const tamis_signal_scattering_options *options);                              \
                                                                                                                         \
  /* Checks the options and makes the filters, once for all images. arena: so many bytes, aligned to TAMIS_ALIGNMENT,    \
   * in use until the last transform. TAMIS_RUNNING, or a refusal. options may be discarded afterwards. */               \
  tamis_status tamis_scattering_start_##S(tamis_scattering_##S *scattering, const tamis_scattering_options *options,     \
                                          void *arena, size_t arena_bytes);                                              \
  tamis_status tamis_signal_scattering_start_##S(tamis_signal_scattering_##S *scattering,                                \
                                                 const tamis_signal_scattering_options *options, void *arena,            \
                                                 size_t arena_bytes);                                                    \
                                                                                                                         \
  /* One image of height * width pixels, row by row, into `count` = tamis_scattering_coefficients values; a signal of    \
   * length entries likewise. TAMIS_RUNNING: ready for the next; TAMIS_INVALID_SHAPE for other counts or NULL,           \
   * TAMIS_INVALID_DATA for a value that is not finite. 28 x 28 pixels take about 3 million operations. */               \
  tamis_status tamis_scattering_transform_##S(tamis_scattering_##S *scattering, const REAL *image, size_t pixels,        \
                                              REAL *out, size_t count);                                                  \
  tamis_status tamis_signal_scattering_transform_##S(tamis_signal_scattering_##S *scattering, const REAL *signal,        \
                                                     size_t entries, REAL *out, size_t count);                           \
                                                                                                                         \
  /* How the last call ended: row and column of the pixel, column of the entry of a signal. */                           \
  void tamis_scattering_refusal_of_##S(const tamis_scattering_##S *scattering, tamis_features_refusal *refusal);         \
  void tamis_signal_scattering_refusal_of_##S(const tamis_signal_scattering_##S *scattering,                             \
                                              tamis_features_refusal *refusal);

TAMIS_FEATURES_DECLARE(float, f32)
TAMIS_FEATURES_DECLARE(double, f64)
#undef TAMIS_FEATURES_DECLARE

#ifdef __cplusplus
}
#endif
#endif
