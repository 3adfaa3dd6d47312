/* Common to the sources of hooks/. Programs do not include it: the pass calls the hooks for them.
 *
 * Rules: no library, no static data except the module's entry, nothing that unwinds. */
#ifndef RADDLE_HOOKS_HOOKS_H
#define RADDLE_HOOKS_HOOKS_H

#include "protocol/hooks_abi.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HOOKS_SECTION __attribute__((section("raddle_hooks")))
#define HOOK __attribute__((nothrow, visibility("hidden"))) HOOKS_SECTION
#define PART __attribute__((noinline)) HOOKS_SECTION
/* A slow path saves all registers, so that the fast path to it need not. */
#define SLOW __attribute__((preserve_most, noinline, cold)) HOOKS_SECTION

/* The numbers of protocol/event.hpp, which is C++. compiler/hooks/abi_test.cpp compares them. */
enum {
  kRead = 13,
  kWrite = 14,
  kWriteRange = 16,
  kAtomicCompare = 20,
  kOrderMask = 7,
  kSuccess = 8,
};

/* C has no way to say that these bytes may be unaligned and of any type. */
typedef uint8_t RaddleBytes1;
#define UNALIGNED(bytes) RaddleBytes##bytes

extern RaddleModule __raddle_module __attribute__((visibility("hidden")));

#endif
