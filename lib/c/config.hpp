#pragma once
/// What the C library of linear models, devices and streams holds: everything but the published baselines, unless a
/// header tamis_config.h is on the include path of its sources, or options of CMake define the same. Programs in C need
/// not see it.
///
///     #define TAMIS_ONLY_F32                      float alone (TAMIS_ONLY_F64: double alone)
///     #define TAMIS_DENSE_ONLY                    no sparse samples
///     #define TAMIS_C_SOLVERS PrimalDual          these solvers, by the names of their types
///     #define TAMIS_C_LOSSES hinge                these losses and penalties, by the enumerators of catalogue.hpp
///     #define TAMIS_C_PENALTIES l1, ridge
///
/// What is left out is refused like what never was. TAMIS_AUTOMATIC falls back from TwoPhase to PrimalDual and from
/// BlockCoordinateDescent to Fista. Solvers that take none of the chosen losses are left out. tamis_device.h has those
/// of PrimalDual, Fista, ConstrainedPrimalDual and CrammerSingerDual that are chosen, or else what TAMIS_AUTOMATIC
/// falls back to.

#if __has_include(<tamis_config.h>)
#include <tamis_config.h>
#endif
