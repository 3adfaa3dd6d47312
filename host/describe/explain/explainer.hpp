// What an interference means: the steps around it, and what would have helped. Used by explain()
// alone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/describe/explain/events/explained_stack.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/interference.hpp"
#include "host/describe/explanation.hpp"
#include "host/trace/object_names.hpp"

namespace raddle {

// The accesses of one thread in one call, without another thread in between.
struct Group {
  std::vector<Access> accesses;
  ThreadId thread() const { return accesses.front().thread; }
};

class Explainer {
 public:
  Explainer(const KeptTrace& trace, const Failure& failure, const Interference& found,
            Symbolizer& symbols)
      : trace_(trace), failure_(failure), found_(found), stacks_(trace, symbols) {}

  Explanation run();

 private:
  const Event& event(const Access& access) const;
  SeenValues shown(const Event& event) const;
  bool of_locks() const;
  // What is disturbed is the object itself: it is made or destroyed while another calls it.
  bool of_vptr() const { return of_vptr_; }
  bool is_destroyed() const;

  // From the first access to the last, and on as long as the same thread goes on with it.
  void group();

  bool has(const Group& one, const Access& wanted) const;
  bool matters(const Group& one) const;

  // What matters stays; then who wrote; then those just before the last.
  void shorten();

  std::set<std::size_t> interesting() const;

  void learn_names();
  void name_object(const Event& now, const ObjectNames& names);
  // The failure's own steps know locks by the debug information: "account.mutex_ in main".
  void name_lock(const Event& acquired);

  // The function that the disturbed thread was in all the time.
  void choose_function();
  // Both accesses of the disturbed thread are in one function, as far as that is known: in
  // function_, or in one that both were inlined into.
  bool have_one_caller() const;

  struct Seen {
    Where where;         // in function_, or where the access itself is
    std::string callee;  // what was called there; empty if the access itself is there
  };
  Seen seen(std::size_t index) const;

  static std::size_t shown_at(const Group& one);
  ExplainedStep step_of(const Group& one) const;
  void add_values(ExplainedStep& step, const Group& one) const;
  void add_steps(Explanation& explanation) const;
  void add_threads(Explanation& explanation) const;

  std::size_t violation() const;

  // A read and a write that belong to one update, not a decision and what follows from it.
  bool is_update() const;
  // The disturbed thread reads it after the other's access, before or when it goes wrong.
  bool looks_again() const;
  // What the first access saw is decided by in another function, or written after that.
  bool acts() const;
  // What was there when the disturbed thread came back.
  std::optional<std::int64_t> found_value() const;
  // The disturbed thread creates or joins threads between its two accesses.
  bool spans_threads() const;
  // Code without hooks called what makes the access: it may hold locks of its own kind.
  bool called_from_outside(const Access& access) const;

  Cause cause() const;
  ExplainedAccess explained(const Access& access) const;

  std::vector<std::uint64_t> common_locks(std::size_t a, std::size_t b) const;

  // The lock that the other thread holds, and what the disturbed one does with it.
  std::optional<std::uint64_t> lock() const;
  // Of two locks, one of which each thread holds: at how many places it is held where the object is
  // accessed. The one that guards more is the one that was meant.
  std::size_t places_under(std::uint64_t lock) const;
  bool nobody_knows_which_lock() const;
  ExplainedLock explained_lock(std::uint64_t lock) const;
  // Where the lock was taken that is held at the access; as far as that is known.
  std::optional<Where> acquired_at(std::size_t taken, const Access& access) const;
  // Where it was taken, if the disturbed thread does not release it between its two accesses.
  std::optional<Where> taken_throughout(const Access& access, std::uint64_t lock) const;
  bool holds(const Access& access, std::uint64_t lock) const;
  // Its lock is held for reading at `first` and for writing at `last`.
  bool is_upgraded() const;
  std::optional<std::size_t> waits_between(std::uint64_t lock) const;
  // Functions that the disturbed thread calls between its two accesses, and that take the lock
  // themselves: nobody can hold it around these calls.
  std::vector<std::string> lockers(std::uint64_t lock);
  // It takes the lock that matters, and not a function that it calls.
  bool locks_itself(const std::string& function) const;

  // By one getter, or of an atomic variable, at two lines of one function: one read would do.
  bool reads_twice(const Explanation& explanation) const;

  Suggestion suggestion(const Explanation& explanation) const;

  const KeptTrace& trace_;
  const Failure& failure_;
  const Interference& found_;
  ExplainedStacks stacks_;
  std::vector<Group> groups_;
  ExplainedObject object_;
  bool of_vptr_ = false;
  std::string function_;
  std::unordered_map<std::uint64_t, std::string> lock_names_;  // of those that have one
  std::map<std::uint16_t, std::string> thread_names_;
  std::unordered_map<std::size_t, SeenValues> values_;
};

}  // namespace raddle
