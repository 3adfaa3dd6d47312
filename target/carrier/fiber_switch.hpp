// The switch between two fibers, inline: every return of a function that was entered on the other
// fiber is mispredicted by the processor, so each call level costs more than the switch's own
// instructions. There is not even a call of the switch itself: it would leave an entry in the
// processor's stack of return addresses, and all returns after it would be predicted from the wrong
// one.
#pragma once

#include <asm/prctl.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"
#include "target/state/thread.hpp"

namespace raddle {

extern bool g_have_wrfsbase;
extern Thread* g_ended_fiber;  // a detached one, whose stack is to be released
void release_ended_fiber();

__attribute__((always_inline)) inline void set_thread_pointer(void* pointer) {
  if (__builtin_expect(g_have_wrfsbase, 1)) {
    asm volatile("wrfsbase %0" : : "r"(pointer) : "memory");
  } else {
    raw_syscall(SYS_arch_prctl, ARCH_SET_FS, as_arg(pointer));
  }
}

// What a parked fiber has at the top of its stack.
struct ParkedFrame {
  std::uint32_t vector_control;  // rounding and exceptions are each thread's own: SSE,
  std::uint32_t x87_control;     // and x87
  void* kept[5];                 // rbx, r12 to r15
  void* frame_pointer;
  void (*resume)();
};

// Puts the running fiber's stack pointer at `*from`, and goes on where `to` was put. The red zone
// is stepped over. Registers that a function keeps for its caller are kept here, not left to the
// compiler: it would have to save them on the way to every decision, and few of those switch. The
// control words are mostly the same in all threads, and loading them takes longer than comparing.
__attribute__((always_inline)) inline void swap_stacks(void** from, void* to) {
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "pushq %%rbp\n\t"
      "pushq %%r15\n\t"
      "pushq %%r14\n\t"
      "pushq %%r13\n\t"
      "pushq %%r12\n\t"
      "pushq %%rbx\n\t"
      "leaq -8(%%rsp), %%rsp\n\t"
      "stmxcsr (%%rsp)\n\t"
      "fnstcw 4(%%rsp)\n\t"
      "movl (%%rsp), %%eax\n\t"
      "movzwl 4(%%rsp), %%ecx\n\t"
      "movq %%rsp, (%0)\n\t"
      "movq %1, %%rsp\n\t"
      "cmpl %%eax, (%%rsp)\n\t"
      "jne 2f\n\t"
      "cmpw %%cx, 4(%%rsp)\n\t"
      "je 3f\n"
      "2:\n\t"
      "ldmxcsr (%%rsp)\n\t"
      "fldcw 4(%%rsp)\n"
      "3:\n\t"
      "leaq 8(%%rsp), %%rsp\n\t"
      "popq %%rbx\n\t"
      "popq %%r12\n\t"
      "popq %%r13\n\t"
      "popq %%r14\n\t"
      "popq %%r15\n\t"
      "popq %%rbp\n\t"
      "popq %%rax\n\t"
      "jmp *%%rax\n"
      "1:\n\t"
      "subq $-128, %%rsp"
      : "+D"(from), "+S"(to)
      :
      : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
        "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
        "xmm15", "memory", "cc");
}

__attribute__((always_inline)) inline void switch_fiber(Thread& from, Thread& to) {
  set_thread_pointer(to.thread_pointer);
  swap_stacks(&from.context, to.context);
  if (__builtin_expect(g_ended_fiber != nullptr, 0)) release_ended_fiber();
}

}  // namespace raddle
