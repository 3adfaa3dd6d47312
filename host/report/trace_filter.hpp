// Which events of a trace are wanted. Called by the printers of traces.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/trace/object_names.hpp"
#include "protocol/event.hpp"

namespace raddle {

// An event is wanted if it passes each of these; an empty list passes all.
struct TraceFilter {
  std::vector<std::string> threads;    // "1", "T1", or a word of the thread's name
  std::vector<std::string> objects;    // words of the object's name, or its address "0x..."
  std::vector<std::string> functions;  // that the event's site is in: "withdraw" also stands for
                                       // "bank::Account::withdraw"; * and ? match any text
  std::vector<EventKind> kinds;
  std::uint64_t first_step = 0;
  std::uint64_t last_step = std::numeric_limits<std::uint64_t>::max();
  bool all = false;  // also what says little: decisions whose operation is an event of its own,
                     // and calls of the library's functions

  // It leaves out more than what says little.
  bool is_narrow() const;
  // `names` has been fed the event.
  bool wants(const Event& event, const ObjectNames& names) const;
};

// "3..17", "3..", "..17", "3".
Result<bool> parse_steps(const std::string& text, TraceFilter& filter);

// "read", "atomic-load", "write_range"; "access", "atomic", "lock" and "call" stand for several.
Result<bool> parse_kinds(const std::string& text, TraceFilter& filter);

// Whether `words` stand in a name as whole words: "savings" and "Account" in
// "Account::savings of #2 of Account", but not "count" in "counter".
bool has_words(std::string_view name, std::string_view words);

// Whether a function is the one that is meant.
bool names_function(std::string_view function, const std::string& pattern);

}  // namespace raddle
