#include "target/unwind/atomic_blocks.hpp"

#include <string.h>
#include <unwind.h>

#include "target/base/base.hpp"
#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"

namespace raddle {
namespace {

// A deeper stack is not compared.
constexpr std::size_t kDeepest = 64;
constexpr std::uint64_t kHashedBytes = 256;  // at each end of a frame

struct StackFrame {
  std::uint64_t end;       // where the caller's frame begins
  std::uint64_t pc;        // return address
  std::uint64_t function;  // where it begins
  std::uint64_t state;     // hash of its registers and variables
};

struct StackOf {
  StackFrame frames[kDeepest];  // the program's own, innermost first
  std::size_t used;
  bool whole;
};

// What a thread's stack was when it took a lock last.
struct Acquisition {
  ObjectId lock;
  StackFrame* frames;
  std::size_t used;
  std::size_t capacity;
  std::uint64_t waits;  // of the thread, until then
  Acquisition* next;
};

constexpr std::uint64_t kNever =
    ~std::uint64_t{0};  // Acquisition::waits of one that begins no block
constexpr std::size_t kChains = 64;
struct Acquisitions {
  Acquisition* chains[kChains];
  std::uint64_t waits;
  bool woke;  // from a condition: the next acquisition is the end of that wait
};

Acquisitions& acquisitions_of(Thread& thread) {
  if (thread.acquisitions == nullptr) thread.acquisitions = arena_new<Acquisitions>();
  return *static_cast<Acquisitions*>(thread.acquisitions);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9fb21c651e98df25ULL;
  return hash ^ (hash >> 32);
}

std::uint64_t hash_bytes(std::uint64_t hash, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t at = begin; at + sizeof(std::uint64_t) <= end; at += sizeof(std::uint64_t)) {
    std::uint64_t word;
    memcpy(&word, reinterpret_cast<const void*>(at), sizeof(word));
    hash = mix(hash, word);
  }
  return hash;
}

std::uint64_t hash_frame(std::uint64_t hash, std::uint64_t begin, std::uint64_t end) {
  if (end - begin <= 2 * kHashedBytes) return hash_bytes(hash, begin, end);
  hash = hash_bytes(hash, begin, begin + kHashedBytes);
  return hash_bytes(hash, end - kHashedBytes, end);
}

std::uint64_t hash_registers(_Unwind_Context* context) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (int reg : {3, 6, 12, 13, 14, 15}) {  // rbx, rbp, r12 to r15, as DWARF numbers them
    hash = mix(hash, _Unwind_GetGR(context, reg));
  }
  return hash;
}

struct Walk {
  StackOf* stack;
  std::uint64_t begin;   // of the innermost frame that has no end yet, 0 if there is none
  bool outside;          // we have left the runtime's own frames
  std::uint64_t caller;  // of the intercepted function
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  StackOf& stack = *walk.stack;
  const std::uint64_t pc = _Unwind_GetIP(context);
  // The unwinder is one frame ahead: what it calls this frame's CFA is where it begins, and where
  // its callee's ended.
  const std::uint64_t begin = _Unwind_GetCFA(context);
  if (walk.begin != 0 && begin > walk.begin) {
    StackFrame& callee = stack.frames[stack.used - 1];
    callee.end = begin;
    callee.state = hash_frame(callee.state, walk.begin, begin);
  }
  walk.begin = 0;
  if (pc == 0) return _URC_END_OF_STACK;
  const bool own = is_own_code(pc) || in_hooks(pc);
  if (own && !walk.outside) return _URC_NO_REASON;
  if (!walk.outside) walk.caller = pc;
  walk.outside = true;
  if (own) return _URC_END_OF_STACK;  // the carrier's, at the far end
  if (!is_program_code(pc)) return _URC_NO_REASON;
  if (stack.used == kDeepest) {
    stack.whole = false;
    return _URC_END_OF_STACK;
  }
  stack.frames[stack.used++] = {0, pc, _Unwind_GetRegionStart(context), hash_registers(context)};
  walk.begin = begin;
  return _URC_NO_REASON;
}

Acquisition& find(Acquisitions& all, ObjectId lock) {
  Acquisition*& chain = all.chains[raw(lock) % kChains];
  for (Acquisition* entry = chain; entry != nullptr; entry = entry->next) {
    if (entry->lock == lock) return *entry;
  }
  auto* entry = arena_new<Acquisition>();
  entry->lock = lock;
  entry->next = chain;
  chain = entry;
  return *entry;
}

void remember(Acquisition& entry, const StackOf& stack) {
  if (stack.used > entry.capacity) {
    entry.frames = static_cast<StackFrame*>(arena_allocate(stack.used * sizeof(StackFrame)));
    entry.capacity = stack.used;
  }
  memcpy(entry.frames, stack.frames, stack.used * sizeof(StackFrame));
  entry.used = stack.whole ? stack.used : 0;
}

// The function is on the stack again, further in.
bool recurses(const StackOf& stack, std::size_t outer) {
  const std::size_t at = stack.used - 1 - outer;
  for (std::size_t i = 0; i < at; ++i) {
    if (stack.frames[i].function == stack.frames[at].function) return true;
  }
  return false;
}

// The innermost invocation that both stacks are in, and that has gone on to a later place of its
// code since.
bool same_block(const Acquisition& before, const StackOf& now) {
  for (std::size_t outer = 0; outer < before.used && outer < now.used; ++outer) {
    const StackFrame& a = before.frames[before.used - 1 - outer];
    const StackFrame& b = now.frames[now.used - 1 - outer];
    if (a.end != b.end || a.function != b.function) return false;
    if (a.pc == b.pc && a.state == b.state) continue;  // it stands as it stood: look inside
    // outer is 0 for the outermost function of the program.
    return outer > 0 && b.pc > a.pc && !recurses(now, outer);
  }
  return false;  // nothing changed at all
}

}  // namespace

void note_wait_for_others(Thread& thread) { ++acquisitions_of(thread).waits; }

void note_condition_wake(Thread& thread) {
  note_wait_for_others(thread);
  acquisitions_of(thread).woke = true;
}

bool takes_lock_again(Thread& thread, const Object& lock) {
  StackOf stack;
  stack.used = 0;
  stack.whole = true;
  Walk walk{&stack, 0, false, 0};
  _Unwind_Backtrace(step, &walk);
  Acquisitions& all = acquisitions_of(thread);
  Acquisition& last = find(all, lock.id);
  if (all.woke) {
    all.woke = false;
    last.waits = kNever;
    return false;
  }
  // A lock inside of the C++ library (of std::atomic_load() for a std::shared_ptr, say) is how one
  // operation is made atomic: nothing that the program holds.
  if (is_runtime_library(walk.caller)) return false;
  const bool again = stack.whole && last.waits == all.waits && same_block(last, stack);
  remember(last, stack);
  last.waits = all.waits;
  return again;
}

}  // namespace raddle
