#include "core.hpp"

TAMIS_CORE(template, double)
