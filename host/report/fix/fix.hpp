// What would keep a finding from happening again, as a property of the program
// (docs/properties.md): functions that exclude each other, or one that waits for another. `raddle
// fix` calls it, on one thread: fix_of() for each finding, merge(), then property_text().
#pragma once

#include <string>
#include <vector>

#include "host/describe/explanation.hpp"
#include "host/describe/finding_story.hpp"

namespace raddle {

enum class FixKind : std::uint8_t {
  kNone,
  kExclusion,  // at most one thread is in these functions
  kOrder       // the second function is entered after the first was left
};

struct Fix {
  FixKind kind = FixKind::kNone;
  std::vector<std::string> functions;  // qualified, as pointcuts name them; each once
  // kNone: why, a clause after "no property was written: "
  std::string why_not;
  // A place is in a function that no pointcut can name, so a function around it was taken.
  bool widened = false;
};

Fix fix_of(const Explanation& explanation);
Fix fix_of(const FindingStory& story);

// Findings whose functions exclude each other share one property: with one for each, threads that
// are in two of them could wait for each other. False, and `into` as it was, if they do not fit.
bool merge(Fix& into, const Fix& other);

// The property's name.
std::string property_name(const Fix& fix);
// The specification, for raddle-mop. `comment` has lines that say where it comes from.
std::string property_text(const Fix& fix, const std::vector<std::string>& comment);

// Whether a pointcut can name the function, and the property may hold threads there: not main(),
// which starts the threads and waits for them.
bool can_enclose(const std::string& function);

}  // namespace raddle
