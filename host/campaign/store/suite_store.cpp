#include "host/campaign/store/suite_store.hpp"

#include <fmt/format.h>

#include "host/campaign/suite/plans.hpp"
#include "host/process/outcome.hpp"

namespace raddle {

SuiteStore SuiteStore::begin(Store& store, const std::string& commit, const std::string& options) {
  const Transaction transaction(store.database());
  SuiteStore suite(store, store.begin_campaign("suite", commit));
  Statement(store.database(), "INSERT INTO suites VALUES(?1, ?2)").run(suite.campaign_, options);
  return suite;
}

Result<SuiteStore> SuiteStore::resume(Store& store) {
  const std::int64_t campaign = store.database().number(
      "SELECT campaign FROM suites JOIN campaigns ON id = campaign WHERE ended IS NULL "
      "ORDER BY id DESC LIMIT 1");
  if (!store.ok()) return Error{store.error()};
  if (campaign == 0) return Error{fmt::format("{} has no suite that was cut short", store.path())};
  return SuiteStore(store, campaign);
}

std::string SuiteStore::options() const {
  std::string text;
  Statement(store_->database(), "SELECT options FROM suites WHERE campaign = ?1")
      .each([&](const Row& row) { return text = row.text(0), false; }, campaign_);
  return text;
}

std::vector<StoredItem> SuiteStore::round(std::uint64_t number) {
  std::vector<StoredItem> items;
  Statement(store_->database(),
            "SELECT work, result FROM items WHERE campaign = ?1 AND round = ?2 ORDER BY position")
      .each(
          [&](const Row& row) {
            Result<Item> item = parse_item(row.text(0));
            if (!item) return true;
            StoredItem& one = items.emplace_back(StoredItem{std::move(*item), std::nullopt});
            if (row.is_null(1)) return true;
            if (Result<ItemResult> result = parse_result(row.text(1))) one.result = *result;
            return true;
          },
          campaign_, number);
  return items;
}

void SuiteStore::plan(std::uint64_t number, const std::vector<Item>& items) {
  const Transaction transaction(store_->database());
  Statement insert(store_->database(),
                   "INSERT OR IGNORE INTO items(campaign, id, round, position, work) "
                   "VALUES(?1, ?2, ?3, ?4, ?5)");
  std::int64_t position = 0;
  for (const Item& item : items)
    insert.run(campaign_, item.id, number, position++, item_bytes(item));
}

void SuiteStore::set_build(const std::string& test, const StoredTest& row,
                           const StoredBuild& build) {
  const Transaction transaction(store_->database());
  scopes_[test] = {campaign_, store_->test_id(row), store_->build_id(build)};
}

StoreScope SuiteStore::scope_of(const std::string& test) const {
  const auto found = scopes_.find(test);
  return found == scopes_.end() ? StoreScope{} : found->second;
}

bool SuiteStore::add(const Item& item, const ItemResult& result,
                     const std::map<std::string, std::string>& replays) {
  Database& database = store_->database();
  const Transaction transaction(database);
  Statement(database,
            "UPDATE items SET result = ?3 WHERE campaign = ?1 AND id = ?2 AND result IS NULL")
      .run(campaign_, item.id, result_bytes(result));
  if (!database.ok() || database.changes() == 0) return false;
  const StoreScope scope = scope_of(item.test.name);
  if (scope.test == 0) return true;  // a test whose program is not there
  std::uint64_t number = item.from;
  const double each =
      result.plans.empty() ? 0 : result.seconds / static_cast<double>(result.plans.size());
  // A row for each strategy, not for each plan: how often each schedule was seen is with the items.
  std::map<std::string, StoredRange> ranges;
  for (const PlanResult& plan : result.plans) {
    const auto kind = static_cast<OutcomeKind>(plan.outcome);
    StoredExecution row{.strategy = "profile", .seed = item.first_seed + number};
    if (item.kind == ItemKind::kSearch) row.strategy = search_strategy(number).name;
    if (item.kind == ItemKind::kCandidate) row.strategy = "candidates";
    if (item.kind == ItemKind::kExplore) row.strategy = "explore";
    row.outcome = kind == OutcomeKind::kNone ? StoredOutcome::kPassed
                  : is_failing(kind)         ? StoredOutcome::kFailing
                                             : StoredOutcome::kInconclusive;
    row.steps = plan.steps;
    row.seconds = each;
    ranges[std::string(row.strategy)].add(row);
    ++number;
  }
  for (auto& [strategy, range] : ranges) {
    range.unkept = range.executions;
    store_->executed(scope, strategy, range);
  }
  for (const SuiteCandidate& one : result.candidates)
    store_->write(scope, StoredCandidate{one.key, one.kind, "candidate", one.what, 0, 0});
  if (item.kind == ItemKind::kCandidate) {
    Statement(database,
              "UPDATE candidates SET tried = max(tried, ?4), realised = realised + ?5, "
              "level = coalesce(?6, level) WHERE test = ?1 AND build = ?2 AND key = ?3")
        .run(scope.test, scope.build, fmt::format("{:016x}", item.candidate.key), item.to,
             result.realised,
             result.findings.empty() ? std::string("candidate") : result.findings.front().level);
  }
  if (item.kind == ItemKind::kSmallest) return true;
  for (const ItemFinding& one : result.findings) {
    const auto replay = replays.find(one.key);
    StoredFinding row{
        one.key,  one.kind, one.level, one.message, replay == replays.end() ? "" : replay->second,
        one.times};
    std::int64_t before = 0;
    Statement(database,
              "SELECT times FROM sightings JOIN findings ON id = finding "
              "WHERE test = ?1 AND key = ?2 AND campaign = ?3 AND build = ?4")
        .each([&](const Row& found) { return before = found.number(0), false; }, scope.test,
              one.key, scope.campaign, scope.build);
    row.times += static_cast<std::uint64_t>(before);
    store_->write(scope, row);
  }
  return true;
}

std::map<std::pair<std::string, std::string>, std::string> SuiteStore::saved_replays() const {
  std::map<std::pair<std::string, std::string>, std::string> result;
  Statement(store_->database(),
            "SELECT name, key, replay FROM sightings JOIN findings ON findings.id = finding "
            "JOIN tests ON tests.id = test WHERE campaign = ?1 AND replay != ''")
      .each([&](const Row& row) { return result[{row.text(0), row.text(1)}] = row.text(2), true; },
            campaign_);
  return result;
}

void SuiteStore::rename_replay(const std::string& test, const ItemFinding& finding,
                               const std::string& replay) {
  store_->write(scope_of(test), StoredFinding{finding.key, finding.kind, finding.level,
                                              finding.message, replay, finding.times});
}

void SuiteStore::end(const std::vector<TestState>& tests) {
  const Transaction transaction(store_->database());
  Statement insert(store_->database(),
                   "INSERT OR REPLACE INTO suite_tests VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
                   "?10)");
  for (const TestState& one : tests) {
    const StoreScope scope = scope_of(one.test.name);
    if (scope.test == 0) continue;
    insert.run(campaign_, scope.test, one.problem, one.profile.threads, one.executions,
               one.schedules(), one.risk(), one.schedule_risk(), fmt::format("{:016x}", one.digest),
               one.seconds);
  }
  // The tables have what the items told; they themselves are needed by --resume alone.
  Statement(store_->database(), "DELETE FROM items WHERE campaign = ?1").run(campaign_);
  store_->end_campaign(campaign_);
}

}  // namespace raddle
