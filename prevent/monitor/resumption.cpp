#include "prevent/monitor/resumption.hpp"

#include <errno.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "prevent/monitor/kernel_view.hpp"

namespace raddle::monitor {

#ifdef __x86_64__

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillisecond = 1'000'000;

// How a call can go on after a signal.
enum class Way {
  none,
  kernel,      // it does by itself
  again,       // the same call: it has no time-out, or an absolute one, or counts down by itself
  less_third,  // the same, with fewer milliseconds in the third argument
  less_fourth,
  sleep  // the rest of the time
};

// The kernel gives addresses as numbers.
template <class T>
const T* at_address(std::uint64_t address) {
  return reinterpret_cast<const T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

bool waits_without_time_out(std::uint64_t descriptor, int option) {
  timeval time{};
  socklen_t size = sizeof(time);
  return getsockopt(int(descriptor), SOL_SOCKET, option, &time, &size) != 0 ||
         (time.tv_sec == 0 && time.tv_usec == 0);
}

Way by_milliseconds(std::uint64_t time, Way less) { return int(time) < 0 ? Way::again : less; }

Way way_of_futex(const Interrupted& call) {
  if (call.arguments[3] == 0) return Way::kernel;
  const std::uint64_t operation = call.arguments[1] & FUTEX_CMD_MASK;
  return operation == FUTEX_WAIT_BITSET ? Way::again : Way::none;
}

Way way_of(const Interrupted& call) {
  switch (call.call) {
    case SYS_futex:
      return way_of_futex(call);
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
      return waits_without_time_out(call.arguments[0], SO_RCVTIMEO) ? Way::kernel : Way::none;
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
      return waits_without_time_out(call.arguments[0], SO_SNDTIMEO) ? Way::kernel : Way::none;
    case SYS_wait4:
    case SYS_waitid:
      return Way::kernel;
    case SYS_pause:
    case SYS_select:
    case SYS_pselect6:
    case SYS_ppoll:
      return Way::again;
    case SYS_poll:
      return by_milliseconds(call.arguments[2], Way::less_third);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return by_milliseconds(call.arguments[3], Way::less_fourth);
    case SYS_nanosleep:
      return Way::sleep;
    case SYS_clock_nanosleep:
      return (call.arguments[1] & TIMER_ABSTIME) != 0 ? Way::again : Way::sleep;
    default:
      return Way::none;
  }
}

// After the `syscall` instruction of that very call, which a signal has ended.
bool is_in(const greg_t* registers, const Interrupted& call) {
  constexpr unsigned char kInstruction[] = {0x0f, 0x05};
  const auto* at = at_address<unsigned char>(std::uint64_t(registers[REG_RIP]));
  return registers[REG_RAX] == -EINTR && std::memcmp(at - 2, kInstruction, 2) == 0 &&
         std::uint64_t(registers[REG_RDI]) == call.arguments[0] &&
         std::uint64_t(registers[REG_RSI]) == call.arguments[1] &&
         std::uint64_t(registers[REG_RDX]) == call.arguments[2] &&
         std::uint64_t(registers[REG_R10]) == call.arguments[3];
}

void call_again(greg_t* registers, long number) {
  registers[REG_RIP] -= 2;
  registers[REG_RAX] = number;
}

greg_t fewer(std::uint64_t milliseconds, std::int64_t since) {
  return std::max<greg_t>(int(milliseconds) - (now_ns() - since) / kMillisecond, 0);
}

// The kernel has written down what is left, if the program wanted to know.
std::int64_t rest_of_sleep(const Interrupted& call) {
  const std::uint64_t* arguments = call.arguments + (call.call == SYS_nanosleep ? 0 : 2);
  if (const timespec* rest = at_address<timespec>(arguments[1]))
    return rest->tv_sec * kSecond + rest->tv_nsec;
  const timespec* all = at_address<timespec>(arguments[0]);
  return all->tv_sec * kSecond + all->tv_nsec - (now_ns() - call.since);
}

void sleep_on(const Interrupted& call, greg_t* registers) {
  const std::int64_t until = now_ns() + rest_of_sleep(call);
  const timespec end{until / kSecond, until % kSecond};
  if (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == 0)
    registers[REG_RAX] = 0;
}

}  // namespace

bool can_resume(const Interrupted& call) { return way_of(call) != Way::none; }

void resume(const Interrupted& call, void* context) {
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const Way way = way_of(call);
  if (way == Way::none || way == Way::kernel || !is_in(registers, call)) return;
  switch (way) {
    case Way::none:
    case Way::kernel:
      break;
    case Way::sleep:
      sleep_on(call, registers);
      break;
    case Way::less_third:
      registers[REG_RDX] = fewer(call.arguments[2], call.since);
      call_again(registers, call.call);
      break;
    case Way::less_fourth:
      registers[REG_R10] = fewer(call.arguments[3], call.since);
      call_again(registers, call.call);
      break;
    case Way::again:
      call_again(registers, call.call);
      break;
  }
}

#else

bool can_resume(const Interrupted& call) {
  return call.call == SYS_futex && call.arguments[3] == 0;
}
void resume(const Interrupted&, void*) {}

#endif

}  // namespace raddle::monitor
