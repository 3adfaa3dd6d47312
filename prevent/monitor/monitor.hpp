// What a logic implements: a monitor looks at the events of the program, says whether the next one
// would violate it, and advances. prevent/schedule/ has one; the gate (gate.hpp) asks them all.
//
// The gate calls everything here under its lock, so a monitor needs none of its own.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <string>
#include <string_view>

namespace raddle::monitor {

// A thread that had an event or a name.
struct Thread {
  std::uint32_t number = 0;  // in the order in which the gate met them
  std::string name;
  bool made_monitor = false;  // it is called "main", unless it has a name
  pid_t id = 0;               // the kernel's
  pthread_t handle{};
  bool ended = false;
  const char* held_at = nullptr;  // the event at which the gate holds it
  std::string last_event;         // that it passed
  void* detail = nullptr;  // what a monitor knows of its event there: Gate::pass(monitor, ..)
  bool asleep = false;     // until `woken`
  bool called = false;     // it was woken because its event may go, and did not run yet
  std::condition_variable woken;

  std::string title() const;  // its name, "main", or "thread 4711"
};

struct Event {
  std::string_view name;
  Thread& thread;
};

enum class Answer {
  go,
  wait,    // until another event has happened
  poll,    // the same, or until a thread is blocked: ask again soon
  gave_up  // the monitor enforces nothing any more: ask again, and let all others ask
};

class Monitor {
 public:
  virtual ~Monitor() = default;
  // The monitor wants to hear of the event. What it does not, costs nothing further.
  virtual bool concerns(const Event& event) const = 0;
  // Would the event violate what the monitor enforces?
  virtual Answer ask(const Event& event) = 0;
  // The event happens now.
  virtual void commit(const Event& event) = 0;
  // Nothing can go on, or not for long: `why` has several lines. The monitor keeps it as a failure,
  // and enforces nothing any more.
  virtual void give_up(const std::string& why) = 0;
  // Why ask() did not say `go`: "waits for `a` (`a -> b`)".
  virtual std::string reason(const Event& event) = 0;
  virtual std::string title() const = 0;
  // What a thread that is held there waits for, in short: "event a", "property P: event a".
  virtual std::string waits_for(const Event& event) const {
    return "event " + std::string(event.name);
  }
  // Whether ask() looks at which threads are blocked.
  virtual bool asks(const Event& event) const = 0;
  // Where the program made it.
  virtual const char* file() const = 0;
  virtual unsigned line() const = 0;
  // Its threads may be held for as long as others have something else to do. Otherwise the watch
  // says so after a second, and lets the monitor give up after a while.
  virtual bool patient() const { return false; }
  // The program has code for it that decides how to go on.
  virtual bool handles_giving_up() const { return false; }

  unsigned passing = 0;  // the gate's: threads in its pass(monitor, ..)
};

}  // namespace raddle::monitor
