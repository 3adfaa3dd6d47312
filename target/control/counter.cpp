#include "target/control/counter.hpp"

#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <x86intrin.h>

#include <utility>

#include "target/base/counter_trap.hpp"
#include "target/base/forgetting.hpp"
#include "target/base/kernel_state.hpp"
#include "target/code/counter_reads.hpp"
#include "target/code/own_code.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/clock_looks.hpp"
#include "target/signals/signal_state.hpp"
#include "target/state/execution.hpp"

namespace raddle {
namespace {

enum class Reads { kUnknown, kNo, kYes };
Reads g_reads;
bool g_has_action;  // the kernel has our action for SIGSEGV, whatever the program's is

RADDLE_FORGOTTEN bool g_gives_way;

// The tool's own libraries, in the process of a unit test: 20 MB, for nothing.
bool is_of_tool(const char* path) {
  return strstr(path, "/libraddle_check.so") != nullptr || strstr(path, "/libz3.so.") != nullptr;
}

int visit_image(dl_phdr_info* info, std::size_t, void* found) {
  if (is_of_tool(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    constexpr unsigned kCode = PF_R | PF_X;
    if (header.p_type != PT_LOAD || (header.p_flags & kCode) != kCode) continue;
    const std::uint64_t begin = info->dlpi_addr + header.p_vaddr;
    if (is_own_code(begin) || is_runtime_library(begin)) continue;
    if (!may_read_counter(reinterpret_cast<const unsigned char*>(begin), header.p_filesz)) continue;
    *static_cast<bool*>(found) = true;
    return 1;
  }
  return 0;
}

// Whether the program, or a library that is loaded now, reads the counter. What libc, the loader
// and the C++ library read does not concern the program.
bool program_may_read_counter() {
  bool found = false;
  dl_iterate_phdr(visit_image, &found);
  return found;
}

long signal_thread(int signal, const siginfo_t* info) {
  const long process = raw_syscall(SYS_getpid);
  const long thread = raw_syscall(SYS_gettid);
  if (info == nullptr) return raw_syscall(SYS_tgkill, process, thread, signal);
  return raw_syscall(SYS_rt_tgsigqueueinfo, process, thread, signal, as_arg(info));
}

// The signal comes when the handler has returned, and the interrupted mask is back: on the thread's
// own stack, before its next instruction.
void signal_after_handler(int signal, const siginfo_t* info) {
  const std::uint64_t bit = signal_bit(signal);
  raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, as_arg(&bit), 0, sizeof(bit));
  signal_thread(signal, info);
}

// The handler may be on the alternate stack, where no decision can be made: another thread's fault
// would begin at its top.
void give_way_after_handler(const ucontext_t& context) {
  if ((signal_bits(context.uc_sigmask) & signal_bit(kSampleSignal)) != 0) return;
  g_gives_way = true;
  signal_after_handler(kSampleSignal, nullptr);
}

bool before_control() { return g_region != nullptr && g_current == nullptr; }

std::uint64_t virtual_counter(const ucontext_t& context) {
  if (g_in_runtime != 0 || before_control()) {
    advance_clock(kTick);
  } else {
    g_in_runtime = 1;
    if (look_at_time()) give_way_after_handler(context);
    g_in_runtime = 0;
  }
  return std::uint64_t(clock_reading(CLOCK_MONOTONIC));
}

std::uint64_t real_counter(const CounterRead& read, unsigned& cpu) {
  const CounterUntrapped real;
  return read.with_cpu ? __rdtscp(&cpu) : __rdtsc();
}

void execute(const CounterRead& read, bool is_virtual, ucontext_t& context) {
  auto& registers = context.uc_mcontext.gregs;
  unsigned cpu = 0;
  const std::uint64_t counter = is_virtual ? virtual_counter(context) : real_counter(read, cpu);
  registers[REG_RAX] = greg_t(counter & 0xffff'ffff);
  registers[REG_RDX] = greg_t(counter >> 32);
  if (read.with_cpu) registers[REG_RCX] = cpu;
  registers[REG_RIP] += read.length;
}

// The program handles, or ignores, a fault of its own: as without us. A fault comes again when the
// instruction is executed again; a signal that somebody sent is sent again.
void hand_over_to_program(const siginfo_t& info) {
  const struct sigaction& action = program_action(SIGSEGV);
  set_counter_trap(false);
  g_counter_trapped = false;
  g_counter_trap_changed = true;
  g_has_action = false;
  touch_outside();
  g_changed_actions |= signal_bit(SIGSEGV);
  RADDLE_REAL(sigaction)(SIGSEGV, &action, nullptr);
  if (info.si_code <= 0) signal_after_handler(SIGSEGV, &info);
}

bool was_read(const siginfo_t& info, ucontext_t& context) {
  if (info.si_code != SI_KERNEL) return false;
  const auto pc = std::uint64_t(context.uc_mcontext.gregs[REG_RIP]);
  const CounterRead read = counter_read_at(pc);
  if (read.length == 0) return false;
  const bool by_program = is_preemptible_code(pc);
  if (g_counter_trapped && (!by_program || on_controlled_thread() || before_control())) {
    execute(read, by_program, context);
    return true;
  }
  // The thread inherited it from one that is controlled. It reads the counter now.
  return has_counter_trap() && set_counter_trap(false);
}

// What the handler of crashes asks first about a SIGSEGV.
bool is_no_crash(const siginfo_t& info, ucontext_t& context) {
  if (was_read(info, context)) return true;
  if (!g_counter_trapped || !g_active || program_action(SIGSEGV).sa_handler == SIG_DFL)
    return false;
  hand_over_to_program(info);
  return true;
}

}  // namespace

void learn_counter_reads() {
  g_has_action = false;
  if (g_reads == Reads::kUnknown) g_reads = program_may_read_counter() ? Reads::kYes : Reads::kNo;
}

void trap_counter_early() {
  struct sigaction action{};
  RADDLE_REAL(sigaction)(SIGSEGV, nullptr, &action);
  if (action.sa_handler == SIG_DFL) trap_counter();
}

void trap_counter() {
  if (g_reads != Reads::kYes) return;
  if (!set_counter_trap(true)) {
    g_reads = Reads::kNo;
    return;
  }
  g_counter_trapped = true;
  g_counter_trap_changed = false;
  if (g_has_action) return;
  g_is_no_crash = is_no_crash;
  install_crash_handler(SIGSEGV);
  g_has_action = true;
}

void untrap_counter() {
  if (!g_counter_trapped) return;
  set_counter_trap(false);
  g_counter_trapped = false;
  const struct sigaction& action = program_action(SIGSEGV);
  if (g_in_process && action.sa_handler == SIG_DFL) return;  // the next execution needs ours
  RADDLE_REAL(sigaction)(SIGSEGV, &action, nullptr);
  g_has_action = false;
}

bool counter_gives_way() { return std::exchange(g_gives_way, false); }

}  // namespace raddle
