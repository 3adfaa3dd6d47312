#include "target/stream/stack_names.hpp"

#include <string.h>

#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"
#include "target/state/execution.hpp"
#include "target/state/threads.hpp"
#include "target/unwind/stack.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kMainStack = 8 << 20;
constexpr std::uint32_t kMostFrames = 4096;  // that are remembered
constexpr std::uint32_t kLooksAtOne = 64;    // at one address: then it keeps the name that it has

// Only one thread runs: it is nobody else's.
Stack g_stack;

// A frame is known by where it ends and by the return address that lies there: another call of the
// same function from the same place looks the same, and has the same variables. But two variables
// of one function may share a place, in different scopes. So it also matters what the function is
// calling: the return address of that lies where the frame inside of it ends.
struct KnownFrame {
  std::uint64_t cfa;
  std::uint64_t returns;
  std::uint64_t inner_cfa;  // 0: it called the runtime itself
  std::uint64_t pc;
  std::uint32_t looks;  // for the same address
};
KnownFrame g_frames[kMostFrames];
std::uint32_t g_frame_count;

std::uint64_t return_address(std::uint64_t cfa) {
  std::uint64_t address;
  memcpy(&address, reinterpret_cast<const void*>(cfa - sizeof address), sizeof address);
  return address;
}

// The part of a thread's stack that is in use.
struct Range {
  std::uint64_t low;
  std::uint64_t high;
  bool has(std::uint64_t address) const { return address >= low && address < high; }
};

Range stack_of(const Thread& thread) {
  std::uint64_t low = thread.parked_at;
  if (&thread == g_current) low = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  if (thread.stack_low != 0) return {low, thread.stack_low + thread.stack_size};
  return {low, low + kMainStack};
}

// Whose stack an address is on; null if on none.
Thread* owner_of(std::uint64_t address) {
  const std::uint32_t threads = thread_count();
  for (std::uint32_t i = 0; i < threads; ++i) {
    Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
    const bool parked = thread.parked_at != 0 || &thread == g_current;
    if (thread.finished || !thread.begun || !parked) continue;
    if (stack_of(thread).has(address)) return &thread;
  }
  return nullptr;
}

bool has_helper(const Thread& thread) {
  return is_runtime_library(reinterpret_cast<std::uint64_t>(thread.start)) && !is_instrumented();
}

void look_at_stack(Thread& thread) {
  if (&thread == g_current) {
    capture_stack(g_stack);
  } else {
    capture_other(thread, g_stack);
  }
}

}  // namespace

void start_stack_names() { g_frame_count = 0; }

std::uint32_t find_frame(NewObject& object, std::uint32_t before) {
  if (is_instrumented() || (before == 0 && g_frame_count == kMostFrames)) return 0;
  Thread* owner = owner_of(object.address);
  if (owner == nullptr) return 0;
  look_at_stack(*owner);
  // Stacks grow down: the frame is the innermost one that ends above the address.
  for (std::uint16_t i = 0; i < g_stack.frames; ++i) {
    if (g_stack.cfa[i] <= object.address) continue;
    object.cfa = g_stack.cfa[i];
    object.pc[0] = g_stack.pc[i];
    object.frames = 1;
    const std::uint32_t number = before != 0 ? before : ++g_frame_count;
    KnownFrame& frame = g_frames[number - 1];
    const std::uint32_t looks = before != 0 ? frame.looks + 1 : 1;
    frame = {object.cfa, return_address(object.cfa), i > 0 ? g_stack.cfa[i - 1] : 0, object.pc[0],
             looks};
    return number;
  }
  return 0;
}

bool frame_stands(std::uint32_t number, std::uint64_t address, std::uint64_t code) {
  const KnownFrame& frame = g_frames[number - 1];
  if (frame.looks == kLooksAtOne) return true;
  const Thread* owner = owner_of(address);
  if (owner == nullptr) return false;
  const Range stack = stack_of(*owner);
  const auto returns = [&stack](std::uint64_t cfa, std::uint64_t to) {
    return stack.has(cfa - sizeof to) && stack.has(cfa - 1) && return_address(cfa) == to;
  };
  if (!returns(frame.cfa, frame.returns)) return false;
  if (frame.inner_cfa != 0) return returns(frame.inner_cfa, frame.pc);
  return owner != g_current || frame.pc == code;
}

std::uint64_t thread_key(const Thread& thread) {
  const auto start = reinterpret_cast<std::uint64_t>(thread.start);
  return has_helper(thread) ? raw(thread.pending.thread) : start;
}

bool find_functions(Thread& thread, NewObject& object) {
  if (thread.functions_told) return false;
  thread.functions_told = true;
  if (!has_helper(thread)) return false;
  look_at_stack(thread);
  if (g_stack.frames == kMaxFrames) return false;  // the outermost ones are missing
  object = {thread_key(thread)};
  for (std::uint16_t i = g_stack.frames; i-- > 0 && object.frames < kNewObjectFrames;) {
    if (is_program_code(g_stack.pc[i])) object.pc[object.frames++] = g_stack.pc[i];
  }
  return object.frames > 0;
}

}  // namespace raddle
