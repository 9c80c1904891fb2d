#pragma once
/// Pieces of the library that must ask the heap for nothing, by our counters and by Eigen's own check. Before all of
/// Eigen.

#define EIGEN_RUNTIME_NO_MALLOC
#include <stdexcept>
#undef eigen_assert
#define eigen_assert(condition) \
  if (!(condition)) throw std::runtime_error(#condition)
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <span>

#include "support/heap.hpp"
#include "tamis/status.hpp"

namespace tamis::testing {

/// `run` says whether it did what it was for.
template <class Run>
void expect_no_call(const char* what, Run run) {
  Eigen::internal::set_is_malloc_allowed(false);
  const HeapWatch watch;
  const bool did = run();
  const long calls = watch.calls();
  Eigen::internal::set_is_malloc_allowed(true);
  EXPECT_TRUE(did) << what;
  EXPECT_EQ(calls, 0) << what;
}
/// Starts and advances a run to its end; whether it has a model then.
template <class Run>
bool finish(Run& run, std::span<std::byte> memory) {
  run.start(memory);
  while (run.step()) continue;
  if constexpr (requires { run.status(); }) return has_model(run.status());
  else return has_model(run.report().status);
}

}  // namespace tamis::testing
