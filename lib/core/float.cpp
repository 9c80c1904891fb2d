#include "core.hpp"

TAMIS_CORE(template, float)
TAMIS_PRODUCTS(template, float)
