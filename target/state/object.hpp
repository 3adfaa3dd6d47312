// A synchronisation object of the program, as the scheduler models it, found by its address.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/ids.hpp"
#include "protocol/ops.hpp"
#include "target/base/base.hpp"
#include "target/state/value_log.hpp"

namespace raddle {

struct Thread;

// One thread's shared hold on a reader-writer lock.
struct Hold {
  Thread* thread;
  std::uint32_t count;
  Hold* next;
};

struct Object {
  ObjectId id;
  ObjectClass cls;
  std::uintptr_t address;
  std::uint64_t first_site;
  std::uint64_t memory;  // Pending::memory of operations on it

  // Threads whose pending operation is on this object and which it can block, oldest first.
  Thread* waiters_head;
  Thread* waiters_tail;

  // Locks. `owner` holds it exclusively, `depth` times; `holds` are the readers.
  Thread* owner;
  std::uint32_t depth;
  Hold* holds;
  std::uint32_t readers;  // sum of holds' counts

  // What else an object has to remember; each interceptor says what for.
  std::int64_t value;
  std::int64_t value2;
  std::uint32_t flags;

  Object* next_in_page;  // see forget_range()
};

// Freeing memory is a decision of this execution: objects say where they lie.
extern bool g_frees_decide;

// Told of each synchronisation object that is new, inside the runtime: it may lie in memory that
// was freed. Null: nobody wants to know.
extern void (*g_judge_object)(const void* address);

// After the decision to release or to signal an object: its memory may be gone meanwhile.
inline void judge_again(const void* address) {
  if (__builtin_expect(g_judge_object != nullptr, 0)) g_judge_object(address);
}

// Found last: one object is often used several times in a row. Null: none yet.
extern Object* g_last_object;
Object& find_or_make_object(ObjectClass cls, const void* address, std::uint64_t site);

// Finds the object at an address, or makes it. Two objects of different classes may share an
// address (a class's first member): they are told apart.
inline Object& object_at(ObjectClass cls, const void* address, std::uint64_t site) {
  Object* last = g_last_object;
  if (__builtin_expect(last != nullptr, 1) &&
      __builtin_expect(last->address == reinterpret_cast<std::uintptr_t>(address), 1) &&
      __builtin_expect(last->cls == cls, 1)) {
    return *last;
  }
  return find_or_make_object(cls, address, site);
}

// Null if the program never used it.
Object* find_object(ObjectClass cls, const void* address);

// The program destroyed it, or its memory holds a new object: forget everything.
void forget_object(Object& object);

// The program gives this memory up (free, munmap, the stack of an ended thread): what comes to lie
// there later is another object, with another id. Without this an object's identity would depend on
// which addresses the allocator happens to use again, and so on the carrier. Cheap where no object
// lies.
void forget_objects_in(const void* begin, std::size_t bytes);

// No object that was found by address lies below or above these. (The lowest by its complement:
// zero while there are none.)
extern std::uintptr_t g_not_lowest_object;
extern std::uintptr_t g_highest_object;

inline void forget_range(const void* begin, std::size_t bytes) {
  settle_value_in(begin, bytes);
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  if (first <= g_highest_object && first + bytes > ~g_not_lowest_object)
    forget_objects_in(begin, bytes);
}

// The thread that held a lock at this address when its memory was given up; null if nobody did. For
// the report of an unlock after that: it is not the unlock that is wrong.
Thread* holder_when_freed(const void* address);

// All objects in order of first use, for the report and for debuggers.
using ObjectArray = GrowingArray<Object*>;
const ObjectArray& all_objects();
std::uint32_t object_count();
Object& object_by_id(ObjectId id);

// Gives an id to an object that is not found by address (a thread's own).
void register_object(Object& object, ObjectClass cls, std::uint64_t site);

}  // namespace raddle
