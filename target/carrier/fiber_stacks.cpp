#include "target/carrier/fiber_stacks.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"
#include "target/state/execution.hpp"

namespace raddle {
namespace {

// Where the stacks of in-process executions lie. The process of a unit test has its addresses
// randomised, and an execution that was named in one run is to see the same addresses in the next.
// Neither the kernel nor sanitizers put anything there by themselves.
constexpr std::uintptr_t kArea = 0x6a00'0000'0000;
constexpr std::size_t kAreaSize = std::size_t{1} << 40;

bool is_error(long result) { return result < 0 && result > -4096; }

long reserve(std::uintptr_t where, std::size_t size) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  if (where != 0) flags |= MAP_FIXED_NOREPLACE;
  return raw_syscall(SYS_mmap, long(where), long(size), PROT_NONE, flags, -1, 0);
}

}  // namespace

char* FiberStacks::map(std::size_t size, std::size_t guard) {
  long mapped = -1;
  if (g_in_process && size <= kAreaSize - area_used_) {
    mapped = reserve(kArea + area_used_, size);
    area_used_ += size;
  }
  if (is_error(mapped)) mapped = reserve(0, size);
  if (is_error(mapped)) return nullptr;
  auto* memory = reinterpret_cast<char*>(mapped);
  if (raw_syscall(SYS_mprotect, as_arg(memory + guard), long(size - guard),
                  PROT_READ | PROT_WRITE) == 0) {
    return memory;
  }
  raw_syscall(SYS_munmap, as_arg(memory), long(size));
  return nullptr;
}

char* FiberStacks::take(std::size_t size, std::size_t guard, bool& has_tls) {
  while (first_free_ < count_ && !stacks_[first_free_].is_free) ++first_free_;
  for (std::size_t i = first_free_; i < count_; ++i) {
    Stack& stack = stacks_[i];
    if (!stack.is_free || stack.size != size || stack.guard != guard) continue;
    stack.is_free = false;
    has_tls = stack.has_tls;
    return stack.memory;
  }
  has_tls = false;
  char* memory = map(size, guard);
  if (memory != nullptr && count_ < kKept) stacks_[count_++] = {memory, size, guard, false, false};
  return memory;
}

FiberStacks::Stack* FiberStacks::find(const char* memory) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (stacks_[i].memory == memory) return const_cast<Stack*>(&stacks_[i]);
  }
  return nullptr;
}

void FiberStacks::give_back(char* memory, std::size_t size, bool has_tls) {
  Stack* stack = find(memory);
  if (stack == nullptr) {
    raw_syscall(SYS_munmap, as_arg(memory), long(size));
    return;
  }
  stack->is_free = true;
  stack->has_tls = has_tls;
  auto index = static_cast<std::size_t>(stack - stacks_);
  if (index < first_free_) first_free_ = index;
}

}  // namespace raddle
