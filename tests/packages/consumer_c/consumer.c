/* Six samples of two features in three classes, trained on and predicted in C. */
#include <stdio.h>
#include <tamis.h>

static const float samples[] = {0.0f, 0.2f, 1.0f, 1.2f, 0.1f, 0.3f, 0.1f, 0.0f, 0.1f, 0.3f, 1.0f, 1.1f}; /* by columns */
static const uint16_t labels[] = {0, 0, 1, 1, 2, 2};
static union {
  double aligned[2];
  char bytes[4096];
} room;

int main(void) {
  const float reading[] = {1.1f, 0.2f};
  tamis_training_f32 run;
  tamis_report_f32 report;
  tamis_model_f32 model;
  tamis_problem_f32 problem;
  char *arena = room.bytes + (TAMIS_ALIGNMENT - (size_t)room.bytes % TAMIS_ALIGNMENT) % TAMIS_ALIGNMENT;

  tamis_default_problem_f32(&problem);
  problem.lambda = 0.02f;
  problem.samples = 6;
  problem.features = 2;
  problem.classes = 3;
  problem.values = samples;
  problem.labels = labels;
  if (tamis_training_bytes_f32(&problem) > sizeof room.bytes - TAMIS_ALIGNMENT) return 1;
  if (tamis_train_f32(&run, &problem, arena, sizeof room.bytes - TAMIS_ALIGNMENT, NULL, NULL) != TAMIS_CONVERGED)
    return 2;
  tamis_report_of_f32(&run, &report);
  if (!(report.relative_gap <= 1e-4f) || tamis_model_of_f32(&run, &model) != TAMIS_CONVERGED) return 3;
  if (tamis_predict_f32(&model, reading, 1) != 1) return 4;
  printf("tamis %s\n", tamis_version());
  return 0;
}
