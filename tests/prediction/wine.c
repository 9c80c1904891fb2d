/* Predictors of wine: what `tamis export` writes (EXPORTED), the same by loops over the kept features as one writes them for
 * three classes, with the constants of the header (BY_HAND), or neither (NOTHING), which is what counting costs itself.
 * INTEGERS: the header is of integers, and a sensor is taken to give the counts. SELF_TEST: with the self-test. */
#include "predictor.h"
#include "wine.h"

#ifdef INTEGERS
int16_t kept[WINE_KEPT]; /* not static: prepared for whatever reads it */
void prepare(const float *sample) {
  int j;
  for (j = 0; j < WINE_KEPT; ++j) kept[j] = wine_count(sample[wine_features[j]], j);
}
#define PREDICT() wine_predict_kept(kept)
#define VALUE(j) kept[j]
typedef int32_t score;
#else
const float *sample;
void prepare(const float *s) { sample = s; }
#define PREDICT() wine_predict(sample)
#define VALUE(j) sample[wine_features[j]]
typedef float score;
#endif

int predict(void) {
#if defined(EXPORTED)
  return PREDICT();
#elif defined(BY_HAND)
  score a = wine_intercepts[0], b = wine_intercepts[1], c = wine_intercepts[2];
  for (int j = 0; j < WINE_KEPT; ++j) {
    const score x = VALUE(j);
    a += x * wine_weights[j][0];
    b += x * wine_weights[j][1];
    c += x * wine_weights[j][2];
  }
  if (b > a) return c > b ? 2 : 1;
  return c > a ? 2 : 0;
#else
  return 0;
#endif
}

int self_test(void) {
#ifdef SELF_TEST
  return wine_self_test();
#else
  return 0;
#endif
}
