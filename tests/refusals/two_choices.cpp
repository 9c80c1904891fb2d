#include "tamis/penalty/l1.hpp"
#include "tamis/training.hpp"

constexpr auto bytes =
    tamis::Training<float, tamis::Hinge, tamis::L1, tamis::Smallest, tamis::With<tamis::TwoPhase>>::bytes({});
