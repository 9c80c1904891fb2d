#include "tamis/penalty/l1.hpp"
#include "tamis/training.hpp"

void train(const tamis::DenseDesign<double>& design, std::span<std::byte> memory) {
  tamis::Training<float, tamis::Hinge, tamis::L1>({.lambda = 0.1f}).run(design, {{}, 3}, memory);
}
