#include "target/waiting/local_state.hpp"

#include <stddef.h>
#include <string.h>
#include <unwind.h>

#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"

// Where, from its thread pointer, the kernel tells each kernel thread which processor it is on.
extern "C" __attribute__((weak)) const ptrdiff_t __rseq_offset;
// Where the main thread's stack begins.
extern "C" __attribute__((weak)) void* __libc_stack_end;

namespace raddle {
namespace {

constexpr std::uint64_t kRseqBytes = 32;
constexpr std::uint64_t kStartHash = 0xcbf29ce484222325ULL;
// The kernel maps nothing else so close below the main thread's stack.
constexpr std::uintptr_t kMainStack = std::uintptr_t{128} << 20;
// On a stack of the program's own making (coroutines, sigaltstack), whose end nobody knows.
constexpr std::uintptr_t kForeignBytes = 512;

struct Looking {
  const Thread& thread;
  LocalState state;
};

void mix(std::uint64_t& hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x100000001b3ULL;
  hash ^= hash >> 29;
}

bool is_on_stack_of(const Thread& thread, std::uintptr_t at) {
  const std::uintptr_t end = stack_end(thread);
  return at < end && end - at <= (thread.stack_low != 0 ? thread.stack_size : kMainStack);
}

void mix_stack(std::uint64_t& hash, const Thread& thread, std::uintptr_t at, std::uintptr_t end) {
  const AddressRange kernels = kernels_words(thread);
  for (; at + sizeof(std::uint64_t) <= end; at += sizeof(std::uint64_t)) {
    if (kernels.overlaps(at, sizeof(std::uint64_t))) continue;
    std::uint64_t word;
    memcpy(&word, reinterpret_cast<const void*>(at), sizeof(word));
    mix(hash, word);
  }
}

_Unwind_Reason_Code look(_Unwind_Context* context, void* data) {
  auto& looking = *static_cast<Looking*>(data);
  const std::uint64_t pc = _Unwind_GetIP(context);
  if (is_own_code(pc) || in_hooks(pc)) return _URC_NO_REASON;
  std::uint64_t hash = kStartHash;
  for (int reg : {3, 6, 12, 13, 14, 15})
    mix(hash, _Unwind_GetGR(context, reg));  // rbx, rbp, r12-15
  // The unwinder is one frame ahead: what it calls this frame's CFA is where this frame begins.
  const std::uintptr_t frame = _Unwind_GetCFA(context);
  mix(hash, frame);
  mix(hash, stack_hash(looking.thread, frame));
  looking.state = {pc, hash};
  return _URC_END_OF_STACK;
}

}  // namespace

LocalState local_state(const Thread& thread) {
  Looking looking{thread, {0, 0}};
  _Unwind_Backtrace(look, &looking);
  return looking.state;
}

LocalState interrupted_state(const Thread& thread, std::uintptr_t stack_pointer) {
  std::uint64_t hash = kStartHash;
  const std::uintptr_t from = (stack_pointer - kRedZone + kInnermostBytes) & ~std::uintptr_t{7};
  mix(hash, from);
  if (is_on_stack_of(thread, from)) mix_stack(hash, thread, from, stack_end(thread));
  return {1, hash};
}

std::uint64_t stack_hash(const Thread& thread, std::uintptr_t from) {
  std::uint64_t hash = kStartHash;
  mix_stack(hash, thread, from,
            is_on_stack_of(thread, from) ? stack_end(thread) : from + kForeignBytes);
  return hash;
}

std::uintptr_t stack_end(const Thread& thread) {
  if (thread.stack_low != 0) return thread.stack_low + thread.stack_size;
  return &__libc_stack_end != nullptr ? reinterpret_cast<std::uintptr_t>(__libc_stack_end) : 0;
}

AddressRange kernels_words(const Thread& thread) {
  if (&__rseq_offset == nullptr || thread.thread_pointer == nullptr) return {0, 0};
  const std::uintptr_t rseq =
      reinterpret_cast<std::uintptr_t>(thread.thread_pointer) + std::uintptr_t(__rseq_offset);
  return {rseq, rseq + kRseqBytes};
}

}  // namespace raddle
