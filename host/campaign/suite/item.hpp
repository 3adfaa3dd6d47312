// A piece of a suite's work, and what came of it. Plain data, and its form as bytes (CBOR), which
// the store keeps and the queue carries.
//
// An item is a function: the same item gives the same result, wherever and however often it is
// executed, but for its times. So it may be executed twice, and it does not matter which result is
// taken. It takes one to ten seconds, and holds all that a worker needs besides the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/replay/aims.hpp"

namespace raddle {

// One test: what is started, and where.
struct SuiteTest {
  std::string name;
  std::vector<std::string> command;      // argv; the first word is found as a shell would
  std::string directory;                 // absolute
  std::vector<std::string> environment;  // "NAME=value", beyond the suite's own
  std::vector<int> ok_exit;              // statuses that count as passed, besides 0
  std::string bundle;                    // hash of its files on the queue; empty: as it lies here
  bool operator==(const SuiteTest&) const = default;
};

// What could go wrong, as far as bringing it about and recognising it needs it: a Candidate without
// its words.
struct SuiteCandidate {
  std::uint64_t key = 0;
  std::string kind;
  std::string what;
  int pattern = 0;
  std::uint64_t place = 0;
  std::vector<std::uint64_t> places;
  std::vector<PlanAim> steps;
};

// What the probe of a test learned, which all later items build on.
struct SuiteProfile {
  std::uint64_t length = 0;  // steps of an execution, on average
  std::uint32_t threads = 0;
  bool instrumented = false;
  // Instrumented, with nothing that synchronises out of sight and no waits with a time-out: what an
  // explorer calls all schedules is all there is.
  bool whole = false;
  std::vector<PlanAim> racing;  // accesses that are decision points
};

enum class ItemKind : std::uint8_t {
  kProbe,      // the test natively, then its profile: candidates
  kSearch,     // plans from `from` to `to`, with nothing in view
  kCandidate,  // tries from `from` to `to` for the candidate
  kExplore,    // systematically (dpor), at most `to` executions
  kSmallest,   // makes the execution of `replay` as small as it can be
};

struct Item {
  std::string id;  // unique in the campaign
  ItemKind kind = ItemKind::kProbe;
  SuiteTest test;
  SuiteProfile profile;
  SuiteCandidate candidate;  // kCandidate
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::string replay;                 // kSmallest: the bytes of a replay file
  std::uint64_t first_seed = 1;       // of the campaign
  std::uint64_t timeout_ms = 30'000;  // of one execution
  std::uint64_t most_steps = 0;       // of one execution
};

struct PlanResult {
  std::uint8_t outcome = 0;    // OutcomeKind
  std::uint64_t schedule = 0;  // hash of its choice log
  std::uint64_t steps = 0;
  std::uint32_t shows = 0;  // what failed, as an index into ItemResult::shown, from 1; 0: nothing
};

struct ItemFinding {
  std::string key;
  std::string kind;
  std::string level;
  std::string message;
  std::string replay;       // the bytes of a replay file; empty: it could not be made
  std::uint64_t index = 0;  // of the plan that showed it first
  std::uint64_t times = 0;
};

struct ItemResult {
  std::string id;
  std::string problem;  // why there is less than was asked for, for people; empty: nothing is wrong
  bool spoiled = false;           // the test cannot be searched any more, for that reason
  std::vector<PlanResult> plans;  // in the order of their indices
  std::vector<std::string> shown;
  std::vector<ItemFinding> findings;
  SuiteProfile profile;                    // kProbe
  std::vector<SuiteCandidate> candidates;  // kProbe
  std::vector<std::string> written;        // kProbe: files that the test left or changed
  std::uint64_t realised = 0;              // kCandidate
  bool complete = false;                   // kExplore: all schedules were covered
  double seconds = 0;
  std::string worker;
};

// The error says that these bytes are no item (result): they may come from anybody.
std::string item_bytes(const Item& item);
Result<Item> parse_item(std::string_view bytes);
std::string result_bytes(const ItemResult& result);
Result<ItemResult> parse_result(std::string_view bytes);

// For each plan its outcome, its schedule and what it showed, as one number that does not depend on
// how plans were grouped into items: sums of these are the same for the same plans.
std::uint64_t outcomes_digest(const Item& item, const ItemResult& result);

}  // namespace raddle
