/* What the sources of hooks/ have in common. Not for programs: they get abi.h through the pass.
 *
 * Rules: no library, no static data but the module's entry, nothing that unwinds. */
#ifndef RADDLE_HOOKS_HOOKS_H
#define RADDLE_HOOKS_HOOKS_H

#include "hooks/abi.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HOOKS_SECTION __attribute__((section("raddle_hooks")))
#define HOOK __attribute__((preserve_most, nothrow, visibility("hidden"))) HOOKS_SECTION
#define CALL __attribute__((nothrow, visibility("hidden"))) HOOKS_SECTION
#define SLOW __attribute__((preserve_most, noinline, cold)) HOOKS_SECTION

typedef uint8_t UnalignedBytes1;
typedef uint16_t UnalignedBytes2 __attribute__((aligned(1), may_alias));
typedef uint32_t UnalignedBytes4 __attribute__((aligned(1), may_alias));
typedef uint64_t UnalignedBytes8 __attribute__((aligned(1), may_alias));
#define UNALIGNED(bytes) UnalignedBytes##bytes

/* trace/event.hpp and trace/stream.hpp, which are C++; hooks/abi_test.cpp compares. */
enum {
  kAtomicCompare = 20,
  kOrderMask = 7,
  kSuccess = 8,
  kRawSize = 0xf0,
  kRawValue = 0xf1,
  kRawCall = 0xf3,
  kRawSetjmp = 0xf4,
  kRawIgnore = 0xf5,
  kRawName = 0xf6,
  kNameObject = 0,
  kNameRunningThread = 2,
};

extern RaddleModule __raddle_module __attribute__((visibility("hidden")));

#endif
