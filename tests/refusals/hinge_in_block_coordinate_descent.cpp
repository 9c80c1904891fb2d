#include "tamis/penalty/l1.hpp"
#include "tamis/solver/as_printed/block_coordinate_descent.hpp"

template class tamis::as_printed::BcdLineSearch<float, tamis::Hinge, tamis::L1>;
