#pragma once
/// What the shared library shows, before anything else of it is seen: the functions of its headers, and no others. The
/// solvers are those of tamis_core.

#pragma GCC visibility push(default)
#include "tamis.h"
#include "tamis_calibration.h"
#include "tamis_device.h"
#include "tamis_dynamic.h"
#include "tamis_features.h"
#include "tamis_interactions.h"
#include "tamis_kernels.h"
#include "tamis_sets.h"
#include "tamis_stability.h"
#include "tamis_stream.h"
#pragma GCC visibility pop

#include "core.hpp"
