#pragma once
/// A trained kernel expansion, with everything needed to use it again, and its JSON form.

#include <string>
#include <vector>

#include "problem.hpp"
#include "tamis/model/kernel_expansion.hpp"

namespace tamis::cli {

/// `linear`, `gaussian:0.1`, … Throws ArgumentError naming `option`.
Kernel<double> parse_kernel(const std::string& option, const std::string& text);

/// An expansion as the command keeps it: in double whatever the precision of training.
struct KeptExpansion {
  std::vector<Kernel<double>> kernels;
  std::vector<double> samples;  // by rows, as kernels see them
  std::vector<KernelTerm> terms;
  std::vector<double> coefficients, intercepts;
  std::vector<Index> origins;  // the samples' numbers in training
  std::size_t features = 0;

  KeptExpansion() = default;
  explicit KeptExpansion(const KernelExpansion<double>& from);
  std::size_t outputs() const { return intercepts.size(); }
  std::size_t classes() const { return outputs() == 1 ? 2 : outputs(); }
  KernelExpansion<double> view() const;
};

struct StoredKernels {
  std::vector<std::string> classes;
  std::vector<std::string> feature_names;  // one per feature, or none
  KeptExpansion model;
  double scale = 1;                                  // features are divided by it
  std::vector<ColumnScale<double>> standardisation;  // of features divided by the scale; none: not standardised
  int p = 0, q = 0, r = 0;
  double lambda = 0;
  std::string precision;
  std::uint32_t samples = 0;
  std::vector<std::vector<double>> self_test;  // training samples divided by the scale
};

std::string to_json(const StoredKernels& model);

class ModelDocument;
/// Throws DataError naming the file and what is wrong with it.
StoredKernels read_kernels(const ModelDocument& document);

/// The names that a file with a header must give the features.
std::vector<std::string> names_to_expect(const StoredKernels& model);

/// x ↦ (x − mean)/scale for each column of a dense table.
void standardise_by(Table& table, const std::vector<ColumnScale<double>>& columns);

/// Scores of the samples of a dense table, samples × classes: of two classes with one score its opposite and itself.
/// Throws DataError for a sample that a kernel has no finite value for.
std::vector<double> scores(const Table& table, const KernelExpansion<double>& model);

}  // namespace tamis::cli
