// Puts names, places and values to the events that a search chose, and makes steps and accesses of
// an Explanation of them. Used by the searches of this folder: look_at() once, then the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "host/describe/explain/events/explained_stack.hpp"
#include "host/describe/explanation.hpp"
#include "host/trace/object_names.hpp"

namespace raddle {

// The numbers that an event reads and writes, as far as they are likely to be numbers.
struct SeenValues {
  std::optional<std::int64_t> read;
  std::optional<std::int64_t> written;
};
SeenValues values_of(const Event& event);

// The same, of a value that the program knows: not what a container, a smart pointer, ... of the
// C++ library does its work with.
SeenValues shown_values(const Event& event, const Site& site);

// What an event that takes a lock does.
StepAction action_of_lock(const Event& acquire);

// What a person calls it: without members of the library's own and a member named twice.
ExplainedObject readable_object(const std::string& name, const std::string& field);

class Storyteller {
 public:
  Storyteller(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : trace_(trace), failure_(failure), symbols_(symbols), stacks_(trace, symbols) {}

  // It reads or writes the pointer to a table of virtual functions: nobody wrote that, so it is
  // told as what happens to the object, which is made, called or destroyed.
  bool is_of_vptr(std::size_t event) const;

  // Goes through the trace; the other functions answer for these events.
  void look_at(const std::set<std::size_t>& events);

  // What the event is about. Of a free, the block; see is_of_vptr().
  ExplainedObject object(std::size_t event) const;
  ExplainedAccess access(std::size_t event) const;
  ExplainedStep step(std::size_t event, StepAction action) const;
  // By what the event does: reads, writes, updates, ...
  ExplainedStep step(std::size_t event) const;
  // The innermost line of the program.
  Where where(std::size_t event) const;
  std::string lock_name(std::uint64_t lock) const;
  const ExplainedStacks& stacks() const { return stacks_; }

  // In order, with the threads that make them.
  void add_steps(Explanation& explanation, const std::set<std::size_t>& events,
                 std::size_t violates) const;
  void add_step(Explanation& explanation, ExplainedStep step) const;

  // The thread's line of the failure; null if it has none.
  const ThreadLine* line(ThreadId thread) const;

 private:
  // What that access is to the object: it is made, called or destroyed.
  StepAction action_on_object(std::size_t event) const;

  const KeptTrace& trace_;
  const Failure& failure_;
  Symbolizer& symbols_;
  ExplainedStacks stacks_;
  std::unordered_map<std::size_t, ExplainedObject> objects_;  // by event
  std::unordered_map<std::uint64_t, std::string> locks_;
  std::map<std::uint16_t, std::string> threads_;
};

}  // namespace raddle
