#pragma once
/// What the experiments of Jiu et al. (2020) share: samples, models with products of features, solvers run step by
/// step.

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../papers/common.hpp"
#include "tamis/selection/folds.hpp"
#include "tamis/solver/interaction_admm.hpp"

namespace tamis::paper_c {

using namespace papers;

/// Our solver.
using Ours = InteractionAdmm<double>;

/// What the command line says.
struct Run : papers::Run {
  double limit() const { return papers::Run::limit(10, 120); }
  /// Of a printed solver where there are many λ.
  double short_limit() const { return limit() / (full ? 12 : 5); }
  std::size_t splits(std::size_t few) const { return quick ? 1 : number(few, 5); }
};

// ---- samples --------------------------------------------------------------------------------------------------------

/// Column by column; `y` of a regression, `labels` of classes.
struct Samples {
  std::vector<double> x, y;
  std::vector<Label> labels;
  Index count = 0, features = 0, classes = 1;

  DenseDesign<double> design() const { return {x.data(), count, features}; }
  InteractionTargets<double> targets() const;
  Samples select(const std::vector<std::size_t>& rows) const;
};

/// Training, validation (where there is one) and test samples.
struct Parts {
  Samples train, validation, test;
};

/// Section 6.1.1: the first `active` of `features` features have main effects from ±{1, …, 5}, `pairs` pairs of them
/// products with Θ_ij = Θ_ji from ±{2, 4, …, 10}; y = φᵀv + `share`·φᵀΘφ + noise of 5 dB, φ ~ N(0, I); `count` samples
/// in each of three parts. The published errors of SVR-ℓ₂, 1064 and 1870, are those of targets in which a pair counts
/// once, whose variance is about 1000 and 1300; by the formula of the paper, in which it counts twice, it is 3600 and
/// 3900.
struct Design {
  const char* name;
  Index features, active, pairs, count;
  double share = 0.5;
};
inline constexpr Design designs[] = {{"Dataset30-345", 30, 10, 15, 100}, {"Dataset100-030", 100, 30, 15, 100}};
inline constexpr Design small_design = {"small", 8, 4, 3, 60};
/// v and Θ of one seed, samples and noise of another.
Parts make(const Design& design, std::uint64_t truth, std::uint64_t seed);
/// Those of the command line.
std::vector<Design> designs_of(const Run& run);

/// Divides y by its standard deviation over the training samples, which is returned.
double scale_targets(Parts& parts);

/// The rows of a data set in `parts` equal parts, at random.
std::vector<std::vector<std::size_t>> divide(std::size_t rows, std::size_t parts, std::uint64_t seed);

/// A labelled CSV file of TAMIS_DATA, y and labels both taken; says what is missing and returns no samples.
Samples read(const Run& run, const std::string& name, const std::string& file);

// ---- models ---------------------------------------------------------------------------------------------------------

/// ½Σ(y − z)² or Σℓ, + Σ_k Ω(v_k, Θ_k): λ₁ and λ₂ in the paper's units, sums over samples.
struct Task {
  Hierarchy hierarchy;
  HierarchyNorm norm;
  double lambda1, lambda2;
  bool intercept = false;
};
/// The paper's regression: λ₂ = λ/2; of the hierarchy full, problem (18): λ.
Task regression(Hierarchy hierarchy, HierarchyNorm norm, double lambda);

/// A copy of what a solver has found.
struct Model {
  std::vector<double> coefficients, intercepts;
  Index features = 0, outputs = 0;

  InteractionModel<double> view() const { return {coefficients.data(), intercepts.data(), features, outputs}; }
  double mean_square_error(const Samples& samples) const;
  double accuracy(const Samples& samples) const;  ///< in percent
  double nonzero_rate() const;                    ///< of the main effects, in percent
  Index nonzeros() const;
  /// ‖(v, sym Θ) − (v, sym Θ) of other‖: weak leaves open how a product is shared between Θ_jl and Θ_lj.
  double distance(const Model& other) const;
  double asymmetry() const;  ///< ‖Θ − sym Θ‖
  Model symmetric() const;
};
Model copy_of(const InteractionModel<double>& model);

/// The objective of the task, computed anew, without a solver's help.
double objective(const Samples& samples, const Task& task, const Model& model);

/// Ridge over main effects and products, problem (17): predictions z = Kᵀ(K + 1/2λ)⁻¹y, K = G∘(G + 1) between samples.
class ProductRidge {
 public:
  explicit ProductRidge(const Parts& parts);
  /// Mean square errors of the training, validation and test samples.
  std::vector<double> errors(double lambda) const;

 private:
  const Parts& parts_;
  std::vector<double> gram_[3];  ///< with the training samples
};

// ---- runs -----------------------------------------------------------------------------------------------------------

class Memory {
 public:
  explicit Memory(std::size_t bytes);
  std::span<std::byte> span() const { return {data_.get(), bytes_}; }

 private:
  std::size_t bytes_;
  std::unique_ptr<std::byte, void (*)(void*)> data_;
};

/// A solver of the library for a task, in memory of its own.
template <class Solver>
class SolverRun {
 public:
  template <class Prepare>
  SolverRun(const Samples& samples, const Task& task, Options<double> options, Prepare prepare)
      : solver_(samples.design(), samples.targets(), task.hierarchy, task.norm, task.lambda2 / samples.count,
                complete(options, samples, task)),
        memory_(Solver::requirement({samples.count, samples.features, samples.classes}).bytes) {
    prepare(solver_);
  }
  bool start() { return solver_.start(memory_.span()); }
  bool step() { return solver_.step(); }
  /// The iterate; of ours the best certified model.
  Model iterate() const {
    if constexpr (requires { solver_.iterate(); }) return copy_of(solver_.iterate());
    else return copy_of(solver_.model());
  }
  const Solver& solver() const { return solver_; }

 private:
  static Options<double> complete(Options<double> options, const Samples& samples, const Task& task) {
    options.lambda = task.lambda1 / samples.count;
    options.intercept = task.intercept;
    return options;
  }

  Solver solver_;
  Memory memory_;
};

/// What ours finds at a certified relative gap, or within `seconds`.
struct Solution {
  Model model;
  Report<double> report;
  double seconds = 0;
};
Solution solve(const Samples& samples, const Task& task, double gap,
               double seconds = std::numeric_limits<double>::infinity());

void table1(Run& run);
void figure25(Run& run);
void figure79(Run& run);
void table2(Run& run);
void speed(Run& run);

}  // namespace tamis::paper_c
