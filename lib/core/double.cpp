#include "core.hpp"

TAMIS_CORE(template, double)
TAMIS_PRODUCTS(template, double)
