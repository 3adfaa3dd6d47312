// The heap: to learn that objects are gone (see forget_range), and to tell the event stream what is
// allocated where. To free is a decision point in instrumented programs (instrumented/freeing.hpp),
// to allocate is none. The work is done by whatever allocator the program has; in instrumented
// programs by one that sees memory faults (heap/guarded_heap.hpp); where executions follow each
// other in one process, by one that gives them all the same addresses (heap/execution_heap.hpp);
// where explorers go by values, by one whose addresses no schedule changes
// (state/separate_heaps.hpp).
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bit>

#include "target/base/forgetting.hpp"
#include "target/base/kernel_state.hpp"
#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"
#include "target/heap/execution_heap.hpp"
#include "target/heap/guarded_heap.hpp"
#include "target/heap/quarantine.hpp"
#include "target/instrumented/freeing.hpp"
#include "target/instrumented/memory_faults.hpp"
#include "target/intercept/memory/allocation.hpp"
#include "target/sched/circumstances.hpp"
#include "target/sched/scheduler.hpp"
#include "target/state/heap_blocks.hpp"
#include "target/state/object.hpp"
#include "target/state/quiet_heap.hpp"
#include "target/state/separate_heaps.hpp"
#include "target/state/value_log.hpp"
#include "target/stream/recorded.hpp"
#include "target/stream/stream.hpp"

namespace raddle {

std::uint64_t g_allocation_site;

}  // namespace raddle

using namespace raddle;

namespace {

constexpr std::size_t kPage = 4096;

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

void settle_heap() { g_heap.settle(); }
RADDLE_FORGETS(settle_heap)

// The program allocates, not the runtime for what it keeps from one execution to the next.
bool in_own_heap() {
  return g_in_process && g_heap.is_open() && g_quiet_heap == 0 && on_controlled_thread();
}

// A block that no schedule moves, if the plan wants that. The C library allocates for whoever comes
// first, so its blocks are none of those.
void* apart(std::size_t bytes, std::size_t alignment, std::uint64_t caller) {
  if (__builtin_expect(!g_separate_heaps, 1) || g_quiet_heap != 0 || !on_controlled_thread() ||
      !is_preemptible_code(caller))
    return nullptr;
  return allocate_apart(self().pending.thread, bytes, alignment);
}

std::uint64_t site_of(std::uint64_t caller) {
  return g_allocation_site != 0 ? g_allocation_site : caller;
}

// Of an instrumented program, whose accesses are judged. What the C library allocates for itself is
// no business of theirs.
void* guarded(std::size_t bytes, std::size_t alignment, std::uint64_t caller) {
  if (__builtin_expect(g_heap_early, 0) && is_preemptible_code(caller))
    return g_guarded_heap.allocate(bytes, alignment, site_of(caller), raw(kMainThread));
  if (__builtin_expect(!g_heap_guarded, 1) || g_quiet_heap != 0 || !on_controlled_thread() ||
      !is_preemptible_code(caller))
    return nullptr;
  return g_guarded_heap.allocate(bytes, alignment, site_of(caller), raw(self().pending.thread));
}

[[gnu::noinline]] void* guarded_or_apart(std::size_t bytes, std::size_t alignment,
                                         std::uint64_t caller) {
  if (void* block = guarded(bytes, alignment, caller)) return block;
  return apart(bytes, alignment, caller);
}

void* from_own_heap(std::size_t bytes, std::size_t alignment, std::uint64_t caller) {
  if (__builtin_expect(g_heap_early || g_heap_guarded || g_separate_heaps, 0))
    if (void* block = guarded_or_apart(bytes, alignment, caller)) return block;
  return in_own_heap() ? g_heap.allocate(bytes, alignment) : nullptr;
}

// Whether this allocation finds no memory, where the plan has that happen: to the program itself,
// also by operator new, and not to the C library on its behalf.
[[gnu::noinline]] bool chosen_to_find_none(std::uint64_t caller) {
  if (g_quiet_heap != 0 || !controlled()) return false;
  if (g_allocation_site == 0 && !is_preemptible_code(caller)) return false;
  constexpr std::uint32_t kOdds = 64;  // one in so many
  RuntimeScope scope;
  if (choose_value(kOdds) != 0) return false;
  note_failed_allocation();
  g_allocation_site = 0;
  errno = ENOMEM;
  return true;
}

inline bool finds_none(std::uint64_t caller) {
  return __builtin_expect(allocations_may_fail(), 0) && chosen_to_find_none(caller);
}

void* any_malloc(std::size_t bytes, std::uint64_t caller) {
  void* block = from_own_heap(bytes, 1, caller);
  return block != nullptr ? block : in_heap(RADDLE_REAL(malloc), bytes);
}

void* any_calloc(std::size_t count, std::size_t size, std::uint64_t caller) {
  std::size_t bytes = 0;
  if (!__builtin_mul_overflow(count, size, &bytes)) {
    void* block = from_own_heap(bytes, 1, caller);
    if (block != nullptr) return memset(block, 0, bytes);
  }
  return in_heap(RADDLE_REAL(calloc), count, size);
}

void* any_aligned(void* (*real)(std::size_t, std::size_t), std::size_t alignment, std::size_t size,
                  std::uint64_t caller) {
  // What the C library refuses, or makes a power of two of, is its own matter.
  void* block = std::has_single_bit(alignment) ? from_own_heap(size, alignment, caller) : nullptr;
  return block != nullptr ? block : in_heap(real, alignment, size);
}

std::size_t size_of_block(void* block) {
  if (GuardedHeap::owns(block)) return g_guarded_heap.size(block);
  if (is_apart(block)) return size_apart(block);
  return g_heap.owns(block) ? g_heap.capacity(block) : RADDLE_REAL(malloc_usable_size)(block);
}

// The allocator is about to give memory back that it has mapped for one block alone, perhaps since
// before the execution began. Of glibc's blocks a bit of the word before them says so; that of
// another allocator's may not be there, so it is read only in the same page.
void note_if_mapped_alone(void* block, bool is_freed) {
  constexpr std::uintptr_t kMapped = 2;
  constexpr std::uintptr_t kFlags = 7;
  if (g_kept_mappings == nullptr || block == nullptr || GuardedHeap::owns(block)) return;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  auto* header = static_cast<std::uintptr_t*>(block) - 2;  // bytes before it, size and flags
  if (address % kPage < 2 * sizeof(*header)) {
    g_mappings_changed = true;
    return;
  }
  const std::uintptr_t before = header[0];
  const std::uintptr_t size = header[1];
  if ((size & kMapped) == 0) return;
  g_mappings_changed = true;
  if (!is_freed) return;
  if (!g_kept_mappings->park(address - 2 * sizeof(*header) - before, before + (size & ~kFlags)))
    return;
  header[0] = before;  // the allocator looks there
  header[1] = size;
}

[[noreturn]] void refuse_free() {
  write_text("free(): this block was freed before, or it is none\n");
  abort();
}

// Of the guarded heap. Whoever is not under control, a child of the program say, leaves it alone.
void free_guarded(void* block, std::uint64_t caller) {
  if (!g_heap_early && !on_controlled_thread()) return;
  const ThreadId by = g_heap_early ? kMainThread : self().pending.thread;
  const GuardedHeap::Release how = g_guarded_heap.release(block, caller, raw(by));
  if (how == GuardedHeap::Release::kFreed) return;
  if (!g_heap_guarded) refuse_free();
  bad_free(block, how);
}

// The program's own allocator gets it back later. False: it is too large for that, or the program
// is not under control.
bool kept_back(void* block) {
  if (!g_frees_kept || g_quiet_heap != 0 || block == nullptr || !on_controlled_thread())
    return false;
  const std::size_t bytes = RADDLE_REAL(malloc_usable_size)(block);
  if (bytes == 0 || bytes > Quarantine::kLargest) return false;
  if (!g_quarantine.take(block, bytes)) refuse_free();
  while (void* oldest = g_quarantine.next_to_free()) in_heap(real_free, oldest);
  return true;
}

void any_free(void* block, std::uint64_t caller) {
  if (GuardedHeap::owns(block) && g_guarded_heap.is_mapped()) return free_guarded(block, caller);
  if (is_apart(block)) {
    if (free_apart(block)) return;
    refuse_free();
  }
  if (!g_heap.owns(block)) {
    if (kept_back(block)) return;
    note_if_mapped_alone(block, true);
    in_heap(real_free, block);
    return;
  }
  // The runtime's own releases on the way count as the program's: they are part of the execution.
  const bool released = g_in_process && on_controlled_thread() ? g_heap.release(block) != 0
                                                               : g_heap.release_later(block);
  if (!released) refuse_free();
}

// What free() comes to in an execution of raddle::check where nobody wants to know of it.
void free_in_execution(void* block) {
  const std::size_t bytes = g_heap.release(block);
  if (bytes == 0) refuse_free();
  forget_range(block, bytes);  // nobody else has run since
}

void* any_realloc(void* block, std::size_t size, std::uint64_t caller) {
  if (block == nullptr) return any_malloc(size, caller);
  const bool is_guarded = GuardedHeap::owns(block);
  if (!is_apart(block) && !g_heap.owns(block) && !is_guarded)
    return in_heap(RADDLE_REAL(realloc), block, size);
  const std::size_t before = size_of_block(block);
  // A guarded block always moves: whoever has the old address is to be seen.
  if (!is_guarded && size != 0 && size <= before && size > before / 2) return block;
  if (size == 0) {
    any_free(block, caller);
    return nullptr;
  }
  if (is_guarded && on_controlled_thread() && !g_guarded_heap.is_live(block)) {
    any_free(block, caller);
    return nullptr;
  }
  void* moved = any_malloc(size, caller);
  if (moved == nullptr) return nullptr;
  memcpy(moved, block, size < before ? size : before);
  any_free(block, caller);
  return moved;
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
  if (finds_none(RADDLE_SITE)) return nullptr;
  return allocated(any_malloc(size, RADDLE_SITE), size, RADDLE_SITE);
}

RADDLE_EXPORT void* calloc(std::size_t count, std::size_t size) {
  if (finds_none(RADDLE_SITE)) return nullptr;
  return allocated(any_calloc(count, size, RADDLE_SITE), count * size, RADDLE_SITE);
}

RADDLE_EXPORT void* memalign(std::size_t alignment, std::size_t size) {
  if (finds_none(RADDLE_SITE)) return nullptr;
  return allocated(any_aligned(RADDLE_REAL(memalign), alignment, size, RADDLE_SITE), size,
                   RADDLE_SITE);
}

RADDLE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (finds_none(RADDLE_SITE)) return nullptr;
  return allocated(any_aligned(RADDLE_REAL(aligned_alloc), alignment, size, RADDLE_SITE), size,
                   RADDLE_SITE);
}

RADDLE_EXPORT void* valloc(std::size_t size) {
  if (finds_none(RADDLE_SITE)) return nullptr;
  void* block = from_own_heap(size, kPage, RADDLE_SITE);
  if (block == nullptr) block = in_heap(RADDLE_REAL(valloc), size);
  return allocated(block, size, RADDLE_SITE);
}

RADDLE_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  const bool is_valid = std::has_single_bit(alignment) && alignment % sizeof(void*) == 0;
  if (is_valid && finds_none(RADDLE_SITE)) return ENOMEM;
  void* block = is_valid ? from_own_heap(size, alignment, RADDLE_SITE) : nullptr;
  int error = 0;
  if (block != nullptr) {
    *result = block;
  } else {
    error = in_heap(RADDLE_REAL(posix_memalign), result, alignment, size);
  }
  if (error == 0) allocated(*result, size, RADDLE_SITE);
  return error;
}

RADDLE_EXPORT void free(void* block) {
  if (block != nullptr && on_controlled_thread()) {
    if (g_in_process && g_heap.owns(block) && !g_frees_decide && !g_values_wanted && !noted())
      return free_in_execution(block);
    std::size_t bytes = size_of_block(block);
    free_point(block, bytes, RADDLE_SITE);
    given_up(block, bytes, RADDLE_SITE);
    forget_range(block, bytes);
  }
  any_free(block, RADDLE_SITE);
}

RADDLE_EXPORT std::size_t malloc_usable_size(void* block) { return size_of_block(block); }

RADDLE_EXPORT void* realloc(void* block, std::size_t size) {
  if (size != 0 && finds_none(RADDLE_SITE)) return nullptr;
  note_if_mapped_alone(block, false);
  if (!on_controlled_thread()) return any_realloc(block, size, RADDLE_SITE);
  if (block == nullptr) return allocated(any_realloc(block, size, RADDLE_SITE), size, RADDLE_SITE);
  std::size_t before = size_of_block(block);
  free_point(block, before, RADDLE_SITE);
  settle_value_in(block, before);
  void* moved = any_realloc(block, size, RADDLE_SITE);
  bool gone = moved != nullptr || size == 0;
  // The allocator runs no code of the program: the order of these two is ours to choose.
  if (gone) given_up(block, before, RADDLE_SITE);
  if (moved != block && gone) forget_range(block, before);
  return allocated(moved, size, RADDLE_SITE);
}

RADDLE_EXPORT int munmap(void* memory, std::size_t size) {
  if (on_controlled_thread()) free_point(memory, size, RADDLE_SITE);
  g_mappings_changed = true;
  if (on_controlled_thread()) forget_range(memory, size);
  given_up(memory, size, RADDLE_SITE);
  if (g_kept_mappings != nullptr)
    g_kept_mappings->park(reinterpret_cast<std::uintptr_t>(memory), size);
  return RADDLE_REAL(munmap)(memory, size);
}
