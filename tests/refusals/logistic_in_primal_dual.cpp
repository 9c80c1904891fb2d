#include "tamis/penalty/l1.hpp"
#include "tamis/solver/primal_dual.hpp"

template class tamis::PrimalDual<float, tamis::Logistic, tamis::L1>;
