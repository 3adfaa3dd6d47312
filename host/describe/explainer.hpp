// Puts an interference into words. Used by explain() alone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/describe/explained_stack.hpp"
#include "host/describe/explanation.hpp"
#include "host/describe/interference.hpp"
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
  bool of_locks() const;
  // What is disturbed is the object itself: it is made or destroyed while another calls it.
  bool of_vptr() const;
  bool is_destroyed() const;

  // From the first access to the last, and on as long as the same thread goes on with it.
  void group();

  bool has(const Group& one, const Access& wanted) const;
  bool matters(const Group& one) const;

  // What matters stays; then who wrote; then those just before the last.
  void shorten();

  std::set<std::size_t> interesting() const;

  void learn_names();

  // The failure's own steps know locks by the debug information: "lock account.mutex_ in main".
  void name_lock(const Event& acquired);

  // A local variable without the function that it is in: the places say that.
  static std::string without_frame(const std::string& name);

  struct Values {
    std::string read;
    std::string written;
  };
  static Values words_of(const Event& now, const ObjectNames& names);

  // Addresses say nothing here.
  static std::string number(const std::string& value);

  // The function that the disturbed thread was in all the time.
  void choose_function();

  struct Seen {
    Where where;         // in function_, or where the access itself is
    std::string callee;  // what was called there; empty if the access itself is there
  };
  Seen seen(std::size_t index) const;
  std::string place(std::size_t index) const;

  static std::size_t shown_at(const Group& one);
  std::string group_words(const Group& one) const;
  std::string lock_step(const Event& now) const;
  static std::string equals(const std::string& value);
  static std::string last_name(const std::string& function);

  void add_steps(Explanation& explanation) const;

  std::size_t violation() const;

  // A read and a write that belong to one update, not a decision and what follows from it.
  bool is_update() const;
  // The thread goes on to write what it read again.
  bool acts() const;

  std::string title() const;

  std::string who(const Access& access) const;

  std::string summary() const;

  std::string assumption() const;
  static std::string or_it(const std::string& value);

  std::vector<std::uint64_t> common_locks(std::size_t a, std::size_t b) const;

  // The lock that the other thread holds, and what the disturbed one does with it.
  std::optional<std::uint64_t> lock() const;

  std::string lock_name(std::uint64_t lock) const;

  bool holds(const Access& access, std::uint64_t lock) const;
  std::optional<std::size_t> waits_between(std::uint64_t lock) const;

  std::string between() const;

  std::string lock_words() const;

  std::string region() const;

  std::string suggestion() const;
  std::string lifetime_suggestion() const;

  const KeptTrace& trace_;
  const Failure& failure_;
  const Interference& found_;
  ExplainedStacks stacks_;
  std::vector<Group> groups_;
  std::string object_;
  std::string short_object_;
  std::string function_;
  std::unordered_map<std::uint64_t, std::string> lock_names_;
  std::map<std::uint16_t, std::string> thread_names_;
  std::unordered_map<std::size_t, Values> values_;
};

}  // namespace raddle
