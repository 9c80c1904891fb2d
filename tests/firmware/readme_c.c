/* The examples of README.md in C as they stand there: with README_WINE that of an exported header, otherwise that of tamis.h. */
#ifdef README_WINE

#include "wine.h"

#include <stdio.h>

void show(const float *sample) {
#include "wine_snippet.hpp"
}

#else

#include <stdint.h>
#include <tamis.h>

int classify(const float *samples, const uint16_t *labels, const float *reading) {
  static unsigned char arena[4096] __attribute__((aligned(TAMIS_ALIGNMENT)));
  static tamis_training_f32 run; /* the most that the caller gives beside the arena */
  tamis_problem_f32 problem;
  tamis_model_f32 model;
  int label = -1;
#include "c_first_snippet.hpp"
  return label;
}

#endif
