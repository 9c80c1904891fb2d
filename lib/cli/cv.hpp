#pragma once
/// What `tamis cv` is made of: folds, what is held out of them, and a second training on the features that are kept.

#include <optional>
#include <string>
#include <vector>

#include "selection.hpp"

namespace tamis::cli {

struct CvArguments : PathArguments, HoldOutArguments {
  std::string subjects;
  bool refit = false;
  std::string refit_lambda;
  std::string calibrate;  // the kind; "": none
  std::string plot_reliability;
};

/// As the arguments ask for them. Throws ArgumentError and DataError.
Folds deal(const CvArguments& arguments, const Prepared& prepared);

/// Of the arena of a fold, and of the path on all samples, with such a solver.
template <class T>
std::size_t bytes_of_folds(Shape shape, Index folds, Index points, Requirement solver);
/// As --memory-limit allows it.
template <class T>
std::size_t bytes_for(const CvArguments& arguments, const Fitting<T>& fitting, Index folds, Index points);

/// What the samples of each fold say of each λ, solved in arenas of `bytes`; `before` is a task that the folds need not
/// wait for, or none. Throws one sentence for a refusal.
template <class T>
std::vector<HeldOut<double>> held_out(const CvArguments& arguments, const Jobs& jobs, const Fitting<T>& fitting,
                                      const Folds& folds, const Grid<T>& grid, std::size_t bytes,
                                      ProgressLine& progress, const PathTask& before = {});

/// Solves for one λ without each fold, and sets the scores of its samples: `scores` has samples × K.
template <class T>
void hold_out_scores(const CvArguments& arguments, const Jobs& jobs, const Task& task, const Folds& folds,
                     double lambda, ProgressLine& progress, std::vector<double>& scores);

/// Ridge on the features that a model keeps. What is held out of a fold is measured with the features that the samples
/// of the others choose: those of the model have already seen it.
template <class T>
class Refit {
 public:
  /// All of them must outlive this.
  Refit(const CvArguments& arguments, const Task& task, const PathPoint& model, const Folds& folds);

  /// With λ of the least held-out mean.
  PathPoint train();
  /// Samples × K held-out scores at that λ.
  std::vector<double> held_out_scores(double lambda);

 private:
  /// What the model of the same λ keeps without the samples of a fold; of several folds at once if need be.
  const std::vector<std::size_t>& kept_without(Index fold, const Job& job);
  /// That fold alone.
  Folds only(Index fold) const;

  const CvArguments& arguments_;
  const Task& task_;
  const PathPoint& model_;
  const Folds& folds_;
  std::vector<std::optional<std::vector<std::size_t>>> kept_;
};

}  // namespace tamis::cli
