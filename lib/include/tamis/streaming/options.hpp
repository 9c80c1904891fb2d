#pragma once
/// What a learner from a stream is asked to do, and what it says about itself.

#include <concepts>
#include <cstdint>

#include "../design/sample_rows.hpp"
#include "../linalg/scalar.hpp"
#include "../status.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

template <class T>
struct StreamOptions {
  T lambda = T(0);             ///< weight of the penalty, ≥ 0
  T learning_rate = T(0.1);    ///< η₀ > 0, see the learner; in float up to 6e15, in double 2e146
  T margin = not_a_number<T>;  ///< of samples that have none of their own; NaN: what suits the loss
  bool intercept = true;       ///< one free intercept per class
};

/// One sample on its way: a SampleRow without `features` holds all of them, zeros included; one that is empty, without
/// values, is a sample of zeros.
template <class T>
struct StreamSample {
  SampleRow<T> x{};
  Label label = 0;
  T weight = T(1);
  T margin = not_a_number<T>;  ///< NaN: that of the options
};

/// What a learner knows without samples at hand. Losses and errors are those of each sample before it was learned from
/// (progressive validation), so they estimate what new samples will see.
template <class T>
struct StreamReport {
  Status status = Status::running;        ///< of `begin`
  Status last_refusal = Status::running;  ///< of the last sample that was refused; running: there is none
  std::uint32_t samples = 0;              ///< learned from, those before `begin` included
  std::uint32_t refused = 0;              ///< since `begin`
  std::uint32_t overflowed = 0;    ///< of these: scores or gradients that overflow; the learning rate is too large
  Index column = 0;                ///< the feature at which the last refusal found a fault, if it was one
  T learning_rate = T(0);          ///< step length of the next sample; of dual averaging: η₀
  T mean_loss = not_a_number<T>;   ///< since `begin`, by weight; NaN before the first sample, infinite if sums overflow
  T mean_error = not_a_number<T>;  ///< share of wrong predictions, by weight
  std::size_t arena_bytes = 0;     ///< what the learner asks for
};

/// What a source of samples answers.
enum class StreamNext : std::uint8_t { sample, end, failed };

/// How a run over a source ended; there is a usable model in any case.
enum class StreamEnd : std::uint8_t {
  complete,   ///< all passes
  failed,     ///< the source could not go on, or not rewind
  short_row,  ///< a row without indices held fewer values, or more, than there are features: rows are out of step
  empty,      ///< the source had no sample
  not_begun,  ///< the learner was refused at `begin`
};

constexpr const char* describe(StreamEnd end) {
  switch (end) {
    case StreamEnd::complete: return "all passes were done";
    case StreamEnd::failed: return "the source failed: the model has learned from the samples before";
    case StreamEnd::short_row: return "a row has not one value per feature: the model has learned from those before";
    case StreamEnd::empty: return "the source has no samples";
    case StreamEnd::not_begun: return "the learner was refused: its report says why";
  }
  return "unknown end";
}

/// Samples one after the other: `next` fills in a sample, whose memory may be used until the call that follows, and
/// `rewind` goes back to the first one; false: it cannot.
template <class S, class T>
concept StreamSource = requires(S source, StreamSample<T>& sample) {
  { source.next(sample) } -> std::same_as<StreamNext>;
  { source.rewind() } -> std::convertible_to<bool>;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
