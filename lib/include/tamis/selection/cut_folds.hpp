#pragma once
/// Folds that are trained on copies of their samples.

#include "cross_validation.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The most samples that are outside a fold.
inline Index most_training_samples(std::span<const Index> fold_of, Index folds) {
  Index most = 0;
  for (Index f = 0; f < folds; ++f) {
    Index outside = 0;
    for (const Index fold : fold_of) outside += fold != f;
    most = largest(most, outside);
  }
  return most;
}

/// Which samples are at hand, which are held out, and why there is no path; see CrossValidationOf.
template <class Scalar>
struct CutFolds {
  using T = Scalar;

  Index* order = nullptr;  ///< the samples at hand, then those held out from the last to the first
  Index training = 0;      ///< samples at hand; when memory is taken, the most of all folds
  Report<T> refusal{};

  static T weight(Index) { return T(1); }

  Status refuse(Status status, Index row = 0, Index column = 0) {
    refusal.status = status;
    refusal.row = row;
    refusal.column = column;
    return status;
  }
  Status check_folds(const Index* fold_of, Index samples, Index folds) {
    const Index unknown = unknown_fold(fold_of, samples, folds);
    if (unknown < samples) return refuse(Status::invalid_option, unknown);
    training = most_training_samples({fold_of, samples}, folds);
    return Status::running;
  }
  /// `labels`, where there are such, are below `classes`.
  Status check_labels(std::span<const Label> labels, Index classes) {
    for (Index i = 0; i < labels.size(); ++i)
      if (labels[i] >= classes) return refuse(Status::invalid_label, i);
    return Status::running;
  }
  Status check_memory(std::size_t bytes, Requirement needed) {
    refusal.arena_bytes = needed.bytes;
    return bytes < needed.bytes ? refuse(Status::arena_too_small) : Status::running;
  }

  void take_fold(const Index* fold_of, Index samples, Index fold) {
    Index held = 0;
    training = 0;
    for (Index i = 0; i < samples; ++i)
      if (fold_of[i] == fold) order[samples - ++held] = i;
      else order[training++] = i;
  }
  /// The labels of the samples at hand, of which each class has one.
  Status take_labels(std::span<const Label> labels, Index classes, Label* out) {
    for (Index l = 0; l < training; ++l) out[l] = labels[order[l]];
    for (Index k = 0; k < classes; ++k) {
      Index l = 0;
      while (l < training && out[l] != k) ++l;
      if (l == training) return refuse(Status::missing_class, 0, k);
    }
    return Status::running;
  }

  /// The report of the path with the rows of all samples, or why there is none.
  template <class Path>
  Report<T> report(const Path* path, Status status) const {
    Report<T> out = path ? path->report() : refusal;
    out.status = status;
    if (has_model(status) || !path) return out;
    out.arena_bytes = refusal.arena_bytes;
    if (status == Status::invalid_data || status == Status::invalid_label) out.row = order[out.row];
    return out;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
