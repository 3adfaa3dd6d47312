// What a thread does, as the causal model sees it: plain data that knows nothing of executions or
// solvers.
//
// An Action is what a thread is about to do; it follows from the thread's own past. An Event is an
// action with what came of it: the bytes that the thread saw, and those that it left.
#pragma once

#include <cstdint>
#include <string>

namespace raddle::causal {

// A thread of the model: its identity does not depend on the schedule.
using ThreadIndex = std::uint32_t;

enum class ActionKind : std::uint8_t {
  kNothing,    // nobody else can tell whether it happened
  kRead,       // memory
  kWrite,      // memory
  kUpdate,     // memory: a read and a write at once
  kEnter,      // the same, to run what is run once; waits while another thread runs it
  kPass,       // waits until somebody has written the number `other` to the word at `object`
  kLock,       // a lock, alone
  kTryLock,    // the same without waiting: Event::success
  kShare,      // a reader-writer lock, with other readers
  kTryShare,   // the same without waiting: Event::success
  kUnlock,     // what the thread holds of the lock
  kWait,       // gives up the lock `other` and waits for the condition variable
  kWake,       // comes back from the condition variable; a kLock of the lock follows
  kSignal,     // wakes one thread that waits, if there is one
  kBroadcast,  // wakes all that wait
  kPost,       // a semaphore
  kDown,       // a semaphore
  kTryDown,    // the same without waiting: Event::success
  kCreate,     // begins the thread `object`
  kJoin,       // waits for the end of the thread `object`
  kEnd,        // of the thread
  kExit,       // of the process: nothing happens after it
};

struct Action {
  ActionKind kind = ActionKind::kNothing;
  std::uint64_t object = 0;   // lock, condition variable, semaphore; a ThreadIndex
  std::uint64_t other = 0;    // kWait: the lock; kPass: the number
  std::uint64_t address = 0;  // memory
  std::uint32_t size = 0;     // memory, in bytes
  std::uint64_t site = 0;     // where in the program

  bool operator==(const Action&) const = default;
};

struct Event {
  Action action;
  bool success = true;  // of the kinds that try
  std::string seen;     // kRead, kUpdate: the bytes before
  std::string written;  // kWrite, kUpdate: the bytes after

  bool operator==(const Event&) const = default;
};

constexpr bool reads(ActionKind kind) {
  return kind == ActionKind::kRead || kind == ActionKind::kUpdate || kind == ActionKind::kEnter;
}
constexpr bool writes(ActionKind kind) {
  return kind == ActionKind::kWrite || kind == ActionKind::kUpdate || kind == ActionKind::kEnter;
}
constexpr bool tries(ActionKind kind) {
  return kind == ActionKind::kTryLock || kind == ActionKind::kTryShare ||
         kind == ActionKind::kTryDown;
}
// Takes a lock, if it succeeds.
constexpr bool acquires(ActionKind kind) {
  return kind == ActionKind::kLock || kind == ActionKind::kTryLock || kind == ActionKind::kShare ||
         kind == ActionKind::kTryShare;
}
constexpr bool shares(ActionKind kind) {
  return kind == ActionKind::kShare || kind == ActionKind::kTryShare;
}
// Several things can come of it, depending on what other threads did.
constexpr bool observes(ActionKind kind) { return reads(kind) || tries(kind); }

// The lock that the event gives back, if any.
constexpr bool releases(const Action& action) {
  return action.kind == ActionKind::kUnlock || action.kind == ActionKind::kWait;
}
constexpr std::uint64_t released_lock(const Action& action) {
  return action.kind == ActionKind::kWait ? action.other : action.object;
}

}  // namespace raddle::causal
