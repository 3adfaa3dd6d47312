// Test helper: executions from text, so that a test reads like the examples in the papers.
//
//   TestTrace trace = trace_of("T1 acq(m); T1 r(x); T1 w(x)@12; T1 rel(m); T2 r(x+4:2)");
//
// One operation each, separated by ';' or newlines, "Tn op(arguments)@line"; '#' begins a comment.
// A thread that is never forked is taken as it comes: the builder defines it (T0 is main) and, for
// the others, puts a fork by T0 and a thread_begin in front of everything, unless the text forks it
// itself or says "bare" (then nothing is added).
//
//   fork(T2) join(T2) begin end
//   acq(m) rel(m)   racq(m) rrel(m)    for reading; depths are counted
//   tryacq(m)       a trylock that got it               tryfail(m)  one that did not: a decision
//   wait(c,m)       wait, then the release by it        wake(c,m)  wake, then the acquire by it
//   notify(c) notify_all(c)   signal(s) await(s)   destroy(m)
//   down(s) up(s)   wait for a semaphore and post it; it counts from 1
//   r(x) w(x)       8 bytes; x+4:2 is 2 bytes at offset 4; x=7 has the value 7; a[3] is an element
//   vr(x) vw(x)     the same, volatile
//   rr(x,64) wr(x,64)         ranges
//   load(x,acq) store(x,rel) rmw(x,rlx) count(x,rlx) cas(x,sc) casfail(x,sc) fence(sc)
//                   orders: rlx con acq rel ar sc bar
//   enter(f) exit   atomic(f): annotated as atomic; method(f,o): a unit of work on o;
//                   waiter(f,o): the same, and it waits on a condition; ctor(f,o), dtor(f,o)
//   block(name) endblock   unit(name,o) endunit
//   alloc(x,64) free(x) local(x,8) user(name)
//
// o.f is field f of the object o: fields are 8 bytes apart in order of first use, per class; sites
// of accesses to it name the class (`o is C` declares it, else "C") and the field, as the compiler
// pass would.
//
// Objects are 4096 bytes apart, in order of first use. The site of an operation is its text, with
// the function it is in: the same text is the same site; @line sets its line, else it is the number
// of the site.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/model/execution_state.hpp"
#include "host/trace/event_sink.hpp"

namespace raddle {

inline constexpr std::uint64_t kTestObjectBytes = 4096;  // from one object to the next

struct TestTrace {
  TraceHeader header;
  std::vector<Site> sites;  // SiteId 1 is the first
  std::vector<Event> events;
  std::map<std::string, std::uint64_t> objects;  // by name, without fields and offsets

  // Everything, begin() to end(), in batches of `batch` events.
  void feed(EventSink& sink, std::size_t batch = 7) const;
  std::uint64_t address(const std::string& object) const { return objects.at(object); }
  Namer namer() const;  // "x", "x+4", "o.f"
  // For messages of tests.
  std::string text(const Event& event) const;
};

// Throws std::invalid_argument, which names the operation, for what it cannot read.
TestTrace trace_of(std::string_view text);

}  // namespace raddle
