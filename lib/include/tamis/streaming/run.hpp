#pragma once
/// Samples that are fetched one by one, over several passes, and a learning rate chosen from the first of them.

#include <span>

#include "options.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Learns from all samples of a source, `passes` times; it is rewound between passes, not before the first. `most`
/// samples at most are taken from each pass. Samples that the learner refuses are counted in its report and passed
/// over, but for rows out of step, which end the run.
template <class Learner, StreamSource<typename Learner::Scalar> Source>
[[gnu::noinline]] StreamEnd learn_stream(Learner& learner, Source& source, std::uint32_t passes = 1,
                                         std::uint32_t most = ~std::uint32_t(0)) {
  typename Learner::Sample sample;
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    if (pass > 0 && !source.rewind()) return StreamEnd::failed;
    for (std::uint32_t taken = 0; taken < most; ++taken) {
      sample = {};
      const StreamNext next = source.next(sample);
      if (next == StreamNext::failed) return StreamEnd::failed;
      if (next == StreamNext::end) {
        if (taken == 0) return StreamEnd::empty;
        break;
      }
      const Status status = learner.update(sample);
      if (learner.report().status != Status::running) return StreamEnd::not_begun;
      if (status == Status::invalid_shape) return StreamEnd::short_row;
    }
  }
  return StreamEnd::complete;
}

/// The learning rates that are tried: 10⁻³ … 10³, as in Blondel et al. (2013), section 5.2.
template <class T>
inline constexpr T learning_rates[] = {T(1e-3), T(1e-2), T(1e-1), T(1), T(1e1), T(1e2), T(1e3)};

/// Tries each learning rate on the first `samples` samples of a source and sets the one whose mean loss, of each sample
/// before it is learned from, is least; of equal ones the smallest. Leaves the learner begun anew and the source
/// rewound. Memory: that of the learner. Cost: 7·samples updates. Complete, or how the source failed; then the learning
/// rate is as it was.
template <class Learner, StreamSource<typename Learner::Scalar> Source, class... From>
[[gnu::noinline]] StreamEnd choose_learning_rate(Learner& learner, Source& source, std::uint32_t samples,
                                                 std::span<std::byte> memory, const From&... from) {
  using T = typename Learner::Scalar;
  const T given = learner.learning_rate();
  T best = given, least = infinity<T>;
  StreamEnd end = StreamEnd::complete;
  for (const T rate : learning_rates<T>) {
    learner.set_learning_rate(rate);
    if (learner.begin(memory, from...) != Status::running) {
      end = StreamEnd::not_begun;
      break;
    }
    if (!source.rewind()) end = StreamEnd::failed;
    else end = learn_stream(learner, source, 1, samples);
    if (end != StreamEnd::complete) break;
    const auto report = learner.report();
    // A sample that overflows is refused: with a rate that makes it so there is no telling its loss.
    if (report.overflowed == 0 && report.mean_loss < least) {
      least = report.mean_loss;
      best = rate;
    }
  }
  learner.set_learning_rate(end == StreamEnd::complete ? best : given);
  if (learner.begin(memory, from...) != Status::running) return StreamEnd::not_begun;
  if (end == StreamEnd::complete && !source.rewind()) return StreamEnd::failed;
  return end;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
