#include "runtime/sched/object.hpp"

#include <string.h>

#include "runtime/base.hpp"

namespace raddle {
namespace {

// Open addressing, power of two, at most half full. Objects are never removed, only reset: the number
// of distinct addresses is bounded by the program's memory, and ids stay stable.
Object** g_slots;
std::size_t g_capacity;
Object** g_by_id;  // g_by_id[id - 1]
std::size_t g_by_id_capacity;
std::uint32_t g_count;

std::size_t hash(ObjectClass cls, std::uintptr_t address) {
  std::uint64_t h = (address >> 2) * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(cls);
  return static_cast<std::size_t>(h ^ (h >> 29));
}

Object** slot_of(ObjectClass cls, std::uintptr_t address) {
  std::size_t i = hash(cls, address) & (g_capacity - 1);
  while (g_slots[i] != nullptr && (g_slots[i]->address != address || g_slots[i]->cls != cls)) {
    i = (i + 1) & (g_capacity - 1);
  }
  return &g_slots[i];
}

void grow() {
  std::size_t old_capacity = g_capacity;
  Object** old = g_slots;
  g_capacity = old_capacity == 0 ? 1024 : old_capacity * 2;
  g_slots = static_cast<Object**>(arena_allocate(g_capacity * sizeof(Object*)));
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (old[i] != nullptr) *slot_of(old[i]->cls, old[i]->address) = old[i];
  }
}

}  // namespace

void register_object(Object& object, ObjectClass cls, std::uint64_t site) {
  if (g_count == g_by_id_capacity) {
    std::size_t capacity = g_by_id_capacity == 0 ? 1024 : g_by_id_capacity * 2;
    auto** bigger = static_cast<Object**>(arena_allocate(capacity * sizeof(Object*)));
    if (g_count > 0) memcpy(bigger, g_by_id, g_count * sizeof(Object*));
    g_by_id = bigger;
    g_by_id_capacity = capacity;
  }
  g_by_id[g_count] = &object;
  object.id = ObjectId{++g_count};
  object.cls = cls;
  object.first_site = site;
}

Object* find_object(ObjectClass cls, const void* address) {
  if (g_capacity == 0) return nullptr;
  return *slot_of(cls, reinterpret_cast<std::uintptr_t>(address));
}

Object& object_at(ObjectClass cls, const void* address, std::uint64_t site) {
  if (g_count * 2 >= g_capacity) grow();
  auto key = reinterpret_cast<std::uintptr_t>(address);
  Object** slot = slot_of(cls, key);
  if (*slot == nullptr) {
    *slot = arena_new<Object>();
    register_object(**slot, cls, site);
    (*slot)->address = key;
  }
  return **slot;
}

void forget_object(Object& object) {
  object.owner = nullptr;
  object.depth = 0;
  object.holds = nullptr;
  object.readers = 0;
  object.value = object.value2 = 0;
  object.flags = 0;
}

std::uint32_t object_count() { return g_count; }

Object& object_by_id(ObjectId id) { return *g_by_id[raw(id) - 1]; }

}  // namespace raddle
