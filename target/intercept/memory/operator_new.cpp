// operator new of all kinds, only to learn where the program calls it. The allocation itself is
// made by whatever the program would have called: its own operator in a library, or the C++
// library's. Exceptions (bad_alloc) pass through.
#include <cstddef>

#include "target/base/base.hpp"
#include "target/heap/guarded_heap.hpp"
#include "target/intercept/memory/allocation.hpp"
#include "target/state/heap_blocks.hpp"
#include "target/stream/stream.hpp"

namespace {

using namespace raddle;

struct Allocating {
  explicit Allocating(std::uint64_t site) : outer(g_allocation_site) {
    if (outer == 0) g_allocation_site = site;
  }
  ~Allocating() { g_allocation_site = outer; }
  std::uint64_t outer;
};

// Somebody wants to know where.
bool noted() {
  return g_stream != nullptr || g_heap_watched || g_heap_guarded || g_heap_early ||
         allocations_may_fail();
}

}  // namespace

// The asm names keep the compiler from taking these for the operators themselves.
#define RADDLE_OPERATOR_NEW(symbol, parameters, arguments)           \
  RADDLE_EXPORT void* raddle_##symbol parameters asm(#symbol);       \
  RADDLE_EXPORT void* raddle_##symbol parameters {                   \
    static void*(*real)parameters;                                   \
    if (__builtin_expect(real == nullptr, 0))                        \
      real = reinterpret_cast<decltype(real)>(next_symbol(#symbol)); \
    if (__builtin_expect(!noted(), 1)) return real arguments;        \
    Allocating scope(RADDLE_SITE);                                   \
    return real arguments;                                           \
  }

RADDLE_OPERATOR_NEW(_Znwm, (std::size_t size), (size))
RADDLE_OPERATOR_NEW(_Znam, (std::size_t size), (size))
RADDLE_OPERATOR_NEW(_ZnwmRKSt9nothrow_t, (std::size_t size, const void* tag), (size, tag))
RADDLE_OPERATOR_NEW(_ZnamRKSt9nothrow_t, (std::size_t size, const void* tag), (size, tag))
RADDLE_OPERATOR_NEW(_ZnwmSt11align_val_t, (std::size_t size, std::size_t align), (size, align))
RADDLE_OPERATOR_NEW(_ZnamSt11align_val_t, (std::size_t size, std::size_t align), (size, align))
RADDLE_OPERATOR_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t,
                    (std::size_t size, std::size_t align, const void* tag), (size, align, tag))
RADDLE_OPERATOR_NEW(_ZnamSt11align_val_tRKSt9nothrow_t,
                    (std::size_t size, std::size_t align, const void* tag), (size, align, tag))
#undef RADDLE_OPERATOR_NEW
