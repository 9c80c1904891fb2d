#include "tamis/eigen.hpp"

auto look(const Eigen::SparseMatrix<float, Eigen::RowMajor>& x) { return tamis::design(x); }
