#include "host/cli/running/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <initializer_list>
#include <string_view>

namespace raddle {
namespace {

std::atomic<bool> stop{false};
std::atomic<int> last{0};
std::atomic<int> forwarded{0};
static_assert(std::atomic<int>::is_always_lock_free);

// Whoever asks us to end waits no longer than this, whatever we are doing.
constexpr unsigned kSecondsToEnd = 2;

void on_late(int) {
  constexpr std::string_view kText = "raddle: could not end in time; what it had found is lost\n";
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, kText.data(), kText.size());
  ::signal(last, SIG_DFL);
  ::raise(last);
}

void asked_to_end(int signal_number) {
  if (!stop) alarm(kSecondsToEnd);
  stop = true;
  last = signal_number;
}

void on_stop(int signal_number) {
  asked_to_end(signal_number);
  if (signal_number == SIGINT) ::signal(SIGINT, SIG_DFL);
}

void on_forward(int signal_number, siginfo_t* info, void*) {
  asked_to_end(signal_number);
  // The kernel sends a terminal's signals to the whole process group, the program included.
  forwarded = info->si_code == SI_KERNEL ? -signal_number : signal_number;
}

void install(const struct sigaction& action) {
  struct sigaction late{};
  late.sa_handler = on_late;
  sigaction(SIGALRM, &late, nullptr);
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

void end_at_once_on_signals() {
  alarm(0);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old;
    sigaction(signal_number, nullptr, &old);
    if (old.sa_handler != SIG_IGN) ::signal(signal_number, SIG_DFL);
  }
}

bool interrupted() { return stop; }

int interrupting_signal() { return last; }

}  // namespace raddle
