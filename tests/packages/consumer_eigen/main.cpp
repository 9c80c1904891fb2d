// Six samples of two features in three classes, in Eigen's matrices, trained on and predicted.
#include <cstddef>
#include <cstdio>

#include <tamis/eigen.hpp>
#include <tamis/tamis.hpp>
#include <tamis/version.hpp>

using Training = tamis::Training<Eigen::MatrixXf, tamis::Hinge, tamis::L1>;
alignas(Training::alignment) static std::byte memory[Training::bytes({.samples = 6, .features = 2, .classes = 3})];

int main() {
  Eigen::MatrixXf X(6, 2);
  X << 0.0f, 0.1f, 0.2f, 0.0f, 1.0f, 0.1f, 1.2f, 0.3f, 0.1f, 1.0f, 0.3f, 1.1f;
  Eigen::VectorXi y(6), labels(6);
  y << 0, 0, 1, 1, 2, 2;
  const auto fit = Training({.lambda = 0.02f}).fit(X, y, memory);
  if (fit.status != tamis::Status::converged) return 1;
  tamis::predict(fit.model, X, labels);
  if (labels != y) return 2;
  std::printf("tamis %s\n", tamis::version);
}
