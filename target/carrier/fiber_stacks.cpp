#include "target/carrier/fiber_stacks.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "protocol/hooks_abi.h"
#include "protocol/value_log.hpp"
#include "target/base/base.hpp"
#include "target/base/forgetting.hpp"
#include "target/base/kernel_state.hpp"
#include "target/state/execution.hpp"

namespace raddle {
namespace {

// Stacks lie at fixed places. The process of a unit test has its addresses randomised, and an
// execution that was named in one run is to see the same addresses in the next. What else the
// program maps must not move its stacks, and a process that is put back keeps their mappings.
struct Area {
  std::uintptr_t begin;
  std::size_t size;
};
Area area() {
  if (plan().by_values || g_in_process) return {kSeparateStacks, kSeparateStacksSize};
  return {RADDLE_FIBER_AREA, RADDLE_AREA_SIZE};  // where locals that are gone are known
}

std::uint64_t g_execution = 1;
void count_execution() { ++g_execution; }
RADDLE_FORGETS(count_execution)

bool is_error(long result) { return result < 0 && result > -4096; }

long reserve(std::uintptr_t where, std::size_t size) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  if (where != 0) flags |= MAP_FIXED_NOREPLACE;
  return outside_syscall(SYS_mmap, long(where), long(size), PROT_NONE, flags, -1, 0);
}

}  // namespace

char* FiberStacks::map(std::size_t size, std::size_t guard) {
  long mapped = -1;
  const KeptMappings* kept = nullptr;
  const Area stacks = area();
  if (size <= stacks.size - area_used_) {
    const std::uintptr_t where = stacks.begin + area_used_;
    area_used_ += size;
    kept = count_ < kKept ? g_kept_mappings : nullptr;
    if (kept != nullptr && kept->has(where, size, guard)) return reinterpret_cast<char*>(where);
    mapped = reserve(where, size);
  }
  if (is_error(mapped)) {
    kept = nullptr;
    mapped = reserve(0, size);
  }
  if (is_error(mapped)) return nullptr;
  auto* memory = reinterpret_cast<char*>(mapped);
  if (outside_syscall(SYS_mprotect, as_arg(memory + guard), long(size - guard),
                      PROT_READ | PROT_WRITE) == 0) {
    if (kept != nullptr) kept->add(std::uint64_t(mapped), size, guard);
    return memory;
  }
  outside_syscall(SYS_munmap, as_arg(memory), long(size));
  return nullptr;
}

char* FiberStacks::take(std::size_t size, std::size_t guard, bool& has_tls) {
  while (first_free_ < count_ && !stacks_[first_free_].is_free) ++first_free_;
  for (std::size_t i = first_free_; i < count_; ++i) {
    Stack& stack = stacks_[i];
    if (!stack.is_free || stack.size != size || stack.guard != guard) continue;
    // Whether a thread before had ended must not show in the addresses of this one.
    if (plan().by_values && stack.used_in == g_execution) continue;
    stack.is_free = false;
    stack.used_in = g_execution;
    has_tls = stack.has_tls;
    return stack.memory;
  }
  has_tls = false;
  char* memory = map(size, guard);
  if (memory != nullptr && count_ < kKept)
    stacks_[count_++] = {memory, size, guard, g_execution, false, false};
  return memory;
}

FiberStacks::Stack* FiberStacks::kept(const char* memory) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (stacks_[i].memory == memory) return &stacks_[i];
  }
  return nullptr;
}

void FiberStacks::give_back(Stack* stack, char* memory, std::size_t size, bool has_tls) {
  if (stack == nullptr) {
    outside_syscall(SYS_munmap, as_arg(memory), long(size));
    return;
  }
  stack->is_free = true;
  stack->has_tls = has_tls;
  auto index = static_cast<std::size_t>(stack - stacks_);
  if (index < first_free_) first_free_ = index;
}

}  // namespace raddle
