// raddle::check of a function that reads the time-stamp counter. Inside it counts virtual time, so
// executions are the same again; outside, and in a crash handler of the program's own, all is as
// ever.
#include <setjmp.h>
#include <signal.h>
#include <x86intrin.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <raddle/check.hpp>
#include <thread>

namespace {

int g_rounds;
std::mutex g_mutex;
sigjmp_buf g_out;

void wait_for_counter() {
  const unsigned long long deadline = __rdtsc() + 50'000;
  while (__rdtsc() < deadline) {
    const std::lock_guard lock(g_mutex);
    ++g_rounds;
  }
}

// How often they go round depends on the counter, and on nothing else that changes.
void both() {
  g_rounds = 0;
  std::thread other(wait_for_counter);
  wait_for_counter();
  other.join();
}

void leave(int) { siglongjmp(g_out, 1); }

// The handler is the program's, and called for its fault.
bool handles_fault() {
  if (sigsetjmp(g_out, 1) != 0) return true;
  *reinterpret_cast<volatile int*>(8) = 1;
  return false;
}

void in_order(const char* when) {
  const unsigned long long counter = __rdtsc();
  if (handles_fault() && __rdtsc() > counter) return;
  std::printf("%s: not in order\n", when);
  std::exit(1);
}

}  // namespace

int main() {
  signal(SIGSEGV, leave);
  in_order("before");
  raddle::Options options;
  options.executions = 1000;
  for (const char* strategy : {"random", "pct"}) {
    options.strategy = strategy;
    try {
      const raddle::Coverage coverage = raddle::check(options, both);
      std::printf("passed %llu executions\n", static_cast<unsigned long long>(coverage.executions));
    } catch (const raddle::CheckFailed& failure) {
      std::printf("%s", failure.what());
      return 1;
    }
    in_order("after");
  }
}
