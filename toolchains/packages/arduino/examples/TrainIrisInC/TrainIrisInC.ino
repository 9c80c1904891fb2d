// Trains a classifier of three species of iris on the board through the C interface; library.cpp has what is compiled of it.
#include <tamis.h>

#include "iris_table.hpp"

alignas(TAMIS_ALIGNMENT) static unsigned char arena[8192];
static tamis_training_f32 run;

void setup() {
  Serial.begin(115200);
  while (!Serial) {
  }
  tamis_problem_f32 problem;
  tamis_default_problem_f32(&problem);
  problem.samples = iris::samples, problem.features = iris::features, problem.classes = iris::classes;
  problem.values = iris::values, problem.labels = iris::labels;
  problem.lambda = 0.02f, problem.tolerance = 0.01f;
  problem.loss = TAMIS_HINGE, problem.penalty = TAMIS_L1;
  const tamis_status status = tamis_train_f32(&run, &problem, arena, sizeof arena, nullptr, nullptr);

  tamis_model_f32 model;
  int right = 0;
  if (tamis_model_of_f32(&run, &model) == TAMIS_CONVERGED)
    for (uint32_t i = 0; i < iris::samples; ++i)
      if (tamis_predict_f32(&model, iris::values + i, iris::samples) == iris::labels[i]) ++right;
  Serial.print(tamis_status_name(status));
  Serial.print(": ");
  Serial.print(right);
  Serial.print(" of ");
  Serial.print(int(iris::samples));
  Serial.print(" right, trained in ");
  Serial.print(int(sizeof arena));
  Serial.println(" bytes");
}

void loop() {}
