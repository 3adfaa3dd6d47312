#include "target/state/value_log.hpp"

#include <string.h>

#include "protocol/value_log.hpp"
#include "target/base/forgetting.hpp"
#include "target/state/barrier_memory.hpp"
#include "target/state/execution.hpp"
#include "target/state/object.hpp"
#include "target/state/threads.hpp"

namespace raddle {

bool g_values_wanted;

namespace {

ValueLog* g_log;

struct OpenAccess {
  const void* address;  // null: none
  std::uint32_t size;
  std::uint8_t* to;
};
RADDLE_FORGOTTEN OpenAccess g_open;

bool is_access(OpKind op) {
  return op == OpKind::atomic_load || op == OpKind::atomic_store || op == OpKind::atomic_update ||
         op == OpKind::atomic_again || op == OpKind::memory_read || op == OpKind::memory_write ||
         op == OpKind::memory_again || op == OpKind::once;
}

std::uint8_t* take(std::uint64_t step, std::uint32_t size, std::uint32_t room) {
  if (g_log->used + room > kValueBytes) return nullptr;
  g_log->values()[step] = {static_cast<std::uint32_t>(g_log->used), size};
  std::uint8_t* place = g_log->bytes() + g_log->used;
  g_log->used += room;
  return place;
}

std::uint8_t state_of(const Object& lock, const Pending& p) {
  const Thread& thread = thread_by_id(p.thread);
  if (lock.owner == &thread) return kOwnLock;
  if (lock.owner != nullptr) return 0;
  if (p.op == OpKind::rwlock_tryread) return 1;
  for (const Hold* hold = lock.holds; hold != nullptr; hold = hold->next) {
    if (hold->thread == &thread && hold->count > 0) return kOwnLock;
  }
  return lock.readers == 0 ? 1 : 0;
}

}  // namespace

void start_value_log() {
  g_log = value_log_of(*g_region);
  g_values_wanted = g_log != nullptr && g_log->wanted != 0;
  if (g_values_wanted) g_log->heap = 0;
}

void log_value(std::uint64_t step, const Pending* pending, bool known) {
  g_log->values()[step] = {0, 0};
  if (pending == nullptr) return;
  const Pending& p = *pending;
  if (is_access(p.op) && p.extra != 0) {
    if (!known) {
      g_log->values()[step] = {0, kNotKnown};
      return;
    }
    const auto size = static_cast<std::uint32_t>(touched_size(p));
    std::uint8_t* place = take(step, size, 2 * size);
    if (place == nullptr) return;
    g_open = {reinterpret_cast<const void*>(touched_address(p)), size, place + size};
    memcpy(place, g_open.address, size);
  } else if (p.op == OpKind::barrier_wait && p.extra == 0) {
    const Object& barrier = object_by_id(p.object);
    const std::uint64_t count = barrier_count(reinterpret_cast<const void*>(barrier.address));
    const std::uint64_t numbers[] = {static_cast<std::uint64_t>(barrier.value2) * count +
                                         static_cast<std::uint64_t>(barrier.value),
                                     count};
    if (std::uint8_t* place = take(step, sizeof numbers, sizeof numbers))
      memcpy(place, numbers, sizeof numbers);
  } else if (p.op == OpKind::mutex_trylock || p.op == OpKind::spin_trylock ||
             p.op == OpKind::rwlock_trywrite || p.op == OpKind::rwlock_tryread) {
    if (std::uint8_t* place = take(step, 1, 1)) *place = state_of(object_by_id(p.object), p);
  } else if (p.op == OpKind::sem_wait || p.op == OpKind::sem_trywait || p.op == OpKind::sem_post) {
    const auto count = static_cast<std::int32_t>(object_by_id(p.object).value);
    if (std::uint8_t* place = take(step, sizeof count, sizeof count))
      memcpy(place, &count, sizeof count);
  }
}

void note_heap(std::uint64_t what) {
  if (g_values_wanted) g_log->heap |= what;
}

void settle_value() {
  if (g_open.address == nullptr) return;
  memcpy(g_open.to, g_open.address, g_open.size);
  g_open.address = nullptr;
}

void settle_value_in(const void* begin, std::size_t bytes) {
  const auto* first = static_cast<const std::uint8_t*>(begin);
  const auto* open = static_cast<const std::uint8_t*>(g_open.address);
  if (open != nullptr && open < first + bytes && first < open + g_open.size) settle_value();
}

void log_object(const Pending& p) {
  const std::uint32_t id = raw(p.object);
  if (id == 0 || id >= kMostObjectKeys || p.op == OpKind::value_choice) return;
  const Object& object = object_by_id(p.object);
  std::uint64_t key = object.address | static_cast<std::uint64_t>(object.cls) << 56;
  if (object.cls == ObjectClass::thread) {
    for (std::uint32_t t = 0; t < thread_count(); ++t) {
      if (&thread_by_id(ThreadId{static_cast<std::uint16_t>(t)}).self == &object) key = t;
    }
  } else if (object.address == 0) {
    return;  // its memory is gone; it was written down before
  }
  g_log->object_keys()[id] = key;
}

}  // namespace raddle
