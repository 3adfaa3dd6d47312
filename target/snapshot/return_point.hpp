// A point in the program's code that control can go back to, whatever the stack has become since:
// the registers that a function keeps for its caller. Memory is somebody else's business.
#pragma once

#include <cstdint>

namespace raddle {

struct ReturnPoint {
  std::uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
  std::uint32_t vector_control;  // mxcsr
  std::uint32_t float_control;   // x87
};

// 0 when it saves the point; 1 each time that go_to() comes back to it. The caller's frame must be
// then as it was at some time between the two.
extern "C" __attribute__((returns_twice)) int raddle_save_point(ReturnPoint* point);
extern "C" [[noreturn]] void raddle_go_to(const ReturnPoint* point);

// Calls `body` on another stack; it does not return.
extern "C" [[noreturn]] void raddle_run_on(void* stack_top, void (*body)());

}  // namespace raddle
