// expect: passed
// The rounding of floating point, of SSE and of x87, is each thread's own, however often threads
// take turns; a new thread has its creator's.
#include <cfenv>
#include <mutex>
#include <thread>

#include "check.h"

namespace {

std::mutex g_mutex;

int x87_rounding() {
  unsigned short control = 0;
  asm volatile("fnstcw %0" : "=m"(control));
  return control & FE_TOWARDZERO;  // both bits
}

void rounds(int mode) {
  CHECK(fegetround() == FE_UPWARD);
  CHECK(x87_rounding() == FE_UPWARD);
  fesetround(mode);
  for (int i = 0; i < 4; ++i) {
    const std::lock_guard lock(g_mutex);
    CHECK(fegetround() == mode);
    CHECK(x87_rounding() == mode);
  }
}

}  // namespace

int main() {
  fesetround(FE_UPWARD);
  std::thread down(rounds, FE_DOWNWARD);
  std::thread to_zero(rounds, FE_TOWARDZERO);
  std::thread nearest(rounds, FE_TONEAREST);
  rounds(FE_UPWARD);
  down.join();
  to_zero.join();
  nearest.join();
}
