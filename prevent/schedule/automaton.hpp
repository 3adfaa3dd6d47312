// What a schedule remembers of the events so far, and whether the next one would violate it. Plain
// logic: no threads, no locks, no clocks. The oracle in testing/ defines the same over whole
// traces.
//
// The meaning of events that happen more than once, which the original leaves out (Luo's
// dissertation, 3.2.3):
//   - `a` is the first a, `a#2` the second, each by whoever does it; `a@t#2` is the second of
//   thread
//     t. In a condition it has happened, or it has not.
//   - As a target `a+` is every a: each of them needs the condition. In a condition `a+` is at
//   least
//     one a: one since the target last happened, if the target has a `+` itself. So `put+ -> take+`
//     wants a put between any two takes.
//   - `[a]` and `[a#2]` mean the thread that did the first or second a; `[a+]` the one that did the
//     latest.
// A section is open while more of its begins than of its ends have happened.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prevent/schedule/syntax.hpp"

namespace raddle::schedule {

using ThreadNumber = std::uint32_t;

class BlockedThreads {
 public:
  virtual ~BlockedThreads() = default;
  virtual bool blocked(ThreadNumber thread) const = 0;
  virtual bool ended(ThreadNumber) const { return false; }
};

struct Happening {
  std::string_view name;
  std::string_view thread;  // its name; empty if it has none
  ThreadNumber number;      // the thread, whatever it is called
};

class Automaton {
 public:
  explicit Automaton(const Syntax& syntax);
  Automaton(const Automaton&) = delete;
  Automaton& operator=(const Automaton&) = delete;

  // The schedule has an event of that name, of that thread or of any.
  bool names(const Happening& happening) const;

  // Whether an event of that name may have to wait until a thread is blocked.
  bool asks_blocked(std::string_view name) const;

  // The first rule that the event would violate now, -1 if it would violate none. Rules are the
  // orderings in the order of the text, then the exclusions.
  int violated(const Happening& happening, const BlockedThreads& blocked) const;

  // The first ordering that the event violates now and for ever, whatever else happens: it wants a
  // thread blocked that has ended. -1 if there is none.
  int hopeless(const Happening& happening, const BlockedThreads& blocked) const;

  // The event happens, whether that violates the schedule or not.
  void happens(const Happening& happening);

  // Leaves of a condition that do not hold now, in an ordering that is violated.
  std::vector<const Condition*> unmet(int rule, const BlockedThreads& blocked) const;

  unsigned count(const EventRef& event) const;
  // The thread that did the event, as `[event]` means it. Only after it has happened.
  ThreadNumber thread_of(const EventRef& event) const;

  // Events that the schedule names and that did not happen, or not often enough. One side of an
  // `||` is enough, if the whole condition holds by events that happened.
  std::vector<EventRef> missing() const;

  const Syntax& syntax() const { return syntax_; }
  std::size_t ordering_count() const { return orderings_.size(); }

 private:
  struct Atom {
    EventRef event;  // name and thread alone count
    unsigned count = 0;
    unsigned kept = 1;                  // the highest number in the schedule
    std::vector<ThreadNumber> threads;  // of the first `kept` times
    ThreadNumber last = 0;
  };
  struct Node {
    const Condition* condition;
    std::size_t atom;
    unsigned since = 0;  // `a+`: count when the target last happened
    std::vector<Node> parts;
  };
  struct Rule {
    const Ordering* ordering;
    Node condition;
    std::size_t target;
  };
  struct Open {
    std::size_t begin;
    std::size_t end;
    unsigned count = 0;
  };
  struct Pair {
    Open first;
    Open second;
    bool same;
  };

  std::size_t add_atom(const EventRef& event);
  std::size_t atom_of(const EventRef& event) const;
  Node compile(const Condition& condition);
  static bool matches(const EventRef& event, const Happening& happening);
  bool is_due(const Rule& rule, const Happening& happening) const;
  bool holds(const Node& node, const BlockedThreads& blocked) const;
  bool can_hold(const Node& node, const BlockedThreads& blocked) const;
  bool overlaps(const Pair& pair, const Happening& happening) const;
  unsigned after(const Open& open, const Happening& happening) const;
  void collect_unmet(const Node& node, const BlockedThreads& blocked,
                     std::vector<const Condition*>& out) const;
  void collect_missing(const Condition& condition, std::vector<EventRef>& out) const;
  bool happened(const Condition& condition) const;
  bool happened(const EventRef& event) const;
  void rebase(Node& node);

  Syntax syntax_;
  std::vector<Atom> atoms_;
  std::vector<Rule> orderings_;
  std::vector<Pair> exclusions_;
};

}  // namespace raddle::schedule
