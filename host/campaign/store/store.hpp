// What campaigns know, in one file: raddle-out/campaign.db. Written as they go, in short
// transactions, so that a process that is killed loses the executions under way and nothing else.
// Others may read it meanwhile. docs/store.md describes the tables.
//
// A Store belongs to one thread at a time. Whoever writes asks ok() when it matters: after the
// first error nothing is written any more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/store/database.hpp"

namespace raddle {

inline constexpr const char* kStoreName = "campaign.db";

// What is executed: one test, which is a program with arguments.
struct StoredTest {
  std::string name;  // "account 3", "bank/Transfer.Twice"
  std::vector<std::string> arguments;
  std::string directory;
};

struct StoredBuild {
  std::string program;  // absolute path
  std::string build_id;
  std::uint64_t file_hash = 0;
  bool operator==(const StoredBuild&) const = default;
};

// Row ids: a campaign looks at a build of a test.
struct StoreScope {
  std::int64_t campaign = 0;
  std::int64_t test = 0;
  std::int64_t build = 0;
};

enum class StoredOutcome : std::uint8_t { kPassed, kFailing, kInconclusive };

struct StoredExecution {
  std::string_view strategy;
  std::uint64_t seed = 0;
  StoredOutcome outcome = StoredOutcome::kPassed;
  std::uint64_t steps = 0;
  double seconds = 0;
  std::uint64_t schedule = 0;  // hash of its choice log
};

// Several executions of one strategy.
struct StoredRange {
  std::uint64_t first_seed = ~std::uint64_t{0};
  std::uint64_t last_seed = 0;
  std::uint64_t executions = 0;
  std::uint64_t passed = 0;
  std::uint64_t failing = 0;
  std::uint64_t inconclusive = 0;
  std::uint64_t steps = 0;
  double seconds = 0;
  std::uint64_t unkept = 0;  // whose schedules are not among those of the store

  void add(const StoredExecution& execution);
};

struct StoredCandidate {
  std::uint64_t key = 0;
  std::string kind;
  std::string level;
  std::string what;
  std::uint64_t tried = 0;
  std::uint64_t realised = 0;
};

// What a campaign saw of a finding, so far.
struct StoredFinding {
  std::string key;  // the same in other builds, if the places are the same
  std::string kind;
  std::string level;
  std::string message;
  std::string replay;  // file, relative to the store's folder; empty: none
  std::uint64_t times = 0;
};

// What is known of a test's build from campaigns before.
struct EarlierCampaigns {
  std::uint64_t next_seed = 1;
  std::uint64_t executions = 0;
  double seconds = 0;
  std::vector<StoredCandidate> candidates;
  std::vector<StoredFinding> failures;  // level "failing", with the replay files
};

class Store {
 public:
  enum class Existing { kRequired, kMadeIfMissing };

  // Opens the store of a folder, or the file itself, and brings its tables up to date. Of a damaged
  // one a copy is kept and what is readable exported (salvage.hpp); the error says where.
  static Result<std::unique_ptr<Store>> open(const std::string& path, Existing existing);

  const std::string& path() const { return database_->path(); }
  std::string folder() const;
  bool ok() const { return database_->ok(); }
  const std::string& error() const { return database_->error(); }
  Database& database() { return *database_; }

  // `commit`: of the sources, if they are a checkout; empty: not known.
  std::int64_t begin_campaign(const std::string& command, const std::string& commit);
  void end_campaign(std::int64_t campaign);
  std::int64_t test_id(const StoredTest& test);
  std::int64_t build_id(const StoredBuild& build);
  std::int64_t campaign_count();

  // One more execution; with `candidate`, one that had it in view. One transaction.
  void executed(const StoreScope& scope, const StoredExecution& execution,
                const StoredCandidate* candidate = nullptr);
  void executed(const StoreScope& scope, std::string_view strategy, const StoredRange& range);
  void write(const StoreScope& scope, const StoredCandidate& candidate);
  // What this campaign knows of it now; replaces what it knew. The row id of the finding.
  std::int64_t write(const StoreScope& scope, const StoredFinding& finding);
  // Schedules seen with the same seeds again are no new ones, and no evidence either.
  void forget_schedules(const StoreScope& scope);

  EarlierCampaigns earlier(std::int64_t test, std::int64_t build);
  // The latest build that a campaign executed; nothing if there was none.
  std::optional<StoredBuild> last_build_of(std::int64_t test);
  std::vector<StoredTest> tests();

  // Everything that is known of a finding or a test; false if there is no such thing. `replays`
  // gets the replay files that nothing refers to any more.
  bool forget_finding(std::int64_t id, std::vector<std::string>* replays);
  bool forget_test(const std::string& name, std::vector<std::string>* replays);
  // Gives back the room of what was forgotten.
  void compact();

 private:
  struct Statements;
  explicit Store(std::unique_ptr<Database> database);
  Statements& statements();

 public:
  ~Store();

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;
};

// "DIR/campaign.db" for a folder, the path itself for a file.
std::string store_path(const std::string& given);

std::string time_text();  // now, as the store writes it

}  // namespace raddle
