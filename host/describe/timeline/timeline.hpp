// One execution as a picture needs it, as data: what the threads did that others could notice, in
// the order of execution, how long each held or waited for a lock, and what ordered what. Made of
// an execution's events; host/report/document/ puts it into words. Names are fit for a terminal and
// for JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/describe/explanation.hpp"
#include "host/describe/failure.hpp"
#include "host/symbols/symbolizer.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

struct TimelineEvent {
  ThreadId thread{};
  std::uint64_t step = 0;
  EventKind kind{};
  std::uint8_t flags = 0;  // Event::flags
  OpKind op{};             // decision: what it executed
  std::string object;      // its name; empty if it is about none
  std::string read;        // values; empty: not known, or there is none
  std::string written;
  std::uint64_t woken = 0;        // notify: how many; wake: 0 notified, 1 timed out, 2 otherwise
  std::optional<ThreadId> other;  // fork, join
  Where where;                    // the innermost line of the program
  std::vector<Where> stack;       // the program's own functions, innermost first
  bool explains = false;          // a step of the explanation
  bool violates = false;          // here it goes wrong
  bool preempts = false;          // the thread before it could have gone on
};

// A thread has a lock, or waits for one, from one event to another (indices).
struct TimelineSpan {
  ThreadId thread{};
  std::string object;
  std::size_t from = 0;
  std::size_t to = 0;
  bool waits = false;
  bool shared = false;  // held for reading
  bool open = false;    // it did not end: `to` is the last event of all
};

// Why one event comes before another. X(identifier, text in JSON)
#define RADDLE_TIMELINE_ORDERS(X)                                   \
  X(kLock, "lock")     /* released, then taken by another thread */ \
  X(kNotify, "notify") /* a condition: notified, then woken */      \
  X(kSignal, "signal") /* a semaphore, a barrier, a once flag */    \
  X(kCreate, "create") /* a thread begins */                        \
  X(kJoin, "join")     /* a thread has ended */                     \
  X(kValue, "value")   /* what was written is read by another thread */

enum class TimelineOrderKind : std::uint8_t {
#define RADDLE_TIMELINE_ORDER(name, text) name,
  RADDLE_TIMELINE_ORDERS(RADDLE_TIMELINE_ORDER)
#undef RADDLE_TIMELINE_ORDER
};
const char* timeline_order_text(TimelineOrderKind kind);

struct TimelineOrder {
  std::size_t from = 0;  // events
  std::size_t to = 0;
  TimelineOrderKind kind{};
};

struct Timeline {
  std::vector<ExplainedThread> threads;  // of the events, by number
  std::vector<TimelineEvent> events;
  std::vector<TimelineSpan> spans;    // by their beginnings
  std::vector<TimelineOrder> orders;  // by their ends
  std::size_t left_out = 0;           // events at the beginning that there was no room for

  bool empty() const { return events.empty(); }
};

// `failure` is that of the same execution, its kind kNone if it passed; `symbols` has its maps.
// Accesses are in it if more than one thread uses the place and one of them writes. Empty if the
// trace is too long to be kept.
Timeline timeline_of(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols);

// Marks the events that the explanation speaks of.
void mark(Timeline& timeline, const Explanation& explanation);

}  // namespace raddle
