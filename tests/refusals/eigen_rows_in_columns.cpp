#include "tamis/eigen.hpp"

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
void train(const Rows& x, const Eigen::VectorXi& y, std::span<std::byte> memory) {
  tamis::Training<Eigen::MatrixXf, tamis::Hinge, tamis::L1>({.lambda = 0.1f}).fit(x, y, memory);
}
