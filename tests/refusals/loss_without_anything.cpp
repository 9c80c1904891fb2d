#include "tamis/penalty/l1.hpp"
#include "tamis/training.hpp"

struct Nothing {};
using Solver = tamis::DefaultSolver<float, Nothing, tamis::L1>;
