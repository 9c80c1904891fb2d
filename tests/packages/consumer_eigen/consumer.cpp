// Written from lib/docs/cpp.md: λ by a path, training and prediction on Eigen's matrices.
#include <cstddef>
#include <cstdio>
#include <tamis/eigen.hpp>
#include <tamis/version.hpp>
#include <vector>

int main() {
  Eigen::MatrixXf X(6, 2);
  X << 0.0f, 0.1f, 0.2f, 0.0f, 1.0f, 0.1f, 1.2f, 0.3f, 0.1f, 1.0f, 0.3f, 1.1f;
  const Eigen::VectorXi y = (Eigen::VectorXi(6) << 0, 0, 1, 1, 2, 2).finished();
  constexpr tamis::Shape shape{.samples = 6, .features = 2, .classes = 3};

  using Training = tamis::Training<Eigen::MatrixXf, tamis::SquaredHinge, tamis::GroupL2>;
  std::vector<std::byte> memory(tamis::path_bytes<Training>(shape));
  float lambda = 0;
  const auto path = tamis::fit_path(Training({}), X, y, {.points = 10}, memory, [&](const auto& point) {
    lambda = point.lambda();
    return point.report().nonzero_rows < 2;
  });
  if (!has_model(path.status) || !(lambda > 0)) return 1;

  const auto fit = Training({.lambda = lambda}).fit(X, y, memory);
  Eigen::VectorXi labels(6);
  if (tamis::predict(fit.model, X, labels) != tamis::Status::converged || labels != y) return 1;
  if ((tamis::coefficients(fit.model).rowwise().norm().array() > 0).count() != 2) return 1;
  std::printf("tamis %s\n", tamis::version);
}
