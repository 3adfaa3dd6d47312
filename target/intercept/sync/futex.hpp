// Futexes, for the interposed syscall(): std::atomic::wait, std::latch, std::counting_semaphore,
// futures and the guards of static variables use them without going through pthreads.
#pragma once

#include <time.h>

#include <cstdint>

namespace raddle {

// Arguments of a system call, and of a futex call by their names.
struct SystemCall {
  long arguments[6];
  std::uint64_t site;

  template <class T>
  T* pointer(int n) const {
    return reinterpret_cast<T*>(arguments[n]);
  }
  std::uint32_t* word() const { return pointer<std::uint32_t>(0); }
  int operation() const { return int(arguments[1]); }
  std::uint32_t value() const { return std::uint32_t(arguments[2]); }
  const timespec* time() const { return pointer<const timespec>(3); }
  int count2() const { return int(arguments[3]); }  // in place of the time
  std::uint32_t* word2() const { return pointer<std::uint32_t>(4); }
  std::uint32_t value3() const { return std::uint32_t(arguments[5]); }
};

// Inside a RuntimeScope. True if `result` is the call's, as the kernel's: a negative errno on
// failure. Otherwise the kernel decides.
bool futex(const SystemCall& call, long& result);

}  // namespace raddle
