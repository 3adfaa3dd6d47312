#include "target/instrumented/stack_faults.hpp"

#include <unwind.h>

#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"
#include "target/state/execution.hpp"
#include "target/state/threads.hpp"
#include "target/unwind/stack.hpp"
#include "target/waiting/local_state.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kMainStack = 8 << 20;

Stack g_stack;  // only one thread runs: it is nobody else's

bool is_on_stack_of(const Thread& thread, std::uint64_t address) {
  const std::uint64_t end = stack_end(thread);
  const std::uint64_t size = thread.stack_low != 0 ? thread.stack_size : kMainStack;
  return address < end && end - address <= size;
}

// One that has ended and was joined, or detached, has no stack any more.
bool has_stack(const Thread& thread) {
  if (!thread.begun) return false;
  return !thread.finished || (!thread.detached && thread.handle != 0 && thread.joiner == nullptr);
}

// Several that have ended may have had it, one after the other: the last one.
Thread* owner_of(std::uint64_t address) {
  Thread* owner = nullptr;
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
    if (!has_stack(thread) || !is_on_stack_of(thread, address)) continue;
    if (!thread.finished) return &thread;
    owner = &thread;
  }
  return owner;
}

bool tells_of_locals(std::uint64_t pc) {
  const auto function = reinterpret_cast<std::uint64_t>(
      _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(pc - 1)));
  if (function == 0) return false;
  for (const RaddleModule* m = g_hooks_state->modules; m != nullptr; m = m->next) {
    for (const std::int32_t* entry = m->tellers_begin; entry < m->tellers_end; ++entry) {
      if (reinterpret_cast<std::uint64_t>(entry) + std::uint64_t(std::int64_t{*entry}) == function)
        return true;
    }
  }
  return false;
}

// From the innermost frame outwards: which one lies there.
bool is_nobodys(const Stack& stack, std::uint64_t begin, std::uint64_t address) {
  if (stack.frames == 0 || begin == 0) return false;
  if (address < begin) return true;
  bool in_library = true;
  for (std::uint16_t i = 0; i < stack.frames && stack.cfa[i] != 0; ++i) {
    in_library = in_library && is_runtime_library(stack.pc[i]);
    if (address >= stack.cfa[i]) continue;
    return in_library || tells_of_locals(stack.pc[i]);
  }
  return false;
}

}  // namespace

const Thread* owner_of_gone(std::uint64_t address) {
  Thread* owner = owner_of(address);
  if (owner == nullptr || owner == g_current) return nullptr;
  if (owner->finished) return owner;
  if (owner->parked_at == 0 || !is_on_stack_of(*owner, owner->parked_at)) return nullptr;
  const std::uint64_t begin = capture_other(*owner, g_stack);
  return is_nobodys(g_stack, begin, address) ? owner : nullptr;
}

}  // namespace raddle
