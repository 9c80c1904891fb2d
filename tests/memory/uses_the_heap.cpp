// Not part of the library: shows that the symbol check finds a heap where there is one.
#include <Eigen/Core>

void multiply(const double* a, const double* b, double* c, int n) {
  using Matrix = Eigen::MatrixXd;
  Eigen::Map<Matrix>(c, n, n).noalias() = Eigen::Map<const Matrix>(a, n, n) * Eigen::Map<const Matrix>(b, n, n);
}
