// Where a thread was at certain events: its whole stack with a line in each function, as far as the
// trace and the debug information know it, and the locks it held. Used by explanations alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/describe/failure.hpp"
#include "host/symbols/symbolizer.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

// The functions of a stack, in its order.
std::vector<std::string> function_names(const std::vector<Where>& stack);

class ExplainedStacks {
 public:
  ExplainedStacks(const KeptTrace& trace, Symbolizer& symbols) : trace_(trace), symbols_(symbols) {}

  // Goes through the trace once; then the other functions answer for these events.
  void look_at(const std::set<std::size_t>& events);

  // The program's own functions, innermost first, each with the line that it is at.
  std::vector<Where> stack(std::size_t event) const;
  // Where it is. A destructor of one line, such as one that nobody wrote, says less than where the
  // object dies: its caller's line.
  Where place(std::size_t event) const;
  // Locks held after it, outermost first.
  std::vector<std::uint64_t> held(std::size_t event) const;
  // The acquisition by which it holds the lock then; nothing if it does not.
  std::optional<std::size_t> taken(std::size_t event, std::uint64_t lock) const;
  // It holds the lock then, and for reading only.
  bool shared(std::size_t event, std::uint64_t lock) const;
  // The enter events of the functions that it is in, outermost first.
  std::vector<std::size_t> calls(std::size_t event) const;
  // The enter event of what the function that was entered at `outer` had called; `outer` itself if
  // it was in no other function.
  std::size_t call(std::size_t event, std::size_t outer) const;
  // One function made both, or called another one for each, which may have been inlined. What was
  // read deep inside another call is not what a function compares.
  bool are_side_by_side(std::size_t one, std::size_t other) const;
  // What was entered there, as stack() calls it.
  std::string function(std::size_t enter) const;

 private:
  struct State {
    std::vector<std::size_t> calls;  // enter events, outermost first
    std::vector<std::uint64_t> held;
    std::vector<std::size_t> taken;  // the acquisitions of these
  };
  const State& state(std::size_t event) const;
  std::vector<Where> place_of_next(std::size_t event) const;
  std::uint32_t line_after(std::size_t event, const std::string& function) const;
  bool is_of_one_line(const std::string& function) const;

  const KeptTrace& trace_;
  Symbolizer& symbols_;
  std::unordered_map<std::size_t, State> states_;
  // Of the destructors of the trace; filled when one is asked for.
  mutable std::unordered_map<std::string, std::set<std::uint32_t>> destructor_lines_;
};

}  // namespace raddle
