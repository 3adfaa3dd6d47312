// What the code that raddle-mop generates calls: a property of the program, and its events. Users
// call the generated functions, not these.
//
// Link raddle::enforce. Any C++17 compiler will do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace raddle::enforce {

// What a handler is given, and what it asks for.
struct Handling {
  void* variables;       // of the monitor
  void* context;         // as it was given to happens()
  const char* location;  // __LOC
  bool reset = false;    // __RESET: the monitor begins again
  bool skip = false;     // __SKIP: the call does not happen
};

struct EventInfo {
  const char* name;
  std::uint32_t parameters;  // bit i: the event has an object for parameter i
  bool creation;             // it may make a monitor
  // Whether the event counts for this monitor: condition(..). Null: always. It is asked again
  // whenever the event waits, so it only looks.
  bool (*when)(const void* variables, void* context);
  // The name of the thread that has to be blocked: threadBlocked(..). Null: none has to.
  const char* (*blocked)(const void* variables, void* context);
  // The body; runs when the event happens, before the monitor's step. Null: empty.
  void (*body)(void* variables, void* context);
};

// Constant, and there for as long as the program runs.
struct Specification {
  const char* name;
  const char* file;
  unsigned line;
  bool enforced;                 // otherwise nobody waits
  bool perthread;                // each thread has monitors of its own
  bool unsynchronized;           // the program promises that events do not overlap
  const std::uint16_t* program;  // as the logic compiled it
  const EventInfo* events;
  unsigned event_count;
  const char* const* parameters;  // their names, in the order of the header
  unsigned parameter_count;
  const char* const* categories;  // that have handlers, in the order of the request
  // Called for each category that the monitor is in after a step, with its events' lock held. An
  // entry may be null. What bodies and handlers call has no events.
  void (*const* handlers)(Handling& handling);
  unsigned category_count;
  // A thread waits, and nothing in the program can go on any more. Null: the report is printed, and
  // the program ends.
  void (*deadlock)(const char* report);
  // The variables of a monitor: size, alignment at most that of max_align_t, and how to make, copy
  // and destroy them. Size 0: there are none.
  std::size_t variables_size;
  void (*make)(void* variables);
  void (*copy)(void* variables, const void* from);
  void (*destroy)(void* variables);
};

class Property;  // at run time

// Before the first event; the property stays until the program ends.
Property* begin(const Specification& specification);

// The event happens now, or the calling thread waits until it may. objects[i] is the object of
// parameter i, if the event has it. `location` is for __LOC and reports: "queue.cpp:31". Returns
// whether a handler said __SKIP.
bool happens(Property* property, unsigned event, const void* const* objects, void* context,
             const char* location);

// The object of parameter `parameter` is destroyed: its monitors end.
void destroyed(Property* property, unsigned parameter, const void* object);

}  // namespace raddle::enforce
