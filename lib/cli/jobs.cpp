#include "jobs.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "errors.hpp"
#include "interrupt.hpp"

namespace tamis::cli {

namespace {

/// A task before this one was refused, and the run ends with that.
struct Abandoned {};

}  // namespace

std::span<std::byte> Job::arena(std::size_t bytes) {
  if (!memory_ || memory_->span().size() != bytes) {
    memory_.reset();
    memory_.emplace(bytes);
  }
  return memory_->span();
}

void Job::check() const {
  stop_if_interrupted(before_choice);
  if (refused_.load(std::memory_order_relaxed) < task_) throw Abandoned();
}

Option Jobs::declare(const Command& command) {
  return command
      .add_option("--jobs", asked_, "threads, with an arena each; with any number of them the answer has the same bits")
      ->between(1, 1024)
      ->capture_default_str();
}

void Jobs::run(const Work& work, bool quiet, const std::function<void(Job&)>& run) const {
  const auto say_fewer = [&](Index jobs, const std::string& why) {
    if (!quiet && !work.what.empty())
      std::cerr << "--jobs " << asked_ << ": " << why << ", so that " << jobs << (jobs == 1 ? " is" : " are")
                << " used\n";
  };
  Index jobs = of(work.tasks);
  if (jobs < asked_) say_fewer(jobs, "there are " + work.what + " to be done");
  const std::string arenas = " of their arenas of " + std::to_string(work.bytes) + " bytes";
  if (const std::size_t room = work.bytes ? work.limit / work.bytes : 1; work.limit && room < jobs) {
    jobs = std::max<Index>(1, static_cast<Index>(room));
    say_fewer(jobs, "--memory-limit has room for " + std::to_string(jobs) + arenas);
  }
  std::atomic<Index> next{0}, refused{work.tasks};
  std::vector<Job> of_threads;
  while (of_threads.size() < jobs) of_threads.push_back(Job(refused));
  try {
    for (jobs = 0; jobs < of_threads.size(); ++jobs)
      if (work.bytes) (void)of_threads[jobs].arena(work.bytes);
  } catch (const MemoryError&) {
    if (jobs == 0) throw;
    say_fewer(jobs, "this machine has memory for " + std::to_string(jobs) + arenas);
  }
  std::mutex guard;
  std::exception_ptr refusal;
  const auto take_tasks = [&](Job& job) {
    while ((job.task_ = next++) < work.tasks) {
      try {
        job.check();
        run(job);
      } catch (const Abandoned&) {
        return;
      } catch (...) {
        const std::lock_guard lock(guard);
        if (job.task_ < refused) refused = job.task_, refusal = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    try {
      for (Index j = 1; j < jobs; ++j) threads.emplace_back(take_tasks, std::ref(of_threads[j]));
    } catch (const std::system_error&) {  // those that there are do it all
    }
    take_tasks(of_threads.front());
  }
  if (refusal) std::rethrow_exception(refusal);
}

}  // namespace tamis::cli
