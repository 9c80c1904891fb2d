#pragma once
/// The command in a child process, before a terminal that is not there, and signals to it.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <utility>

#include "support/command.hpp"
#include "terminal.hpp"

namespace tamis::testing {

/// The exit code of what is done in a child process; its output goes to `output` if that is a descriptor.
class Child {
 public:
  explicit Child(const std::function<int()>& work, int output = -1, int error = -1, int input = -1) {
    number_ = ::fork();
    if (number_ != 0) return;
    std::signal(SIGINT, SIG_DFL);  // a shell ignores it for what runs in the background
    for (const auto& [from, to] : {std::pair{output, STDOUT_FILENO}, {error, STDERR_FILENO}, {input, STDIN_FILENO}})
      if (from >= 0) ::dup2(from, to);
    const int code = work();
    std::fflush(nullptr);
    ::_exit(code);
  }
  ~Child() {
    if (number_ > 0 && !ended_) ::kill(number_, SIGKILL), wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool runs() const {
    ::siginfo_t ended{};
    return ::waitid(P_PID, static_cast<::id_t>(number_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
  }
  void signal(int which) const { ::kill(number_, which); }
  /// The exit code, or minus the number of the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(number_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  ::pid_t number_;
  bool ended_ = false;
};

inline int command(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv{"tamis"};
  for (const auto& argument : arguments) argv.push_back(argument.c_str());
  return tamis::cli::run_command(static_cast<int>(argv.size()), argv.data());
}

/// What comes out of a descriptor until there is `wanted` in it, or the end.
inline std::string read_until(int from, const std::string& wanted) {
  std::string out;
  for (char byte; (wanted.empty() || out.find(wanted) == std::string::npos) && ::read(from, &byte, 1) == 1;)
    out += byte;
  return out;
}

/// A terminal that is not there: the command shows its progress on it.
class Terminal {
 public:
  Terminal() : ours(::posix_openpt(O_RDWR | O_NOCTTY)) {
    ::grantpt(ours);
    ::unlockpt(ours);
    theirs = ::open(::ptsname(ours), O_RDWR | O_NOCTTY);
  }
  ~Terminal() { ::close(ours), ::close(theirs); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  const int ours;
  int theirs = -1;
};

/// From now on ten seconds pass whenever the command looks at its clock: it shows all progress that there is.
inline void hurry() {
  cli::progress_clock = [] {
    static std::atomic<int> looks{0};
    return 10.0 * ++looks;
  };
}

/// A command in a child process with a terminal for its words: what it does after a signal that comes when it has shown
/// `state`, there or (with `lines`) on standard output.
class SignalledRun {
 public:
  SignalledRun(const std::vector<std::string>& arguments, const std::string& state, int which, bool lines = false) {
    int pipe[2];
    EXPECT_EQ(::pipe(pipe), 0);
    Terminal terminal;
    Child child(
        [&] {
          ::close(pipe[0]);
          hurry();
          return command(arguments);
        },
        pipe[1], terminal.theirs);
    ::close(pipe[1]);
    ::close(std::exchange(terminal.theirs, -1));
    (lines ? output : error) = read_until(lines ? pipe[0] : terminal.ours, state);
    child.signal(which);
    if (lines) output += read_until(pipe[0], "");
    error += read_until(terminal.ours, "");
    if (!lines) output = read_until(pipe[0], "");
    ::close(pipe[0]);
    code = child.wait();
  }
  bool says(const std::string& what) const { return error.find(what) != std::string::npos; }

  std::string output, error;
  int code = 0;
};

}  // namespace tamis::testing
