#include "tamis/tamis.hpp"
