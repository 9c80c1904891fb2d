#include "tamis/solver/primal_dual.hpp"

struct Half {
  template <class T>
  T value(tamis::Rows<const T>) const {
    return T(0);
  }
};
template class tamis::PrimalDual<float, tamis::Hinge, Half>;
