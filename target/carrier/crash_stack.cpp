#include "target/carrier/crash_stack.hpp"

#include <signal.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"

namespace raddle {
namespace {

constexpr std::size_t kStackSize = 64 * 1024;

}  // namespace

void* make_crash_stack() { return arena_allocate(kStackSize); }

void install_crash_stack(void* memory) {
  stack_t stack{};
  raw_syscall(SYS_sigaltstack, 0, as_arg(&stack));
  if ((stack.ss_flags & SS_DISABLE) == 0)
    return;  // a sanitizer has given it one, and will take it away
  stack.ss_flags = 0;
  stack.ss_sp = memory;
  stack.ss_size = kStackSize;
  raw_syscall(SYS_sigaltstack, as_arg(&stack), 0);
}

}  // namespace raddle
