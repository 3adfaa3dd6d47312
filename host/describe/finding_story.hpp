// What a detector found, with the program's own names in place of sites and addresses. Plain data;
// host/report puts it into words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/model/finding.hpp"
#include "host/describe/call_frames.hpp"
#include "host/describe/explanation.hpp"
#include "host/describe/failure.hpp"
#include "host/symbols/source_line.hpp"
#include "host/trace/object_names.hpp"

namespace raddle {

struct StoryStep {
  ThreadId thread{};
  std::string thread_name;  // T1 "teller-1", T1 worker
  std::string runs;  // the function that the thread is called by there; empty if it has a name
  std::uint64_t step = 0;
  FindingRole role{};
  EventKind kind{};
  std::string entered;  // the function, or the block's name, where it enters one that has a name
  Where where;          // the innermost line of the program
  std::string place;    // "bank.cpp:31"; "" if not known
  std::string source;   // text of that line; "" if it cannot be read
  std::string object;
  std::optional<std::uint64_t> value;  // what was read or written
  std::uint16_t bytes = 0;             // of the value
  std::optional<MemoryOrder> order;    // of an atomic operation
  std::vector<std::string> locks;      // held, outermost first
  // The program's own functions, innermost first, each with the line that it is at; 0 if that is
  // not known.
  std::vector<Where> stack;
  std::vector<std::string> inside;  // names of the program's own functions in it, short
};

struct StoryUnit {
  std::string thread_name;
  UnitOrigin origin{};
  std::string name;  // the function, or the block's name; "" if it has none
};

// What one of the objects involved is at the end of both units, in the execution and in the serial
// orders that leave something else.
struct HarmedObject {
  std::string name;
  std::string here;                   // "3"
  std::vector<std::string> serially;  // different ones, "4"
};

struct Harm {
  bool found = false;
  std::vector<HarmedObject> objects;  // that differ
  // If what the program writes differs instead: so many executions without it wrote the same.
  std::uint64_t without = 0;
  std::vector<std::string> written_here;      // words that no serial order writes
  std::vector<std::string> written_serially;  // and those that are missing
  std::string why_not;  // no harm found: what was compared, or why nothing could be; a phrase
};

struct FindingStory {
  FindingKind kind{};
  FindingLevel level{};
  int pattern = 0;
  std::string id;  // 16 hexadecimal digits
  std::uint64_t count = 1;
  std::string what;
  std::string why;
  std::string object;
  std::vector<StoryUnit> units;  // see Finding
  bool declared = false;
  bool rests_on_inference = false;
  Harm harm;                                  // of one that rests on an inference, once it was seen
  std::vector<std::string> maybe_ordered_by;  // see Finding
  bool meant_as_atomic = false;               // see Finding
  std::vector<StoryStep> steps;               // in the order of execution
  std::vector<StoryStep> published;           // see Finding
  std::vector<StoryStep> announced;           // see Finding
  Explanation explanation;                    // what the whole execution tells; empty: nothing
};

std::string finding_id(const Finding& finding);

// What stories take from the program's files; kept for many of them.
struct StorySources {
  SourceLines lines;
  CallFrames calls;
};

// `names` knows the sites and the threads of the execution that the finding is of. All strings are
// fit for a terminal and for JSON.
FindingStory describe(const Finding& finding, const ObjectNames& names, StorySources& sources);

}  // namespace raddle
