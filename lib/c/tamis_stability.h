#ifndef TAMIS_STABILITY_H
#define TAMIS_STABILITY_H
/*
 * Stability selection: which features a path keeps whichever half of the samples it sees, and how many of them are kept
 * by chance. Beside tamis.h, whose rules hold here as well; tamis_stability.cpp is compiled on its own, to be linked with
 * tamis.cpp, and programs without it pay nothing.
 *
 * The path is solved for both halves of random pairs. The selection is that of the units (features; or the blocks or
 * listed groups of the problem) whose frequency, the largest over the lambdas of the share of halves that keep them, is
 * at least a threshold above 1/2, 0.6 ... 0.9 as a rule. Of p units, at most q^2 / ((2 threshold - 1) p) expected ones in
 * it are false, where a half keeps q on average (Meinshausen and Buehlmann, 2010; Shah and Samworth, 2013).
 */
#include "tamis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tamis_stability_options {
  uint64_t seed;   /* of the halves; default 0 */
  uint32_t pairs;  /* of complementary halves, >= 1; default 50 */
} tamis_stability_options;

void tamis_default_stability_options(tamis_stability_options *options);

/* Room for the state of a run; see tamis_training. */
#define TAMIS_STABILITY_WORDS 312
#define TAMIS_ANY_POINT 0xffffffffu

/* For float. */

typedef struct tamis_stability_f32 {
  uint64_t words[TAMIS_STABILITY_WORDS];
} tamis_stability_f32;

/** What is known after some halves; all numbers are of these. */
typedef struct tamis_stability_progress_f32 {
  float selected;      /**< q: units that a half keeps at any lambda, on average */
  uint32_t halves;     /**< done, of 2 pairs */
  uint32_t half;       /**< at hand, or of a refusal; 2b and 2b + 1 complement one another */
  uint32_t units;      /**< features, or groups of the problem in their order */
  uint32_t status;     /**< tamis_status of the run */
} tamis_stability_progress_f32;

/** Called after each half; 0 stops the run. */
typedef int (*tamis_stability_observer_f32)(void *context, const tamis_stability_progress_f32 *progress);

/** Exact bytes of arena: those of the path, and 3 samples + points units numbers and 2 units bytes. SIZE_MAX and 0 as
 * in tamis_path_bytes. */
size_t tamis_stability_bytes_f32(const tamis_problem_f32 *problem, const tamis_grid_f32 *grid);

/** The same with room that makes some solvers faster: see tamis_fast_bytes. */
size_t tamis_stability_fast_bytes_f32(const tamis_problem_f32 *problem, const tamis_grid_f32 *grid, size_t entries,
                                      uint32_t active_limit);

/** Checks everything and begins with the first half. grid: with lambdas or a first one, the same for all halves (those
 * of the path on all samples, usually; one is enough); a half's path ends before models with more than max_features,
 * and keeps its last selection on. Each class is halved, up to one sample: TAMIS_MISSING_CLASS names a class
 * (report.column) with fewer than two samples, or without one of positive weight in a half. TAMIS_INVALID_LAMBDA for
 * a grid without a first lambda, TAMIS_INVALID_OPTION without pairs. Pointers as for tamis_path_start. */
tamis_status tamis_stability_start_f32(tamis_stability_f32 *run, const tamis_problem_f32 *problem,
                                       const tamis_grid_f32 *grid, const tamis_stability_options *options,
                                       void *arena, size_t arena_bytes);

/** Advances by up to `steps` iterations, each of bounded work. TAMIS_RUNNING: call again. TAMIS_CONVERGED: all halves
 * are done. */
tamis_status tamis_stability_step_f32(tamis_stability_f32 *run, uint32_t steps);

/** Starts and steps to the end. observe may be NULL; context is passed through to it. */
tamis_status tamis_stability_run_f32(tamis_stability_f32 *run, const tamis_problem_f32 *problem,
                                     const tamis_grid_f32 *grid, const tamis_stability_options *options,
                                     void *arena, size_t arena_bytes, tamis_stability_observer_f32 observe,
                                     void *context);

/** Ends the run with the halves that are done. */
void tamis_stability_stop_f32(tamis_stability_f32 *run);

void tamis_stability_progress_of_f32(const tamis_stability_f32 *run, tamis_stability_progress_f32 *progress);

/** The report of the half and lambda at hand, but with status, row and column of the run, and arena_bytes as what the
 * run asks for. */
void tamis_stability_report_f32(const tamis_stability_f32 *run, tamis_report_f32 *report);

/** The share of halves that keep a unit at a point of the grid, or, with TAMIS_ANY_POINT, the largest of them; 0 where
 * there is no such unit or point, or no half is done. */
float tamis_stability_frequency_f32(const tamis_stability_f32 *run, uint32_t unit, uint32_t point);

/** The bound of the expected number of false selections with a threshold, infinite up to 1/2; and the least threshold
 * with at most `most` of them, above 1 when there is none. NaN after a refusal. */
float tamis_stability_false_selections_f32(const tamis_stability_f32 *run, float threshold);
float tamis_stability_threshold_f32(const tamis_stability_f32 *run, float most);

/* catalogue: double */
/* The same for double. */
typedef struct tamis_stability_f64 {
  uint64_t words[TAMIS_STABILITY_WORDS];
} tamis_stability_f64;
typedef struct tamis_stability_progress_f64 {
  double selected;
  uint32_t halves;
  uint32_t half;
  uint32_t units;
  uint32_t status;
} tamis_stability_progress_f64;
typedef int (*tamis_stability_observer_f64)(void *context, const tamis_stability_progress_f64 *progress);
size_t tamis_stability_bytes_f64(const tamis_problem_f64 *problem, const tamis_grid_f64 *grid);
size_t tamis_stability_fast_bytes_f64(const tamis_problem_f64 *problem, const tamis_grid_f64 *grid, size_t entries,
                                      uint32_t active_limit);
tamis_status tamis_stability_start_f64(tamis_stability_f64 *run, const tamis_problem_f64 *problem,
                                       const tamis_grid_f64 *grid, const tamis_stability_options *options,
                                       void *arena, size_t arena_bytes);
tamis_status tamis_stability_step_f64(tamis_stability_f64 *run, uint32_t steps);
tamis_status tamis_stability_run_f64(tamis_stability_f64 *run, const tamis_problem_f64 *problem,
                                     const tamis_grid_f64 *grid, const tamis_stability_options *options,
                                     void *arena, size_t arena_bytes, tamis_stability_observer_f64 observe,
                                     void *context);
void tamis_stability_stop_f64(tamis_stability_f64 *run);
void tamis_stability_progress_of_f64(const tamis_stability_f64 *run, tamis_stability_progress_f64 *progress);
void tamis_stability_report_f64(const tamis_stability_f64 *run, tamis_report_f64 *report);
double tamis_stability_frequency_f64(const tamis_stability_f64 *run, uint32_t unit, uint32_t point);
double tamis_stability_false_selections_f64(const tamis_stability_f64 *run, double threshold);
double tamis_stability_threshold_f64(const tamis_stability_f64 *run, double most);
/* end of catalogue */

#ifdef __cplusplus
}
#endif
#endif
