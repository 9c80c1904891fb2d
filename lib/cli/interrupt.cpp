#include "interrupt.hpp"

#include <unistd.h>

#include <cstring>

namespace tamis::cli {

namespace {

volatile std::sig_atomic_t in_call = 0;

// A signal between the last look at the flag and a call that waits does not end that call. Alarms do, one a second.
extern "C" void end_call(int) { ::alarm(1); }
extern "C" void raise_interrupt_flag(int) {
  interrupt_flag.store(true, std::memory_order_relaxed);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (in_call) ::alarm(1);
}

}  // namespace

void stop_if_interrupted(const std::string& when) {
  if (interrupted()) throw Interrupted("stopped by a signal " + when + ": nothing is written");
}

void end_if_stopped(Status status) {
  if (status == Status::stopped && interrupted())
    throw Interrupted("stopped by a signal: what was asked for is that of the best model so far");
}

Interruptible::Interruptible() {
  for (std::size_t i = 0; i < std::size(signals); ++i) {
    ::sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action;
    std::memset(&action, 0, sizeof action);
    action.sa_handler = signals[i] == SIGXFSZ ? SIG_IGN : raise_interrupt_flag;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    ::sigaction(signals[i], &action, nullptr);
  }
}

Interruptible::~Interruptible() {
  for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  interrupt_flag.store(false, std::memory_order_relaxed);
}

void InterruptibleCall::let(int interrupt) {
  if (!interrupt) ::alarm(0);
  struct sigaction on_alarm;
  std::memset(&on_alarm, 0, sizeof on_alarm);
  on_alarm.sa_handler = interrupt ? end_call : SIG_DFL;
  ::sigaction(SIGALRM, &on_alarm, nullptr);
  in_call = interrupt;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action;
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != raise_interrupt_flag) continue;
    action.sa_flags = interrupt ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    ::sigaction(signal, &action, nullptr);
    if (interrupted()) std::signal(signal, SIG_DFL);  // it came between the two
  }
  if (interrupt && interrupted()) ::alarm(1);
}

}  // namespace tamis::cli
