#include "target/state/object.hpp"

#include "protocol/pending.hpp"
#include "target/base/base.hpp"
#include "target/base/forgetting.hpp"

namespace raddle {
namespace {

// Open addressing, power of two, at most half full. An object whose memory is gone stays in its
// slot, with address 0 (which no object has), until the table is remade: threads may still wait on
// it.
RADDLE_FORGOTTEN Object** g_slots;
RADDLE_FORGOTTEN std::size_t g_capacity;
RADDLE_FORGOTTEN std::size_t g_used_slots;
RADDLE_FORGOTTEN ObjectArray g_by_id;  // g_by_id[id - 1]

std::size_t hash(ObjectClass cls, std::uintptr_t address) {
  std::uint64_t h = (address >> 2) * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(cls);
  return static_cast<std::size_t>(h ^ (h >> 29));
}

// Objects by the page they lie in, so that memory without objects is passed over quickly. A power
// of two of chains, remade with the table above.
RADDLE_FORGOTTEN Object** g_pages;
RADDLE_FORGOTTEN std::size_t g_page_chains;

std::size_t page_index(std::uintptr_t address) {
  std::uintptr_t page = address >> 12;
  return (page ^ (page >> 14)) & (g_page_chains - 1);
}

void enter_page(Object& object) {
  Object*& first = g_pages[page_index(object.address)];
  object.next_in_page = first;
  first = &object;
}

Object** slot_of(ObjectClass cls, std::uintptr_t address) {
  std::size_t i = hash(cls, address) & (g_capacity - 1);
  while (g_slots[i] != nullptr && (g_slots[i]->address != address || g_slots[i]->cls != cls)) {
    i = (i + 1) & (g_capacity - 1);
  }
  return &g_slots[i];
}

// It is found by its address, and an operation on it does not say which bytes it touches.
bool is_in_memory(ObjectClass cls) {
  switch (cls) {
    case ObjectClass::mutex:
    case ObjectClass::rwlock:
    case ObjectClass::cond:
    case ObjectClass::semaphore:
    case ObjectClass::barrier:
    case ObjectClass::spinlock:
    case ObjectClass::once:
      return true;
    case ObjectClass::none:
    case ObjectClass::thread:
    case ObjectClass::futex:
    case ObjectClass::descriptor:
    case ObjectClass::memory:
    case ObjectClass::events:
      return false;
  }
  return false;
}

void remake() {
  std::size_t old_capacity = g_capacity;
  Object** old = g_slots;
  std::size_t live = 0;
  for (std::size_t i = 0; i < old_capacity; ++i)
    live += old[i] != nullptr && old[i]->address != 0 ? 1 : 0;
  g_capacity = 16;
  while (g_capacity < live * 4) g_capacity *= 2;
  g_slots = static_cast<Object**>(arena_allocate(g_capacity * sizeof(Object*)));
  g_page_chains = g_capacity;
  g_pages = static_cast<Object**>(arena_allocate(g_page_chains * sizeof(Object*)));
  g_used_slots = 0;
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (old[i] == nullptr || old[i]->address == 0) continue;
    *slot_of(old[i]->cls, old[i]->address) = old[i];
    enter_page(*old[i]);
    ++g_used_slots;
  }
}

// The last few. Locks in memory that is freed are rare, and their unlock comes soon.
struct FreedHeld {
  std::uintptr_t address;
  Thread* owner;
};
constexpr std::size_t kMostFreedHeld = 32;
FreedHeld g_freed_held[kMostFreedHeld];
RADDLE_FORGOTTEN std::size_t g_freed_held_count;

void forget_in_page(std::size_t page, std::uintptr_t begin, std::uintptr_t end) {
  Object** link = &g_pages[page];
  while (Object* object = *link) {
    if (object->address < begin || object->address >= end) {
      link = &object->next_in_page;
      continue;
    }
    *link = object->next_in_page;
    if (object->owner != nullptr)
      g_freed_held[g_freed_held_count++ % kMostFreedHeld] = {object->address, object->owner};
    object->address = 0;
  }
}

}  // namespace

RADDLE_FORGOTTEN Object* g_last_object;
RADDLE_FORGOTTEN std::uintptr_t g_not_lowest_object;
RADDLE_FORGOTTEN std::uintptr_t g_highest_object;
bool g_frees_decide;
void (*g_judge_object)(const void* address);

void register_object(Object& object, ObjectClass cls, std::uint64_t site) {
  std::size_t index = g_by_id.size();
  g_by_id.reach(index);
  g_by_id[index] = &object;
  object.id = ObjectId{std::uint32_t(index + 1)};
  object.cls = cls;
  object.first_site = site;
}

Object* find_object(ObjectClass cls, const void* address) {
  if (g_capacity == 0) return nullptr;
  return *slot_of(cls, reinterpret_cast<std::uintptr_t>(address));
}

Object& find_or_make_object(ObjectClass cls, const void* address, std::uint64_t site) {
  auto key = reinterpret_cast<std::uintptr_t>(address);
  if (g_used_slots * 2 >= g_capacity) remake();
  Object** slot = slot_of(cls, key);
  if (*slot == nullptr) {
    if (g_judge_object != nullptr && is_in_memory(cls)) g_judge_object(address);
    *slot = arena_array<Object>(1);
    register_object(**slot, cls, site);
    (*slot)->address = key;
    if (~key > g_not_lowest_object) g_not_lowest_object = ~key;
    if (key > g_highest_object) g_highest_object = key;
    if (g_frees_decide && is_in_memory(cls)) (*slot)->memory = touched_bytes(key, 1);
    enter_page(**slot);
    ++g_used_slots;
  }
  g_last_object = *slot;
  return **slot;
}

void forget_objects_in(const void* memory, std::size_t bytes) {
  auto begin = reinterpret_cast<std::uintptr_t>(memory);
  std::uintptr_t end = begin + bytes;
  if (bytes == 0 || end < begin || g_page_chains == 0) return;
  if (bytes >> 12 > g_used_slots) {  // a stack, mostly: fewer objects than pages
    for (std::size_t i = 0; i < g_by_id.size(); ++i) {
      std::uintptr_t address = g_by_id[i]->address;
      if (address >= begin && address < end) forget_in_page(page_index(address), begin, end);
    }
    return;
  }
  for (std::uintptr_t page = begin >> 12; page <= (end - 1) >> 12; ++page) {
    std::size_t index = page_index(page << 12);
    if (g_pages[index] != nullptr) forget_in_page(index, begin, end);
  }
}

Thread* holder_when_freed(const void* address) {
  const std::size_t known =
      g_freed_held_count < kMostFreedHeld ? g_freed_held_count : kMostFreedHeld;
  for (std::size_t i = 0; i < known; ++i)
    if (g_freed_held[i].address == reinterpret_cast<std::uintptr_t>(address))
      return g_freed_held[i].owner;
  return nullptr;
}

void forget_object(Object& object) {
  object.owner = nullptr;
  object.depth = 0;
  object.holds = nullptr;
  object.readers = 0;
  object.value = object.value2 = 0;
  object.flags = 0;
}

const ObjectArray& all_objects() { return g_by_id; }

std::uint32_t object_count() { return std::uint32_t(g_by_id.size()); }

Object& object_by_id(ObjectId id) { return *g_by_id[raw(id) - 1]; }

}  // namespace raddle
