// The heap: to learn that objects are gone (see forget_range), and to tell the event stream what is
// allocated where. None of these is a decision point; the work is done by whatever allocator the
// program has.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "target/code/instrumentation.hpp"
#include "target/intercept/memory/allocation.hpp"
#include "target/sched/scheduler.hpp"
#include "target/state/heap_blocks.hpp"
#include "target/state/object.hpp"
#include "target/state/value_log.hpp"
#include "target/stream/recorded.hpp"
#include "target/stream/stream.hpp"

namespace raddle {

std::uint64_t g_allocation_site;
std::uint32_t g_quiet_heap;

}  // namespace raddle

using namespace raddle;

namespace {

// The allocator's own work, so that a crash in there is known for one (inprocess/inprocess.hpp).
template <class Function, class... Arguments>
auto in_heap(Function function, Arguments... arguments) {
  if (__builtin_expect(!g_active, 1)) return function(arguments...);
  g_in_heap = true;
  struct Leave {
    ~Leave() { g_in_heap = false; }
  } leave;
  return function(arguments...);
}

// Looking up free() may itself free something, the text of an earlier error: that is leaked.
void real_free(void* block) {
  static void (*real)(void*);
  static bool looking;
  if (__builtin_expect(real == nullptr, 0)) {
    if (looking) return;
    looking = true;
    real = reinterpret_cast<void (*)(void*)>(next_symbol("free"));
    looking = false;
  }
  real(block);
}

bool noted() {
  return __builtin_expect(g_stream != nullptr || g_heap_watched, 0) && g_quiet_heap == 0 &&
         on_controlled_thread();
}

void* allocated(void* block, std::size_t bytes, std::uint64_t caller) {
  if (!noted()) return block;
  std::uint64_t site = allocating_site();
  if (site == 0) site = g_allocation_site;
  g_allocation_site = 0;
  if (block == nullptr) return block;
  if (g_heap_watched) note_block(block, bytes, site != 0 ? site : caller);
  if (g_stream == nullptr) return block;
  put_event(EventKind::allocate, 0, site != 0 ? any_site(site) : code_site(caller),
            reinterpret_cast<std::uint64_t>(block), bytes);
  return block;
}

void given_up(void* block, std::size_t bytes, std::uint64_t caller) {
  if (!noted()) return;
  if (g_heap_watched) forget_block(block);
  note(EventKind::free, caller, block, bytes);
}

}  // namespace

RADDLE_EXPORT void* malloc(std::size_t size) {
  return allocated(in_heap(RADDLE_REAL(malloc), size), size, RADDLE_SITE);
}

RADDLE_EXPORT void* calloc(std::size_t count, std::size_t size) {
  return allocated(in_heap(RADDLE_REAL(calloc), count, size), count * size, RADDLE_SITE);
}

RADDLE_EXPORT void* memalign(std::size_t alignment, std::size_t size) {
  return allocated(in_heap(RADDLE_REAL(memalign), alignment, size), size, RADDLE_SITE);
}

RADDLE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return allocated(in_heap(RADDLE_REAL(aligned_alloc), alignment, size), size, RADDLE_SITE);
}

RADDLE_EXPORT void* valloc(std::size_t size) {
  return allocated(in_heap(RADDLE_REAL(valloc), size), size, RADDLE_SITE);
}

RADDLE_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  int error = in_heap(RADDLE_REAL(posix_memalign), result, alignment, size);
  if (error == 0) allocated(*result, size, RADDLE_SITE);
  return error;
}

RADDLE_EXPORT void free(void* block) {
  if (block != nullptr && on_controlled_thread()) {
    std::size_t bytes = RADDLE_REAL(malloc_usable_size)(block);
    given_up(block, bytes, RADDLE_SITE);
    forget_range(block, bytes);
  }
  in_heap(real_free, block);
}

RADDLE_EXPORT void* realloc(void* block, std::size_t size) {
  if (!on_controlled_thread()) return RADDLE_REAL(realloc)(block, size);
  if (block == nullptr)
    return allocated(in_heap(RADDLE_REAL(realloc), block, size), size, RADDLE_SITE);
  std::size_t before = RADDLE_REAL(malloc_usable_size)(block);
  settle_value_in(block, before);
  void* moved = in_heap(RADDLE_REAL(realloc), block, size);
  bool gone = moved != nullptr || size == 0;
  // The allocator runs no code of the program: the order of these two is ours to choose.
  if (gone) given_up(block, before, RADDLE_SITE);
  if (moved != block && gone) forget_range(block, before);
  return allocated(moved, size, RADDLE_SITE);
}

RADDLE_EXPORT int munmap(void* memory, std::size_t size) {
  if (on_controlled_thread()) forget_range(memory, size);
  given_up(memory, size, RADDLE_SITE);
  return RADDLE_REAL(munmap)(memory, size);
}
