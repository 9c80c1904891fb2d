#pragma once
/// Everything one needs to train and predict in C++.

#include "any.hpp"
#include "arena.hpp"
#include "compatibility.hpp"
#include "concepts.hpp"
#include "design/dense.hpp"
#include "design/sparse.hpp"
#include "eigen.hpp"
#include "features/standardise.hpp"
#include "loss/hinge.hpp"
#include "loss/squared_hinge.hpp"
#include "model/export_c.hpp"
#include "model/linear.hpp"
#include "penalty/group.hpp"
#include "penalty/l1.hpp"
#include "penalty/ridge.hpp"
#include "training.hpp"
