#pragma once
/// SIGINT and SIGTERM: the first asks a run to end with what it has, the second ends the process.

#include <atomic>
#include <csignal>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tamis/status.hpp"

namespace tamis::cli {

/// A run ended because it was asked to: the sentence says what was kept. Exit code 5.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Raised by the first signal, and never lowered while a command runs. Tests raise it themselves.
inline std::atomic<bool> interrupt_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch what has no lock");

inline bool interrupted() { return interrupt_flag.load(std::memory_order_relaxed); }

/// Throws Interrupted where there is nothing to keep yet: `when` says what was cut short.
void stop_if_interrupted(const std::string& when);
inline constexpr const char* before_choice = "before all that is compared was there to choose from";

/// Throws Interrupted for a run that a signal has stopped, after all that there is of it was written.
void end_if_stopped(Status status);

/// Advances a started solver until it ends, or a signal asks it to: then it is stopped with the best model so far.
/// show(report) sees every certificate. Throws Interrupted where there is none yet.
template <class Solver, class Show>
void advance(Solver& solver, Show&& show) {
  std::uint32_t seen = 0;
  for (bool more = true; more; more = solver.step()) {
    if (solver.certificates() != seen) {
      seen = solver.certificates();
      show(solver.report());
    }
    if (seen == 0) stop_if_interrupted("before there was a model");
    if (interrupted()) solver.stop();
  }
  if (solver.certificates() != seen) show(solver.report());
}

/// While it lives the first SIGINT or SIGTERM raises the flag, and the second is that of the system again. Files beyond
/// a limit of their size are errors of writing. Signals that are ignored stay ignored.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGXFSZ};
  struct sigaction before_[std::size(signals)];
};

/// While it lives a signal ends calls of the system that wait, with EINTR, which otherwise go on.
class InterruptibleCall {
 public:
  InterruptibleCall() { let(1); }
  ~InterruptibleCall() { let(0); }
  InterruptibleCall(const InterruptibleCall&) = delete;
  InterruptibleCall& operator=(const InterruptibleCall&) = delete;

 private:
  static void let(int interrupt);
};

}  // namespace tamis::cli
