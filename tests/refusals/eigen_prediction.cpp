#include "tamis/eigen.hpp"

tamis::Label classify(const tamis::LinearModel<float>& model, const Eigen::VectorXd& x) {
  return tamis::predict(model, x);
}
