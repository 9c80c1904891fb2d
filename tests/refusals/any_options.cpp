#include "tamis/profile.hpp"
#include "tamis/tamis.hpp"
