#include "tamis/penalty/l1.hpp"
#include "tamis/solver/fista.hpp"

#ifdef CONTROL
using Loss = tamis::SquaredHinge;
#else
using Loss = tamis::Hinge;
#endif
template class tamis::Fista<float, Loss, tamis::L1>;
