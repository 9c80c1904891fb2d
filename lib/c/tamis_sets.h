#ifndef TAMIS_SETS_H
#define TAMIS_SETS_H
/*
 * Sets of labels from scores that rank, those of TAMIS_RANKING_SQUARED_HINGE: thresholds chosen after training. Beside
 * tamis.h, whose rules hold here as well; tamis_sets.cpp is compiled on its own, in any build, and programs without it
 * pay nothing.
 *
 * Class k belongs to a sample of scores z when z_k > <slopes, z> + offsets_k.
 */
#include "tamis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tamis_thresholds_kind {
  TAMIS_THRESHOLDS_LINEAR = 0, /* one for all classes of a sample, linear in its scores, by least squares to those that
                                  separate its labels best (Elisseeff and Weston, 2001) */
  TAMIS_THRESHOLDS_PER_CLASS   /* that of the largest F1 of each class; slopes are 0 (Fan and Lin, 2007) */
} tamis_thresholds_kind;

/* For float. */

/** Scores of samples and their sets, as in tamis_problem: sample i has scores[i * stride] and on, and the set of number
 * labels[i]. */
typedef struct tamis_scored_sets_f32 {
  const float *scores;
  const uint16_t *labels;        /**< one per sample: the number of its set */
  const uint32_t *set_starts;    /**< set_count + 1 positions: set y is set_starts[y] <= e < set_starts[y + 1] of */
  const uint16_t *set_members;   /**< these classes, ascending in each set */
  uint32_t set_count;            /**< 1 ... 65536 */
  uint32_t samples;
  uint32_t classes;              /**< 2 ... 65536 */
  uint32_t stride;               /**< >= classes */
} tamis_scored_sets_f32;

/** `classes` of each; may be kept anywhere. slopes NULL: 0. */
typedef struct tamis_thresholds_f32 {
  const float *slopes;
  const float *offsets;
  uint32_t classes;
} tamis_thresholds_f32;

/** Exact bytes of arena that choosing needs: 2 classes numbers, and (classes + 1)(classes + 3) more, rounded up, or an
 * index per sample. SIZE_MAX: more than can be addressed. 0 for an unknown kind. */
size_t tamis_thresholds_bytes_f32(uint32_t kind, uint32_t samples, uint32_t classes);

/** Chooses thresholds; they are then a view of the first bytes of the arena, aligned to TAMIS_ALIGNMENT. Cost samples *
 * classes^2, or samples * classes * log(samples). TAMIS_CONVERGED; otherwise a refusal, the arena is untouched and
 * thresholds->classes is 0: TAMIS_INVALID_OPTION for the kind, TAMIS_INVALID_SHAPE, TAMIS_INVALID_ARENA,
 * TAMIS_ARENA_TOO_SMALL, TAMIS_INVALID_LABEL for a number without a set of ascending classes, TAMIS_INVALID_DATA for a
 * score that is not finite. */
tamis_status tamis_choose_thresholds_f32(uint32_t kind, const tamis_scored_sets_f32 *scored, void *arena,
                                         size_t arena_bytes, tamis_thresholds_f32 *thresholds);

/** Writes the classes of the set of one sample's scores, ascending, at most `classes` of them, and returns how many.
 * Scores that are NaN belong to none. */
uint32_t tamis_set_of_f32(const tamis_thresholds_f32 *thresholds, const float *scores, uint16_t *labels);

/* catalogue: double */
/* The same for double. */
typedef struct tamis_scored_sets_f64 {
  const double *scores;
  const uint16_t *labels;
  const uint32_t *set_starts;
  const uint16_t *set_members;
  uint32_t set_count;
  uint32_t samples;
  uint32_t classes;
  uint32_t stride;
} tamis_scored_sets_f64;
typedef struct tamis_thresholds_f64 {
  const double *slopes;
  const double *offsets;
  uint32_t classes;
} tamis_thresholds_f64;
size_t tamis_thresholds_bytes_f64(uint32_t kind, uint32_t samples, uint32_t classes);
tamis_status tamis_choose_thresholds_f64(uint32_t kind, const tamis_scored_sets_f64 *scored, void *arena,
                                         size_t arena_bytes, tamis_thresholds_f64 *thresholds);
uint32_t tamis_set_of_f64(const tamis_thresholds_f64 *thresholds, const double *scores, uint16_t *labels);
/* end of catalogue */

#ifdef __cplusplus
}
#endif
#endif
