#include "tamis/penalty/l1.hpp"
#include "tamis/training.hpp"

constexpr auto bytes =
    tamis::Training<float, tamis::Logistic, tamis::L1, tamis::With<tamis::PrimalDual>>::bytes({});
