// Predicts the species of an iris. The model is iris.h, which was written on a workstation:
//   tamis train iris.csv --standardise --loss hinge --penalty l1 --lambda 0.02 --model iris.json
//   tamis export iris.json --format c --output iris.h
// iris_features lists the measurements that it reads: the others need not be taken.
#include "iris.h"

// Length and width of sepal and petal, in centimetres.
static const float flowers[3][IRIS_FEATURES] = {{5.1f, 3.5f, 1.4f, 0.2f}, {5.9f, 2.8f, 4.3f, 1.3f}, {6.6f, 3.0f, 5.6f, 2.1f}};

void setup() {
  Serial.begin(115200);
  while (!Serial) {
  }
  Serial.println(iris_self_test() == 0 ? "self-test passed" : "self-test FAILED");
  for (int i = 0; i < 3; ++i) Serial.println(iris_labels[iris_predict(flowers[i])]);
}

void loop() {}
