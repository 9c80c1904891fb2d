#include "training.hpp"

template class TAMIS_COMMAND_TRAINING(double);
