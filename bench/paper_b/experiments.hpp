#pragma once
/// What the experiments of Blondel et al. (2013) share: data and splits, algorithms that are timed step by step.

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../papers/common.hpp"

namespace tamis::paper_b {

using namespace papers;

/// What the command line says.
struct Run : papers::Run {
  double limit() const { return papers::Run::limit(20, 300); }
  std::size_t splits() const { return quick ? 1 : number(1, 3); }
};

// ---- data -----------------------------------------------------------------------------------------------------------

/// Samples of a data set, all features scaled, and where its path of λ begins: it ends at a hundredth of that.
struct DataSet {
  std::string name;
  double highest_lambda;
  Labelled samples;
};

/// The data sets of the command line, one after another, each as soon as it is read; says what is missing.
void for_each_data_set(const Run& run, const std::function<void(const DataSet&)>& visit);

/// 4/5 of each class to train on and 1/5 to test on.
struct Split {
  Split(const DataSet& data, std::uint64_t seed);

  std::unique_ptr<Problem> train;
  std::unique_ptr<TestSamples> test;

 private:
  Split(const DataSet& data, const cli::Split& rows);
};

// ---- models ---------------------------------------------------------------------------------------------------------

/// (1/n) Σ ℓᵢ + λ Σ_j ‖W_j‖, from scores computed anew, without a solver's help.
double objective(const Problem& problem, LossKind loss, double lambda, const Coefficients& model);
double nonzero_row_percentage(const Coefficients& model);

// ---- algorithms -----------------------------------------------------------------------------------------------------

/// A run that is made in steps, so that the time of the steps alone can be taken.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual bool start() = 0;
  virtual bool step() = 0;
  /// Whether `model` has changed since it was last asked for.
  virtual bool has_news() const = 0;
  /// The model at hand; what finds it out leaves no trace in the run.
  virtual Coefficients model() = 0;
  virtual double passes() const = 0;  ///< iterations; of FOBOS how often it has seen all samples
  virtual Report<double> report() const = 0;
};

/// How an algorithm is asked to end by itself.
struct Ending {
  double threshold = 1e-300;  ///< of the printed solvers' own rules; block coordinate descent: equation (10)
  double gap = 1e-7;          ///< of block-coordinate-descent, certified
  std::uint32_t passes = std::numeric_limits<std::uint32_t>::max();
  bool shrinking = false;  ///< of block coordinate descent as printed: rows that are likely to stay zero are left out
};

/// One of the seven solvers with Ω = ℓ1/ℓ2 and without intercepts; for other losses than the squared hinge there are
/// those of block coordinate descent. FOBOS chooses its learning rate here.
std::unique_ptr<Algorithm> make_algorithm(SolverKind solver, LossKind loss, const Problem& problem, double lambda,
                                          const Ending& ending);

/// When a run is looked at, and when it ends at the latest.
struct Limits {
  double seconds = std::numeric_limits<double>::infinity();
  double passes = std::numeric_limits<double>::infinity();
  double later = 1.15;  ///< looks are that factor apart in time; 0: after every step; infinity: only at the end
};

/// What a run has come to; `seconds`: CPU time of `start` and the steps alone.
struct Point {
  double seconds;
  double passes;
  Coefficients model;
};

/// Runs to the end, or to a limit, or until `watch` says that it is enough; it sees the model after `start`, then at
/// each look, and at last. Returns the status of the report, or `enough`, `pass_limit` or `time_limit`.
std::string run_algorithm(Algorithm& algorithm, const Limits& limits, const std::function<bool(const Point&)>& watch);

/// F* between a certified lower bound and the objective of the best model known, of our solver within those seconds.
struct Optimum {
  double objective, bound;
};
Optimum find_optimum(const Problem& problem, LossKind loss, double lambda, double seconds);

void figure23(Run& run);
void figure5(Run& run);
void table2(Run& run);
void shrinking(Run& run);

}  // namespace tamis::paper_b
