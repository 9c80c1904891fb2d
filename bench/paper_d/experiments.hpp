#pragma once
/// What the experiments of Kowalski et al. (2009) share: samples, kernels between them, models, paths,
/// cross-validation.

#include <limits>
#include <string>
#include <vector>

#include "../papers/common.hpp"
#include "fitting.hpp"
#include "tamis/model/kernel_expansion.hpp"
#include "tamis/selection/kernel_cross_validation.hpp"

namespace tamis::paper_d {

using namespace papers;
using cli::ArenaMemory;

/// What the command line says.
struct Run : papers::Run {
  double limit() const { return papers::Run::limit(2, 120); }  ///< of the printed solver
};

// ---- samples --------------------------------------------------------------------------------------------------------

/// Row by row.
struct Samples {
  std::vector<double> x;
  std::vector<Label> labels;
  Index count = 0, features = 0, classes = 2;

  SampleTable<double> table() const { return {x.data(), count, features, features, 1}; }
  Samples select(const std::vector<Index>& rows) const;
};

struct Parts {
  Samples train, test;
};

/// The numbers below `count` in an order drawn with the seed.
std::vector<Index> shuffled(Index count, std::uint64_t seed);

/// The first `train` samples in an order drawn with the seed, and `test` others.
Parts split(const Samples& all, Index train, Index test, std::uint64_t seed);

/// A labelled CSV file; labels are numbered in ascending order.
Samples read(const std::string& path);

/// FOLDER/FILE_train.csv.gz and FOLDER/FILE_test.csv.gz of TAMIS_DATA; says what is missing and returns no samples.
Parts read_parts(const Run& run, const std::string& name);

/// The 1797 handwritten digits that the tests keep, 64 intensities from 0 to 16.
Samples read_digits();

/// Intensities over their sum, times 8: xᵀx is about 2.5.
Samples histograms(Samples digits);
/// Of Gaussian kernels between them: the median distance of the pixels' is 1.27.
inline constexpr double histogram_width = 1.25;
/// The sums of the rows and of the columns of the 8 × 8 pixels, sixteen features.
Samples projections(const Samples& digits);

/// The 2201 people of the Titanic: class (1, 2, 3, crew), age and sex, of mean 0 and variance 1; label 1: survived.
Samples passengers();

// ---- kernels --------------------------------------------------------------------------------------------------------

using Kernels = std::vector<Kernel<double>>;

/// `gaussian:0.1` and the like, as the command has it; without commas.
std::string name_of(const Kernel<double>& kernel);

/// k_t(x_l, x) of all kernels and n training samples: feature t·n + l of the samples x, columns one after the other.
struct KernelValues {
  std::vector<double> values;
  Index samples = 0;  ///< that are compared with the training samples
  Index trained = 0;
  Index kernels = 0;

  DenseDesign<double> design() const { return {values.data(), samples, trained * kernels}; }
};
/// Throws where a value is not finite.
KernelValues compare(const Kernels& kernels, const Samples& train, const Samples& with);

// ---- tasks and models -----------------------------------------------------------------------------------------------

/// ‖·‖_{pq;r}^q/q as Kowalski et al. (2009) writes it.
struct Norm {
  const char* name;
  int p, q, r;
};
inline constexpr Norm norms[] = {{"2", 2, 2, 1},    {"1", 1, 1, 1},    {"21;2", 2, 1, 2},
                                 {"12;2", 1, 2, 2}, {"21;1", 2, 1, 1}, {"12;1", 1, 2, 1}};
inline constexpr Norm ridge = norms[0];

/// A copy of what a solver has found.
struct Model {
  std::vector<double> coefficients, intercepts;
  Index samples = 0, kernels = 0, outputs = 0;

  KernelCoefficients<double> view() const;
  /// One output: the score, else K of them, of each sample.
  std::vector<double> scores(const KernelValues& values) const;
};

/// The names of the kernels that have coefficients.
std::string kept_names(const Model& model, const Kernels& kernels);

/// Number of samples given another class than theirs.
Index errors(const std::vector<double>& scores, const std::vector<Label>& labels, Index outputs);

/// Training samples, the kernels between them, and whether there is a free intercept.
struct Task {
  const KernelValues& values;
  const std::vector<Label>& labels;
  Index classes = 2;
  bool intercept = false;

  Index outputs() const { return classes == 2 ? 1 : classes; }
};

/// One λ of a path.
struct Point {
  double lambda;  ///< in the paper's units, of sums over samples
  Model model;
  Report<double> report;
  double seconds;  ///< CPU time
};

/// Solves for each λ, given in descending order and in the paper's units, from where the one before has ended.
std::vector<Point> path(const Task& task, const Norm& norm, const std::vector<double>& lambdas, double gap);

/// Held-out errors of each λ, stratified folds dealt with the seed. Every fold takes the mean of its losses, with λ
/// over the number of all samples.
std::vector<HeldOut<double>> cross_validate(const Task& task, const Norm& norm, const std::vector<double>& lambdas,
                                            Index folds, std::uint64_t seed, double gap);

/// The λ of the least held-out error: of equal ones that of the least held-out loss.
std::size_t choose(const std::vector<HeldOut<double>>& measured);

/// From 10^high down to 10^low.
std::vector<double> descending(double low, double high, int per_decade);

void titanic(Run& run);
void banana(Run& run);
void digits(Run& run);
void speed(Run& run);

}  // namespace tamis::paper_d
