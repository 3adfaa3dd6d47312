// Stacks, with the unwinder of libgcc (linked statically: the program's own may be another one).
#include "target/unwind/stack.hpp"

#include <link.h>
#include <unwind.h>

#include "target/carrier/carrier.hpp"
#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"
#include "target/state/execution.hpp"

namespace raddle {
namespace {

struct Walk {
  std::uint64_t* pc;
  std::uint64_t* cfa;  // null: not wanted
  std::uint16_t capacity;
  std::uint16_t frames;
  bool outside;         // we have left the runtime's own frames
  bool first_is_exact;  // pc[0] is an interrupted instruction, not a return address
  bool taken;           // the frame before this one is pc[frames - 1]
  bool interrupted;     // by a signal; from here on:
  bool in_program;      // one of the frames is the program's own
  bool for_program;     // the runtime's frames came before any of those
  std::uint64_t begins;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  int before_instruction = 0;
  std::uint64_t pc = _Unwind_GetIPInfo(context, &before_instruction);
  // The unwinder is one frame ahead: what it calls this frame's CFA belongs to the one before.
  if (walk.taken && walk.cfa != nullptr) walk.cfa[walk.frames - 1] = _Unwind_GetCFA(context);
  walk.taken = false;
  if (pc == 0) return _URC_END_OF_STACK;
  const bool hook = in_hooks(pc);
  const bool own = is_own_code(pc);
  if (!walk.outside && (hook || own) && before_instruction == 0) return _URC_NO_REASON;
  // Where a signal interrupted the program is where its stack begins: what came before are the
  // frames of our own handler and libc's return from it.
  if (before_instruction != 0) {
    walk.frames = 0;
    walk.interrupted = true;
    walk.in_program = walk.for_program = false;
    walk.first_is_exact = !hook;
  }
  // It may have interrupted what the runtime does for the program: an atomic operation on a bad
  // address, or free() of what is no block, in libc. Then the stack begins where the program called
  // for it.
  if (own && walk.interrupted && !walk.in_program) {
    walk.for_program = true;
    return _URC_NO_REASON;
  }
  if (walk.interrupted && !hook && is_program_code(pc)) {
    if (walk.for_program) walk.frames = 0;
    if (walk.for_program) walk.first_is_exact = false;
    walk.for_program = false;
    walk.in_program = true;
  }
  if (walk.for_program) return _URC_NO_REASON;
  walk.outside = true;
  // A hook looks at the program's memory just before the program does: a bad access is its
  // caller's.
  if (hook) return _URC_NO_REASON;
  // Frames of the thread's carrier at the far end are ours again.
  if (own) return _URC_END_OF_STACK;
  if (walk.frames == walk.capacity) return _URC_END_OF_STACK;
  if (walk.frames == 0) walk.begins = walk.interrupted ? 0 : _Unwind_GetCFA(context);
  walk.pc[walk.frames++] = pc;
  walk.taken = true;
  if (walk.cfa != nullptr) walk.cfa[walk.frames - 1] = 0;
  return _URC_NO_REASON;
}

Walk walk_stack(std::uint64_t* pc, std::uint64_t* cfa, std::uint16_t capacity) {
  Walk walk{pc, cfa, capacity, 0, false, false, false, false, false, false, 0};
  _Unwind_Backtrace(step, &walk);
  return walk;
}

}  // namespace

std::uint64_t capture_stack(Stack& stack) {
  const Walk walk = walk_stack(stack.pc, stack.cfa, kMaxFrames);
  stack.frames = walk.frames;
  stack.first_is_exact = walk.first_is_exact;
  return walk.begins;
}

std::uint64_t capture_other(Thread& thread, Stack& stack) {
  Thread& reporter = self();
  thread.capture = &stack;
  thread.capture_for = &reporter;
  carrier().switch_to(reporter, thread);
  g_current = &reporter;
  return thread.captured_from;
}

void show_stack(Thread& thread) {
  g_current = &thread;
  while (thread.capture != nullptr) {
    thread.captured_from = capture_stack(*thread.capture);
    thread.capture = nullptr;
    Thread& reporter = *thread.capture_for;
    g_current = &reporter;
    carrier().switch_to(thread, reporter);
    g_current = &thread;
  }
}

std::uint16_t capture_frames(std::uint64_t* pc, std::uint16_t capacity) {
  return walk_stack(pc, nullptr, capacity).frames;
}

void note_site(Thread& thread) {
  if (thread.site_pc == nullptr) thread.site_pc = arena_array<std::uint64_t>(kMaxStepFrames);
  thread.site_frames = capture_frames(thread.site_pc, kMaxStepFrames);
}

}  // namespace raddle
