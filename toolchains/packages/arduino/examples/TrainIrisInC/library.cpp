// The C library, what this sketch uses of it: config.hpp beside tamis.inl says what can be chosen. A file of the sketch for
// each of the sources that it uses: c/tamis_stream.inl, c/tamis_device.inl …
#define TAMIS_ONLY_F32
#define TAMIS_DENSE_ONLY
#define TAMIS_C_SOLVERS PrimalDual
#define TAMIS_C_LOSSES hinge
#define TAMIS_C_PENALTIES l1
#include <c/tamis.inl>
