#pragma once
/// From tables as read to what a solver takes: classes, designs, splits, standardised columns.

#include <string>
#include <vector>

#include "data.hpp"
#include "tamis/any_multilabel.hpp"
#include "tamis/features/standardise.hpp"

namespace tamis::cli {

/// The distinct labels, numbers in numeric order before words in alphabetical order.
std::vector<std::string> class_names(const std::vector<std::string>& labels);

/// The number of each label within `classes`. Throws DataError naming file and line for a label that is not among them.
std::vector<Label> encode(const Table& table, const std::vector<std::string>& classes);

/// The same, with `classes.size()` for a label that is not among them.
std::vector<Label> encode_known(const Table& table, const std::vector<std::string>& classes);

/// The classes of a sample that may have several, ascending; `unknown` of its labels were not trained on.
struct LabelSet {
  std::vector<Label> classes;
  std::size_t unknown = 0;
};
std::vector<LabelSet> encode_sets(const Table& table, const std::vector<std::string>& classes);

/// The distinct sets, in the order of their classes: what LabelSets is a view of.
struct LabelSetList {
  std::vector<Index> starts{0};
  std::vector<Label> members;

  LabelSets view() const { return {starts.data(), members.data(), static_cast<Index>(starts.size() - 1)}; }
};
/// Lists the distinct sets of samples and numbers them: `labels` become those numbers. False when there are more than
/// 65536.
bool list_sets(const std::vector<LabelSet>& samples, LabelSetList& list, std::vector<Label>& labels);

/// The given rows of a table, in that order.
Table select_rows(const Table& table, const std::vector<std::size_t>& rows);

/// Fills in the zeros that a sparse table leaves out.
void make_dense(Table& table);

/// Row numbers held out and kept: `fraction` of each class, drawn with the seed, both in file order.
struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
};
Split hold_out(const std::vector<std::string>& labels, double fraction, std::uint64_t seed);

/// Standardises the columns in place, or maps each to [0, 1]. Sparse tables are scaled only, which with a free
/// intercept is the same problem up to the intercepts. Means (least values) and scales are returned; `offset` is what
/// was really subtracted.
struct Standardisation {
  std::vector<ColumnScale<double>> columns;
  bool centred = true;
  bool min_max = false;  // the columns hold least values and ranges
  double offset(std::size_t feature) const { return centred ? columns[feature].mean : 0; }
};
Standardisation standardise(Table& table);
Standardisation scale_to_unit_range(Table& table);
/// x ↦ (x − mean)/scale for each column of a dense table.
void standardise_by(Table& table, const std::vector<ColumnScale<double>>& columns);

/// Coefficients as the command keeps them: one row of K per feature, in double whatever the precision of training.
struct Coefficients {
  std::size_t features = 0;
  std::size_t classes = 0;
  std::vector<double> weights;     // features × classes
  std::vector<double> intercepts;  // classes

  double weight(std::size_t feature, std::size_t label) const { return weights[feature * classes + label]; }
  bool uses(std::size_t feature) const;
  Index nonzeros() const;
  Index kept() const;
  /// Coefficients that give on original columns what these give on standardised ones, and back.
  Coefficients in_original_units(const Standardisation& by) const;
  Coefficients in_standardised_units(const Standardisation& by) const;
};

/// The samples of a table, which must stay, in the precision of the solver. Designs and their products are compiled
/// once, in problem.cpp.
template <class T>
class Samples {
 public:
  explicit Samples(const Table& table);
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  const AnyDesign<T>& design() const { return any_; }
  std::size_t bytes() const { return entries_ * sizeof(T); }

 private:
  std::size_t entries_;
  std::vector<T> values_;  // where the precision is not that of the table
  const T* numbers_;
  DenseDesign<T> dense_;
  SparseDesign<T> sparse_;
  AnyDesign<T> any_;
};

/// Scores of all samples, samples × K, computed in T as the library does.
template <class T>
std::vector<double> scores(const Table& table, const Coefficients& coefficients);
/// Σ cᵢℓᵢ of the logistic loss at scores, samples × K.
double logistic_loss(const Targets<double>& targets, const std::vector<double>& scores);

/// The class of each row of scores: the first of the largest.
std::vector<Label> decide(const std::vector<double>& scores, std::size_t classes);

}  // namespace tamis::cli
