#include "core.hpp"
#include "products.hpp"

TAMIS_CORE(template, float)
TAMIS_PRODUCTS(template, float)
