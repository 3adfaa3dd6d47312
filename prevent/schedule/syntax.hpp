// What a schedule says, as the parser found it: figure 3.3 of Luo's dissertation (IMUnit), and what
// was added to it: sections that exclude each other, and repeated events.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace raddle::schedule {

// An event as it is written: `pop`, `pop@taker`, `pop#2`, `pop+`.
struct EventRef {
  std::string name;
  std::string thread;   // empty: of any thread
  unsigned number = 1;  // the how manieth, of that thread if there is one
  bool every = false;   // `pop+`
  std::size_t at = 0;   // offset in the text

  std::string text() const;
};

inline bool same_event(const EventRef& a, const EventRef& b) {
  return a.name == b.name && a.thread == b.thread;
}

struct Condition {
  enum class Kind { event, block, both, either };
  Kind kind = Kind::event;
  EventRef event;                // event, block
  std::vector<Condition> parts;  // both, either

  std::string text() const;
};

// `condition -> target`.
struct Ordering {
  Condition condition;
  EventRef target;

  std::string text() const;
};

// `first.begin..first.end !-> second.begin..second.end`.
struct Section {
  EventRef begin;
  EventRef end;

  std::string text() const;
};
struct Exclusion {
  Section first;
  Section second;
};

struct Syntax {
  std::string text;
  std::vector<Ordering> orderings;
  std::vector<Exclusion> exclusions;
};

struct ParseError {
  std::size_t at;
  std::string expected;  // the whole sentence, without the text
};

// Calls function(event) for each event of the condition, in the order of the text.
template <class Function>
void for_each_event(const Condition& condition, const Function& function) {
  if (condition.parts.empty()) return function(condition.event);
  for (const Condition& part : condition.parts) for_each_event(part, function);
}

std::variant<Syntax, ParseError> parse(const std::string& text);

// The text with a caret under the place; only the line of the place, if the text has several.
std::string with_caret(const std::string& text, std::size_t at);

}  // namespace raddle::schedule
