#include "core.hpp"
#include "products.hpp"

TAMIS_CORE(template, double)
TAMIS_PRODUCTS(template, double)
