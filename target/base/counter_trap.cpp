#include "target/base/counter_trap.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"

namespace raddle {

bool g_counter_trapped;
bool g_counter_trap_changed;

bool set_counter_trap(bool on) {
  return raw_syscall(SYS_prctl, PR_SET_TSC, on ? PR_TSC_SIGSEGV : PR_TSC_ENABLE) == 0;
}

bool has_counter_trap() {
  int mode = PR_TSC_ENABLE;
  raw_syscall(SYS_prctl, PR_GET_TSC, as_arg(&mode));
  return mode == PR_TSC_SIGSEGV;
}

}  // namespace raddle
