#include "target/snapshot/system_calls.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "target/base/kernel_state.hpp"

namespace raddle {
namespace {

// Newer than the headers of Debian 12 may be.
constexpr long kSetDispatch = 59;       // PR_SET_SYSCALL_USER_DISPATCH
constexpr long kDispatchOn = 1;         // PR_SYS_DISPATCH_ON
constexpr int kDispatched = 2;          // SYS_USER_DISPATCH, a code of SIGSYS
constexpr greg_t kCallInstruction = 2;  // bytes

bool handles_calls(std::uint64_t begin, std::uint64_t end) {
  struct {
    std::uint64_t handler;
    unsigned long flags;
    void* restorer;
    std::uint64_t mask;
  } action{};
  if (raw_syscall(SYS_rt_sigaction, SIGSYS, 0, as_arg(&action), sizeof(action.mask)) != 0)
    return false;
  return action.handler >= begin && action.handler < end;
}

}  // namespace

// The selector's value is that of the kernel: 1 blocks, 0 lets pass.
bool can_watch_calls(std::uint64_t begin, std::uint64_t end) {
  touch_outside();
  return handles_calls(begin, end) &&
         raw_syscall(SYS_prctl, kSetDispatch, kDispatchOn, long(begin), long(end - begin),
                     as_arg(const_cast<unsigned char*>(&g_outside_untouched))) == 0;
}

bool is_watched_call(int signal, const siginfo_t& info, void* context) {
  if (signal != SIGSYS || info.si_code != kDispatched) return false;
  touch_outside();
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RIP] -= kCallInstruction;
  registers[REG_RAX] = info.si_syscall;
  return true;
}

}  // namespace raddle
