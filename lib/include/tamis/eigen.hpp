#pragma once
/// Doors to and from Eigen: training, predictions and selection of linear models, of products of features and of
/// kernels, and features, each a view or a thin call over what the library has beside.

#include "catalogue.hpp"
#include "eigen/design.hpp"
#include "eigen/features.hpp"
#include "eigen/interactions.hpp"
#include "eigen/kernels.hpp"
#include "eigen/models.hpp"
#include "eigen/selection.hpp"
#include "eigen/training.hpp"
