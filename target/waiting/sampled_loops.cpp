#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "protocol/shared_region.hpp"
#include "target/base/forgetting.hpp"
#include "target/code/instrumentation.hpp"
#include "target/state/execution.hpp"
#include "target/waiting/local_state.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {
namespace {

constexpr std::size_t kRemembered = 64;
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
RADDLE_FORGOTTEN std::size_t g_sample_count;
RADDLE_FORGOTTEN std::uint64_t g_sampled_step;  // and one; 0: none yet
std::uint64_t g_window_start;                   // CPU time
std::uint64_t g_last_sample;                    // CPU time at its end

std::uint64_t cpu_time() {
  timespec now{};
  raw_syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, as_arg(&now));
  return std::uint64_t(now.tv_sec) * 1'000'000'000 + std::uint64_t(now.tv_nsec);
}

// Everything a loop without side effects repeats: registers, and the stack with the red zone.
std::uint64_t state_hash(const ucontext_t& context, const Thread& thread) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3ULL; };
  const auto& registers = context.uc_mcontext.gregs;
  // r11 is what the compiled-in hooks leave behind; they are all that may use it between two looks.
  for (int r = 0; r <= REG_RIP; ++r) {
    if (r != REG_R11 || !is_instrumented()) mix(std::uint64_t(registers[r]));
  }
  mix(stack_hash(thread, (std::uintptr_t(registers[REG_RSP]) - kRedZone) & ~std::uintptr_t{7}));
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

// Samples that queued up while the machine was busy would all see the same instruction. Between
// the last of these and the next one the thread runs.
void drop_queued_samples() {
  const std::uint64_t sample = std::uint64_t{1} << (kSampleSignal - 1);
  const timespec at_once{};
  while (raw_syscall(SYS_rt_sigtimedwait, as_arg(&sample), 0, as_arg(&at_once), sizeof(sample)) ==
         kSampleSignal) {
  }
}

}  // namespace

bool sample_shows_waiting(const ucontext_t& context) {
  const std::uint64_t step = steps_so_far() + 1;
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

}  // namespace raddle
