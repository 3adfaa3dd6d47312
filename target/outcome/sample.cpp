// Threads that run without ever coming to a decision point. The host sees that the steps stand
// still and sends the sample signal to the running thread. Its handler looks where the thread is:
//
//  - in libc, the loader or the runtime it is left alone;
//  - if it runs with hooks, these watch it from here on (stream/rounds.hpp);
//  - if registers and the top of the stack are as in two samples before, since the last step, the
//    thread goes round in a loop that changes nothing: it spins, waiting for another thread. That
//    is a decision point. It does not matter in which round it was seen, so the execution stays the
//    same every time;
//  - a thread that computes changes its registers and is left alone, however long it takes:
//    preempting it would make the execution depend on the speed of the machine. Only after
//    kPatience of CPU time without a decision is it taken for a loop that counts, and preempted all
//    the same.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "protocol/shared_region.hpp"
#include "target/base/own_code.hpp"
#include "target/intercept/signal_state.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"
#include "target/stream/instrumented.hpp"
#include "target/stream/rounds.hpp"

namespace raddle {
namespace {

constexpr std::size_t kRemembered = 64;
constexpr std::size_t kStackBytes = 512;
// Twice may be chance: an instruction that waits for its page is interrupted, and is still there
// when the next sample comes. And two samples tell nothing if the thread did not run in between:
// CPU time goes by while it is in the handler, or while a hypervisor runs somebody else.
constexpr std::uint32_t kOften = 3;
constexpr std::uint64_t kApart = 1'000'000;         // ns of CPU time
constexpr std::uint64_t kPatience = 5'000'000'000;  // ns of CPU time

struct Sample {
  std::uint64_t hash;
  std::uint32_t times;
};
Sample g_samples[kRemembered];
std::size_t g_sample_count;
std::uint64_t g_sampled_step = ~std::uint64_t{0};
std::uint64_t g_window_start;  // CPU time
std::uint64_t g_last_sample;   // CPU time at its end

std::uint64_t cpu_time() {
  timespec now{};
  raw_syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, as_arg(&now));
  return std::uint64_t(now.tv_sec) * 1'000'000'000 + std::uint64_t(now.tv_nsec);
}

// Everything a loop without side effects repeats: registers, and the frame with the red zone.
std::uint64_t state_hash(const ucontext_t& context, const Thread& thread) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3ULL; };
  const auto& registers = context.uc_mcontext.gregs;
  // r11 is what the compiled-in hooks leave behind; they are all that may use it between two looks.
  for (int r = 0; r <= REG_RIP; ++r) {
    if (r != REG_R11 || !is_instrumented()) mix(std::uint64_t(registers[r]));
  }
  auto low = std::uintptr_t(registers[REG_RSP]) - 128;
  auto high = low + kStackBytes;
  std::uintptr_t end = thread.stack_low + thread.stack_size;
  if (thread.stack_low != 0 && high > end) high = end;
  for (std::uintptr_t p = low & ~std::uintptr_t{7}; p + 8 <= high; p += 8) {
    std::uint64_t word;
    memcpy(&word, reinterpret_cast<const void*>(p), sizeof(word));
    mix(word);
  }
  return hash;
}

bool seen_often(std::uint64_t hash) {
  std::size_t n = g_sample_count < kRemembered ? g_sample_count : kRemembered;
  for (std::size_t i = 0; i < n; ++i) {
    if (g_samples[i].hash == hash) return ++g_samples[i].times >= kOften;
  }
  g_samples[g_sample_count++ % kRemembered] = {hash, 1};
  return false;
}

// Samples handled one in another would fill the stack, so the signal is blocked in its handler; but
// not while other threads run from there.
void allow_samples() {
  const std::uint64_t sample = signal_bit(kSampleSignal);
  raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, as_arg(&sample), 0, sizeof(sample));
}

// Samples that queued up while the machine was busy would all see the same instruction. Between
// the last of these and the next one the thread runs.
void drop_queued_samples() {
  const std::uint64_t sample = signal_bit(kSampleSignal);
  const timespec at_once{};
  while (raw_syscall(SYS_rt_sigtimedwait, as_arg(&sample), 0, as_arg(&at_once), sizeof(sample)) ==
         kSampleSignal) {
  }
}

// True if this is a moment to switch: the thread spins, or has computed for very long.
bool look_at(const ucontext_t& context) {
  const std::uint64_t step = g_region->live.steps.load(std::memory_order_relaxed);
  const std::uint64_t now = cpu_time();
  if (step != g_sampled_step) {
    g_sampled_step = step;
    g_sample_count = 0;
    g_window_start = now;
  } else if (now - g_last_sample < kApart) {
    return false;
  }
  const bool due = seen_often(state_hash(context, self())) || now - g_window_start >= kPatience;
  drop_queued_samples();
  g_last_sample = cpu_time();
  return due;
}

void on_sample(int, siginfo_t*, void* data) {
  if (!g_active || thread_pointer() != g_current->thread_pointer) return;
  auto& context = *static_cast<ucontext_t*>(data);
  auto pc = std::uint64_t(context.uc_mcontext.gregs[REG_RIP]);
  if (g_in_runtime != 0) return;
  if (g_region->live.give_up.load(std::memory_order_relaxed) != 0) {
    g_in_runtime = 1;
    give_up_if_asked();
  }
  if (in_hooks(pc) || is_preemptible_code(pc)) watch_rounds();
  if (!is_preemptible_code(pc)) return;
  if (g_signals_due) {
    allow_samples();
    deliver_due_signals();  // they came while the thread was inside libc
  }
  if (!look_at(context)) return;
  int saved_errno = errno;
  RuntimeScope scope;
  allow_samples();
  // The site is the loop itself, wherever in it the sample fell: the function is what a reader
  // needs.
  decide(OpKind::spin, nullptr, pc);
  errno = saved_errno;
}

}  // namespace

void forget_samples() {
  g_sample_count = 0;
  g_sampled_step = ~std::uint64_t{0};
}

void install_sample_handler() {
  struct sigaction action{};
  action.sa_sigaction = on_sample;
  // Not on the alternate stack: another thread may run while this one is parked in the handler.
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  RADDLE_REAL(sigaction)(kSampleSignal, &action, nullptr);
}

}  // namespace raddle
