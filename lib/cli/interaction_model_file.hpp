#pragma once
/// A trained model with interactions, with everything needed to use it again, and its JSON form.

#include <limits>
#include <string>
#include <vector>

#include "model_record.hpp"
#include "problem.hpp"
#include "tamis/model/interaction_terms.hpp"

namespace tamis::cli {

/// Terms and intercepts as the command keeps them: in double whatever the precision of training.
struct KeptTerms {
  std::size_t features = 0;
  std::vector<InteractionTerm<double>> terms;  // in the order of InteractionTerms
  std::vector<double> intercepts;

  InteractionTerms<double> view() const {
    return {terms, intercepts.data(), static_cast<Index>(features), static_cast<Index>(intercepts.size())};
  }
  void round_to_float();
  /// The features that some term is of, ascending.
  std::vector<std::size_t> kept() const;
  /// The terms in x that have the scores of these in (x − mean)/scale: products bring forth main effects, and both
  /// shares of intercepts. Main effects of the size of rounding are left out.
  KeptTerms in_original_units(const std::vector<ColumnScale<double>>& by) const;
  /// The terms in x − mean that have the scores of these in x.
  KeptTerms around_means(const std::vector<ColumnScale<double>>& by) const;
};

/// Its record has "" for the names of features that are not kept.
struct StoredInteractions : ModelRecord {
  KeptTerms model;
  std::string hierarchy, norm;
  double lambda2 = std::numeric_limits<double>::quiet_NaN();  // NaN: there are no products

  /// Whether coefficients are floats: those in the units of the data are not those of the solver.
  bool in_float() const { return precision == "float" && standardisation.empty(); }
};

std::string to_json(const StoredInteractions& model);

/// Throws DataError naming the file and what is wrong with it.
StoredInteractions read_interactions(const ModelDocument& document);

/// Scores of the samples of a dense table, samples × K, in double.
std::vector<double> scores(const Table& table, const InteractionTerms<double>& model);

}  // namespace tamis::cli
