// What a logic is: a compiler from a formula over events to a program for the runtime
// (prevent/logics/runtime/property.hpp). raddle-mop calls it; nothing of it is in users' programs.
//
// A logic is a folder with a file that defines `const Logic NAME_logic`, its tests against a slow
// definition, and a line in RADDLE_LOGICS.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prevent/logics/runtime/property.hpp"

namespace raddle::logics {

// The logics, in the order of the dissertation's Table 3.1.
#define RADDLE_LOGICS(X) X(fsm) X(ere) X(ltl) X(ptltl) X(cfg) X(srs)

using Program = std::vector<Word>;

struct Request {
  std::string_view formula;
  std::vector<std::string> events;
  // Those that the specification has handlers for: "nonfail", "match", in fsm also states and
  // aliases. At most kMostCategories. A state's bit i says whether it belongs to categories[i].
  std::vector<std::string> categories;
  // Whether the specification says `enforce`: then the property has to stay in the categories that
  // are listed, and out of those that are bad by their names, `fail` and `violation`.
  bool enforced = false;
};

struct CompileError {
  std::size_t at = 0;    // offset in the formula
  std::string expected;  // a sentence: "expected a state, found `]`"
  int category = -1;     // not -1: it is this category that is wrong, and `at` says nothing
};

using Compiled = std::variant<Program, CompileError>;

struct Logic {
  const char* name;        // as in a specification: "fsm"
  const char* summary;     // for lists
  const char* categories;  // that every formula has: "fail, nonfail"
  Compiled (*compile)(const Request& request);
};

// Null if there is no logic of that name.
const Logic* find_logic(std::string_view name);
const std::vector<const Logic*>& all_logics();

#define RADDLE_DECLARE_LOGIC(name) extern const Logic name##_logic;
RADDLE_LOGICS(RADDLE_DECLARE_LOGIC)
#undef RADDLE_DECLARE_LOGIC

}  // namespace raddle::logics
