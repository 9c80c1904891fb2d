#pragma once
/// What the model files of all kinds have in common: the record that they keep. Its JSON is in model_document.hpp.

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/features/standardise.hpp"

namespace tamis::cli {

class ModelDocument;

/// What a model of any kind keeps beside its coefficients, which act on features divided by `scale`.
struct ModelRecord {
  std::vector<std::string> classes;        // none: a regression
  std::vector<std::string> feature_names;  // one per feature, "" where nothing is known of it; or none
  double scale = 1;
  double lambda = 0;          // NaN where it was not given
  std::uint32_t samples = 0;  // that it has learned from; 0: not known
  std::string loss, penalty, precision;
  std::vector<ColumnScale<double>> standardisation;  // per feature, after the division; none: not standardised
  std::vector<std::vector<double>> self_test;        // training samples, all columns (zero where not needed)

  bool regression() const { return classes.empty(); }
  std::string name_of(std::size_t feature) const {
    return feature_names.empty() ? "x" + std::to_string(feature) : feature_names[feature];
  }
};

/// The names that a file with a header must give the features, "" being anything.
std::vector<std::string> names_to_expect(const ModelRecord& model);

/// The double that prints as the shortest decimal of a float: JSON then shows the digits that matter, and reading it
/// back gives the same float.
double shortest(float value);

}  // namespace tamis::cli
