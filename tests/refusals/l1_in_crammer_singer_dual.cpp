#include "tamis/penalty/l1.hpp"
#include "tamis/solver/crammer_singer_dual.hpp"

template class tamis::CrammerSingerDual<float, tamis::Hinge, tamis::L1>;
