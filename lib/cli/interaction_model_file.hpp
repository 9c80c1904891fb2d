#pragma once
/// A trained model with interactions, with everything needed to use it again, and its JSON form.

#include <limits>
#include <string>
#include <vector>

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

/// Coefficients act on features divided by `scale`.
struct StoredInteractions {
  std::vector<std::string> classes;        // none: a regression
  std::vector<std::string> feature_names;  // one per feature, "" of those that are not kept; or none
  KeptTerms model;
  double scale = 1;
  std::vector<ColumnScale<double>> standardisation;  // per feature; none: not standardised
  std::string loss, hierarchy, norm, precision;
  double lambda = 0, lambda2 = std::numeric_limits<double>::quiet_NaN();  // NaN: there are no products
  std::uint32_t samples = 0;
  std::vector<std::vector<double>> self_test;  // training samples, all features (zero where not kept)

  bool regression() const { return classes.empty(); }
  /// Whether coefficients are floats: those in the units of the data are not those of the solver.
  bool in_float() const { return precision == "float" && standardisation.empty(); }
};

std::string to_json(const StoredInteractions& model);

class ModelDocument;
/// Throws DataError naming the file and what is wrong with it.
StoredInteractions read_interactions(const ModelDocument& document);

/// The names that a file with a header must give the features: those of kept features, "" for the others.
std::vector<std::string> names_to_expect(const StoredInteractions& model);

/// Interactions have no use for zeros that are left out.
void make_dense(Table& table);

/// Scores of the samples of a dense table, samples × K, in double.
std::vector<double> scores(const Table& table, const InteractionTerms<double>& model);

}  // namespace tamis::cli
