#include "host/cli/running/interrupt.hpp"

#include <signal.h>

#include <initializer_list>

namespace raddle {
namespace {

std::atomic<bool> stop{false};
std::atomic<int> last{0};
std::atomic<int> forwarded{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_stop(int signal_number) {
  stop = true;
  last = signal_number;
  if (signal_number == SIGINT) ::signal(SIGINT, SIG_DFL);
}

void on_forward(int signal_number, siginfo_t* info, void*) {
  stop = true;
  last = signal_number;
  // The kernel sends a terminal's signals to the whole process group, the program included.
  if (info->si_code != SI_KERNEL) forwarded = signal_number;
}

void install(const struct sigaction& action) {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old;
    sigaction(signal_number, nullptr, &old);
    if (old.sa_handler == SIG_IGN) continue;  // nohup, or a shell's background job
    sigaction(signal_number, &action, nullptr);
  }
}

}  // namespace

const std::atomic<bool>& stop_on_signals() {
  struct sigaction action{};
  action.sa_handler = on_stop;
  install(action);
  return stop;
}

std::atomic<int>& forward_signals() {
  struct sigaction action{};
  action.sa_sigaction = on_forward;
  action.sa_flags = SA_SIGINFO;
  install(action);
  return forwarded;
}

bool interrupted() { return stop; }

int interrupting_signal() { return last; }

}  // namespace raddle
