#include "tamis/eigen.hpp"

void train(const Eigen::MatrixXd& x, const Eigen::VectorXi& y, std::span<std::byte> memory) {
  tamis::Training<Eigen::MatrixXf, tamis::Hinge, tamis::L1>({.lambda = 0.1f}).fit(x, y, memory);
}
