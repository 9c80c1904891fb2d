#pragma once
/// A trained kernel expansion, with everything needed to use it again, and its JSON form.

#include <string>
#include <vector>

#include "model_record.hpp"
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

struct StoredKernels : ModelRecord {
  KeptExpansion model;
  int p = 0, q = 0, r = 0;
};

std::string to_json(const StoredKernels& model);

/// Throws DataError naming the file and what is wrong with it.
StoredKernels read_kernels(const ModelDocument& document);

/// Scores of the samples of a dense table, samples × classes: of two classes with one score its opposite and itself.
/// Throws DataError for a sample that a kernel has no finite value for.
std::vector<double> scores(const Table& table, const KernelExpansion<double>& model);

}  // namespace tamis::cli
