#pragma once
/// Tasks of one command side by side on threads: the paths of folds and halves.

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "fitting.hpp"

namespace tamis::cli {

/// A thread of Jobs, and the task that it has.
class Job {
 public:
  Index task() const { return task_; }
  /// Memory of exactly so many bytes, until this is called again. Throws MemoryError.
  std::span<std::byte> arena(std::size_t bytes);
  /// To be called now and then: throws where there is no use in going on, after a signal say.
  void check() const;

 private:
  friend class Jobs;
  explicit Job(const std::atomic<Index>& refused) : refused_(refused) {}

  const std::atomic<Index>& refused_;
  std::optional<ArenaMemory> memory_;
  Index task_ = 0;
};

/// Runs tasks on as many threads as --jobs asks for, where there are so many tasks and the memory suffices.
class Jobs {
 public:
  Option declare(const Command& command);
  /// As many as are asked for and there are tasks.
  Index of(Index tasks) const { return smallest(asked_, tasks); }

  struct Work {
    Index tasks;
    std::size_t bytes;  // of the arena of a task; 0: tasks take different ones, and with a limit one after the other
    std::size_t limit = 0;  // of all arenas together; 0: none
    std::string what = {};  // what there are so many of, "5 folds"; "": nothing is said of fewer jobs
  };
  /// Calls run(job) for each task, the lowest number first, and returns when all are done. What a task throws is thrown
  /// here: that of the lowest number, as if one had run after the other.
  void run(const Work& work, bool quiet, const std::function<void(Job&)>& run) const;

 private:
  Index asked_ = 1;
};

}  // namespace tamis::cli
