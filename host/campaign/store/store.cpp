#include "host/campaign/store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/campaign/store/salvage.hpp"
#include "host/campaign/store/schema.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::uint64_t from_hex(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

std::string words_json(const std::vector<std::string>& words) {
  return nlohmann::json(words).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) return words;
  for (const nlohmann::json& word : list)
    if (word.is_string()) words.push_back(word.get<std::string>());
  return words;
}

// A file that is not there yet, an empty one, or one that begins as SQLite's do.
bool may_be_database(const std::string& path) {
  constexpr std::string_view kBegin = "SQLite format 3";
  std::ifstream file(path, std::ios::binary);
  char begin[kBegin.size()] = {};
  file.read(begin, sizeof begin);
  return file.gcount() == 0 || std::string_view(begin, sizeof begin) == kBegin;
}

// More different schedules of a test than this are not told apart from each other: each counts as
// one that was seen once, which is the careful side (docs/residual_risk.md).
constexpr std::int64_t kMostSchedules = 200'000;

}  // namespace

// Of what happens for each execution.
struct Store::Statements {
  explicit Statements(Database& database)
      : begin(database, "BEGIN IMMEDIATE"),
        commit(database, "COMMIT"),
        range(database,
              "INSERT INTO ranges VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) "
              "ON CONFLICT DO UPDATE SET first_seed = min(first_seed, ?5), "
              "last_seed = max(last_seed, ?6), executions = executions + ?7, "
              "passed = passed + ?8, failing = failing + ?9, inconclusive = inconclusive + ?10, "
              "steps = steps + ?11, seconds = seconds + ?12, unkept = unkept + ?13"),
        again(database,
              "UPDATE schedules SET times = times + 1 "
              "WHERE test = ?1 AND build = ?2 AND strategy = ?3 AND hash = ?4"),
        schedule(database, "INSERT INTO schedules VALUES(?1, ?2, ?3, ?4, 1)"),
        candidate(database,
                  "INSERT INTO candidates VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
                  "ON CONFLICT DO UPDATE SET level = ?5, what = ?6, tried = ?7, realised = ?8") {}
  Statement begin, commit, range, again, schedule, candidate;
  StoreScope kept_of;  // whose schedules `kept` counts
  std::int64_t kept = 0;
};

Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Store::~Store() = default;

Store::Statements& Store::statements() {
  if (!statements_) statements_ = std::make_unique<Statements>(*database_);
  return *statements_;
}

std::string store_path(const std::string& given) {
  std::error_code error;
  return fs::is_directory(given, error) ? (fs::path(given) / kStoreName).string() : given;
}

std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string Store::folder() const {
  const fs::path folder = fs::path(path()).parent_path();
  return folder.empty() ? "." : folder.string();
}

Result<std::unique_ptr<Store>> Store::open(const std::string& given, Existing existing) {
  const std::string path = store_path(given);
  std::error_code error;
  if (existing == Existing::kRequired && !fs::is_regular_file(path, error)) {
    return Error{
        fmt::format("cannot read {}: {}; `raddle hunt' and `raddle suite' leave a {} in "
                    "their --out",
                    path, error ? error.message() : "it is no file", kStoreName)};
  }
  // Anybody's file may be named by mistake: what is not ours is not touched.
  const bool ours = fs::path(path).filename() == kStoreName;
  if (!ours && !may_be_database(path)) {
    return Error{
        fmt::format("{} is no store of raddle, which is a database; name a folder with a {}", path,
                    kStoreName)};
  }
  Result<std::unique_ptr<Database>> opened = Database::open(path, Database::Access::kWrite);
  if (!opened) return Error{opened.error()};
  Database& database = **opened;
  // NORMAL: what is committed survives the death of the process; a power loss may take the last
  // transactions, and never the file.
  database.execute("PRAGMA journal_mode = WAL");
  database.execute("PRAGMA synchronous = NORMAL");
  database.execute("PRAGMA foreign_keys = ON");
  const std::string check = database.text("PRAGMA quick_check(1)");
  const bool damaged = database.is_damaged() || (database.ok() && check != "ok");
  if (damaged) {
    std::string reason = database.is_damaged() ? database.error() : path + ": " + check;
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    opened->reset();
    if (!ours) return Error{fmt::format("the store is damaged ({}); it stays as it is", reason)};
    return Error{set_aside_damaged(path, reason)};
  }
  if (!database.ok()) return Error{database.error()};
  const Result<std::monostate> ready = bring_up_to_date(database);
  if (!ready) return Error{ready.error()};
  return std::unique_ptr<Store>(new Store(std::move(*opened)));
}

std::int64_t Store::begin_campaign(const std::string& command, const std::string& commit) {
  Statement(*database_,
            "INSERT INTO campaigns(command, raddle, commit_id, began) VALUES(?1, ?2, ?3, ?4)")
      .run(command, RADDLE_VERSION, commit, time_text());
  return database_->last_id();
}

void Store::end_campaign(std::int64_t campaign) {
  Statement(*database_, "UPDATE campaigns SET ended = ?2 WHERE id = ?1").run(campaign, time_text());
}

std::int64_t Store::test_id(const StoredTest& test) {
  const std::string arguments = words_json(test.arguments);
  Statement(*database_,
            "INSERT INTO tests(name, arguments, directory) VALUES(?1, ?2, ?3) "
            "ON CONFLICT DO UPDATE SET directory = ?3")
      .run(test.name, arguments, test.directory);
  std::int64_t id = 0;
  Statement(*database_, "SELECT id FROM tests WHERE name = ?1 AND arguments = ?2")
      .each([&](const Row& row) { return id = row.number(0), false; }, test.name, arguments);
  return id;
}

std::int64_t Store::build_id(const StoredBuild& build) {
  const std::string hash = hex(build.file_hash);
  Statement(*database_,
            "INSERT OR IGNORE INTO builds(program, build_id, file_hash) VALUES(?1, ?2, ?3)")
      .run(build.program, build.build_id, hash);
  std::int64_t id = 0;
  Statement(*database_,
            "SELECT id FROM builds WHERE program = ?1 AND build_id = ?2 AND file_hash = ?3")
      .each([&](const Row& row) { return id = row.number(0), false; }, build.program,
            build.build_id, hash);
  return id;
}

std::int64_t Store::campaign_count() { return database_->number("SELECT count(*) FROM campaigns"); }

void Store::executed(const StoreScope& scope, const StoredExecution& execution,
                     const StoredCandidate* candidate) {
  Statements& use = statements();
  const bool alone = !database_->in_transaction();
  if (alone) use.begin.run();
  if (use.kept_of.test != scope.test || use.kept_of.build != scope.build) {
    use.kept_of = scope;
    Statement(*database_, "SELECT count(*) FROM schedules WHERE test = ?1 AND build = ?2")
        .each([&](const Row& row) { return use.kept = row.number(0), false; }, scope.test,
              scope.build);
  }
  use.again.run(scope.test, scope.build, execution.strategy, execution.schedule);
  const bool is_new = database_->changes() == 0;
  const bool kept = !is_new || use.kept < kMostSchedules;
  if (is_new && kept) {
    use.schedule.run(scope.test, scope.build, execution.strategy, execution.schedule);
    ++use.kept;
  }
  StoredRange range;
  range.add(execution);
  range.unkept = kept ? 0 : 1;
  executed(scope, execution.strategy, range);
  if (candidate != nullptr) write(scope, *candidate);
  if (alone) use.commit.run();
}

void Store::executed(const StoreScope& scope, std::string_view strategy, const StoredRange& range) {
  statements().range.run(scope.campaign, scope.test, scope.build, strategy, range.first_seed,
                         range.last_seed, range.executions, range.passed, range.failing,
                         range.inconclusive, range.steps, range.seconds, range.unkept);
}

void StoredRange::add(const StoredExecution& execution) {
  first_seed = std::min(first_seed, execution.seed);
  last_seed = std::max(last_seed, execution.seed);
  ++executions;
  passed += execution.outcome == StoredOutcome::kPassed;
  failing += execution.outcome == StoredOutcome::kFailing;
  inconclusive += execution.outcome == StoredOutcome::kInconclusive;
  steps += execution.steps;
  seconds += execution.seconds;
}

void Store::write(const StoreScope& scope, const StoredCandidate& candidate) {
  statements().candidate.run(scope.test, scope.build, hex(candidate.key), candidate.kind,
                             candidate.level, candidate.what, candidate.tried, candidate.realised);
}

std::int64_t Store::write(const StoreScope& scope, const StoredFinding& finding) {
  const Transaction transaction(*database_);
  Statement(*database_,
            "INSERT INTO findings(test, key, kind, level, message) VALUES(?1, ?2, ?3, ?4, ?5) "
            "ON CONFLICT DO UPDATE SET kind = ?3, level = ?4, message = ?5")
      .run(scope.test, finding.key, finding.kind, finding.level, finding.message);
  std::int64_t id = 0;
  Statement(*database_, "SELECT id FROM findings WHERE test = ?1 AND key = ?2")
      .each([&](const Row& row) { return id = row.number(0), false; }, scope.test, finding.key);
  Statement(*database_,
            "INSERT INTO sightings VALUES(?1, ?2, ?3, ?4, ?5) "
            "ON CONFLICT DO UPDATE SET times = ?4, replay = ?5")
      .run(id, scope.campaign, scope.build, finding.times, finding.replay);
  return id;
}

void Store::forget_schedules(const StoreScope& scope) {
  Statement(*database_, "DELETE FROM schedules WHERE test = ?1 AND build = ?2")
      .run(scope.test, scope.build);
  if (statements_) statements_->kept_of = {};
}

EarlierCampaigns Store::earlier(std::int64_t test, std::int64_t build) {
  EarlierCampaigns result;
  Statement(*database_,
            "SELECT coalesce(max(last_seed), 0) + 1, coalesce(sum(executions), 0), "
            "coalesce(sum(seconds), 0) FROM ranges WHERE test = ?1 AND build = ?2")
      .each(
          [&](const Row& row) {
            result.next_seed = static_cast<std::uint64_t>(row.number(0));
            result.executions = static_cast<std::uint64_t>(row.number(1));
            result.seconds = row.real(2);
            return true;
          },
          test, build);
  Statement(*database_,
            "SELECT key, kind, level, what, tried, realised FROM candidates "
            "WHERE test = ?1 AND build = ?2")
      .each(
          [&](const Row& row) {
            result.candidates.push_back({from_hex(row.text(0)), row.text(1), row.text(2),
                                         row.text(3), static_cast<std::uint64_t>(row.number(4)),
                                         static_cast<std::uint64_t>(row.number(5))});
            return true;
          },
          test, build);
  Statement(*database_,
            "SELECT key, kind, level, message, replay, sum(times) FROM findings "
            "JOIN sightings ON finding = id WHERE test = ?1 AND build = ?2 AND level = 'failing' "
            "GROUP BY id HAVING campaign = max(campaign) ORDER BY id")
      .each(
          [&](const Row& row) {
            result.failures.push_back({row.text(0), row.text(1), row.text(2), row.text(3),
                                       row.text(4), static_cast<std::uint64_t>(row.number(5))});
            return true;
          },
          test, build);
  return result;
}

std::optional<StoredBuild> Store::last_build_of(std::int64_t test) {
  std::optional<StoredBuild> build;
  Statement(*database_,
            "SELECT program, build_id, file_hash FROM ranges JOIN builds ON builds.id = build "
            "WHERE test = ?1 ORDER BY campaign DESC, build DESC LIMIT 1")
      .each(
          [&](const Row& row) {
            build = StoredBuild{row.text(0), row.text(1), from_hex(row.text(2))};
            return true;
          },
          test);
  return build;
}

std::vector<StoredTest> Store::tests() {
  std::vector<StoredTest> list;
  Statement(*database_, "SELECT name, arguments, directory FROM tests ORDER BY id")
      .each([&](const Row& row) {
        list.push_back({row.text(0), words_of(row.text(1)), row.text(2)});
        return true;
      });
  return list;
}

namespace {

void collect_replays(Database& database, const char* where, std::int64_t id,
                     std::vector<std::string>* replays) {
  Statement(database, fmt::format("SELECT DISTINCT replay FROM sightings JOIN findings ON "
                                  "findings.id = finding WHERE replay != '' AND {} = ?1",
                                  where))
      .each([&](const Row& row) { return replays->push_back(row.text(0)), true; }, id);
}

}  // namespace

bool Store::forget_finding(std::int64_t id, std::vector<std::string>* replays) {
  const Transaction transaction(*database_);
  collect_replays(*database_, "findings.id", id, replays);
  Statement(*database_, "DELETE FROM findings WHERE id = ?1").run(id);
  return database_->changes() > 0;
}

bool Store::forget_test(const std::string& name, std::vector<std::string>* replays) {
  const Transaction transaction(*database_);
  std::vector<std::int64_t> ids;
  Statement(*database_, "SELECT id FROM tests WHERE name = ?1")
      .each([&](const Row& row) { return ids.push_back(row.number(0)), true; }, name);
  for (const std::int64_t id : ids) {
    collect_replays(*database_, "test", id, replays);
    Statement(*database_, "DELETE FROM tests WHERE id = ?1").run(id);
  }
  Statement(*database_,
            "DELETE FROM builds WHERE id NOT IN (SELECT build FROM ranges UNION "
            "SELECT build FROM sightings)")
      .run();
  return !ids.empty();
}

void Store::compact() { database_->execute("VACUUM"); }

}  // namespace raddle
