#include "tamis/design/quantised.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/solver/block_coordinate_descent.hpp"

template class tamis::BlockCoordinateDescent<float, tamis::SquaredHinge, tamis::L1,
                                             tamis::QuantisedDesign<float, std::int16_t>>;
