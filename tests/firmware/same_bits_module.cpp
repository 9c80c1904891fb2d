// The same-bits problems as functions of a WebAssembly module.
#include "same_bits_problems.hpp"
