// free and its relatives, only to learn that objects are gone (see forget_range). They are no
// decision points.
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/sched/object.hpp"
#include "runtime/sched/scheduler.hpp"

using namespace raddle;

namespace {

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

void forget_block(void* block) { forget_range(block, RADDLE_REAL(malloc_usable_size)(block)); }

}  // namespace

RADDLE_EXPORT void free(void* block) {
  if (g_active && block != nullptr) forget_block(block);
  real_free(block);
}

RADDLE_EXPORT void* realloc(void* block, std::size_t size) {
  if (!g_active || block == nullptr) return RADDLE_REAL(realloc)(block, size);
  std::size_t before = RADDLE_REAL(malloc_usable_size)(block);
  void* moved = RADDLE_REAL(realloc)(block, size);
  if (moved != block && (moved != nullptr || size == 0)) forget_range(block, before);
  return moved;
}

RADDLE_EXPORT int munmap(void* memory, std::size_t size) {
  if (g_active) forget_range(memory, size);
  return RADDLE_REAL(munmap)(memory, size);
}
