/* What the sources of hooks/ have in common. Not for programs: they get abi.h through the pass.
 *
 * Rules: no library, no static data but the module's entry, nothing that unwinds. */
#ifndef RADDLE_HOOKS_HOOKS_H
#define RADDLE_HOOKS_HOOKS_H

#include "protocol/hooks_abi.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HOOKS_SECTION __attribute__((section("raddle_hooks")))
#define HOOK __attribute__((nothrow, visibility("hidden"))) HOOKS_SECTION
#define PART __attribute__((noinline)) HOOKS_SECTION
/* The slow paths: the fast ones save no registers for them. */
#define SLOW __attribute__((preserve_most, noinline, cold)) HOOKS_SECTION

/* protocol/event.hpp, which is C++; protocol/hooks_abi_test.cpp compares. */
enum {
  kRead = 13,
  kWrite = 14,
  kAtomicCompare = 20,
  kOrderMask = 7,
  kSuccess = 8,
};

/* C has no way to say that these bytes may be unaligned and of any type. */
typedef uint8_t RaddleBytes1;
#define UNALIGNED(bytes) RaddleBytes##bytes

extern RaddleModule __raddle_module __attribute__((visibility("hidden")));

#endif
