#include "host/campaign/suite/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/analysis/model/finding.hpp"
#include "host/campaign/suite/plans.hpp"
#include "host/process/outcome.hpp"
#include "protocol/report.hpp"

namespace raddle {
namespace {

// A candidate gets so many tries, so many in a round.
constexpr std::uint64_t kTries = 60;
constexpr std::uint64_t kTriesInRound = 20;
constexpr std::uint64_t kTriesOfLong = 4;          // of a test with long executions
constexpr std::uint64_t kLongExecution = 100'000;  // steps
// Shares of the search in one round, in plans.
constexpr std::uint64_t kFirstShare = 64;
constexpr std::uint64_t kMostDoublings = 5;
constexpr std::uint64_t kMostShare = 8192;
// What starting an execution costs, in steps.
constexpr double kStartCost = 2000;
// No new schedules: so many executions of each strategy, and of these so few that nobody saw twice.
constexpr std::uint64_t kEnoughDraws = 200;
constexpr double kRareSchedules = 0.002;
// An exploration begins anew each time, so it is given several times what the one before had. A
// test whose shares bring many new schedules has too many to go through.
constexpr std::uint64_t kFirstExploration = 200;
constexpr std::uint64_t kMoreExploration = 4;
constexpr double kFewNewSchedules = 0.5;
constexpr double kMostExploredSteps = 40e6;
// However little a test yields, it gets a little of the next round: it may change its mind.
constexpr double kLeastWeight = 0.05;
constexpr double kChangedWeight = 3;
constexpr double kFindingWeight = 2;

std::uint64_t key_of(std::string_view text) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

bool is_sampled(const std::string& strategy) {
  const StrategyEntry* entry = find_strategy(strategy);
  return entry != nullptr && entry->samples;
}

}  // namespace

std::uint64_t TestState::schedules() const {
  std::uint64_t most = 0;
  for (const auto& [name, tally] : strategies) most += tally.schedules.different();
  return most;
}

double TestState::risk() const {
  if (complete) return 0;
  double worst = strategies.empty() ? 1 : 0;
  for (const auto& [name, tally] : strategies)
    if (is_sampled(name)) worst = std::max(worst, residual_risk(tally.outcomes));
  return worst;
}

double TestState::schedule_risk() const {
  if (complete) return 0;
  double worst = strategies.empty() ? 1 : 0;
  for (const auto& [name, tally] : strategies)
    if (is_sampled(name)) worst = std::max(worst, residual_risk(tally.schedules));
  return worst;
}

bool TestState::exhausted() const {
  if (complete) return true;
  if (strategies.size() < strategies_in_turn()) return false;
  return std::all_of(strategies.begin(), strategies.end(), [](const auto& one) {
    const SeenCounts& seen = one.second.schedules;
    return seen.draws() >= kEnoughDraws &&
           static_cast<double>(seen.once()) <= kRareSchedules * static_cast<double>(seen.draws());
  });
}

SuiteRounds::SuiteRounds(std::vector<SuiteTest> tests, RoundOptions options)
    : options_(std::move(options)) {
  for (SuiteTest& test : tests) {
    TestState& state = tests_.emplace_back();
    state.changed = options_.changed.contains(test.name);
    state.test = std::move(test);
  }
}

std::uint64_t SuiteRounds::executions() const {
  std::uint64_t sum = 0;
  for (const TestState& test : tests_) sum += test.executions;
  return sum;
}

std::uint64_t SuiteRounds::left() const {
  if (options_.executions == 0) return ~std::uint64_t{0};
  return options_.executions - std::min(options_.executions, planned_);
}

bool SuiteRounds::is_done(const TestState& test) const {
  if (!test.problem.empty() || test.profile.threads <= 1 || test.complete) return true;
  if (test.strategies.size() < strategies_in_turn()) return false;
  return test.exhausted() || (options_.until_risk > 0 && test.risk() <= options_.until_risk);
}

double SuiteRounds::weight(const TestState& test) const {
  double weight = 1;
  if (test.share > 0) {
    const auto fresh = static_cast<double>(test.schedules() - test.schedules_before);
    weight = std::clamp(fresh / static_cast<double>(test.share), kLeastWeight, 1.0);
    if (test.findings.size() > test.findings_before) weight *= kFindingWeight;
  }
  return test.changed ? weight * kChangedWeight : weight;
}

Item SuiteRounds::item_for(std::size_t at, ItemKind kind, const std::string& part) const {
  const TestState& test = tests_[at];
  Item item;
  item.id = fmt::format("{}.{}", at, part);
  item.kind = kind;
  item.test = test.test;
  item.profile = test.profile;
  item.first_seed = options_.first_seed;
  item.timeout_ms = options_.timeout_ms;
  item.most_steps = options_.most_steps;
  return item;
}

std::vector<Item> SuiteRounds::next() {
  std::vector<Item> items;
  if (round_++ == 0) {
    for (std::size_t at = 0; at < tests_.size(); ++at)
      items.push_back(item_for(at, ItemKind::kProbe, "probe"));
    return items;
  }
  // What a test's share costs, and what it is worth.
  std::vector<std::size_t> active;
  double weights = 0;
  double cost = 0;
  const auto cost_of = [](const TestState& test) {
    return static_cast<double>(test.profile.length) + kStartCost;
  };
  for (std::size_t at = 0; at < tests_.size(); ++at) {
    // What does harm and fails nowhere is shown by tries for candidates, not by an exploration.
    if (tests_[at].complete) try_candidates(at, items);
    if (is_done(tests_[at])) continue;
    active.push_back(at);
    weights += weight(tests_[at]);
    cost += cost_of(tests_[at]);
  }
  const std::uint64_t doublings = std::min(round_ - 2, kMostDoublings);
  const double work = cost * static_cast<double>(kFirstShare << doublings);
  for (const std::size_t at : active) {
    TestState& test = tests_[at];
    const double plans = work * weight(test) / weights / cost_of(test);
    const std::uint64_t turn = strategies_in_turn();
    const auto whole = static_cast<std::uint64_t>(std::llround(plans)) / turn * turn;
    try_candidates(at, items);
    explore(at, items);
    search(at, std::clamp(whole, 2 * turn, kMostShare), items);
  }
  return items;
}

void SuiteRounds::try_candidates(std::size_t at, std::vector<Item>& items) {
  for (CandidateState& one : tests_[at].candidates) {
    if (one.tried >= kTries || one.level != "candidate" || left() == 0) continue;
    Item item = item_for(at, ItemKind::kCandidate,
                         fmt::format("c{:016x}.{}", one.candidate.key, one.tried));
    item.candidate = one.candidate;
    item.from = one.tried;
    const bool is_long = tests_[at].profile.length > kLongExecution;
    item.to = one.tried + std::min(is_long ? kTriesOfLong : kTriesInRound, left());
    planned_ += item.to - item.from;
    one.tried = item.to;
    items.push_back(std::move(item));
  }
}

void SuiteRounds::explore(std::size_t at, std::vector<Item>& items) {
  TestState& test = tests_[at];
  if (!test.profile.whole) return;
  if (test.explored > 0) {
    const auto fresh = static_cast<double>(test.schedules() - test.schedules_before);
    if (fresh > kFewNewSchedules * static_cast<double>(test.share)) return;
  }
  const std::uint64_t wanted = test.explored == 0
                                   ? kFirstExploration
                                   : std::max(kMoreExploration * test.explored, test.schedules());
  const double each = static_cast<double>(test.profile.length) + kStartCost;
  const auto most = static_cast<std::uint64_t>(kMostExploredSteps / each);
  const std::uint64_t limit = std::min({wanted, most, left()});
  if (limit <= test.explored) return;
  Item item = item_for(at, ItemKind::kExplore, fmt::format("e{}", limit));
  item.to = limit;
  planned_ += limit;
  test.explored = limit;
  items.push_back(std::move(item));
}

void SuiteRounds::search(std::size_t at, std::uint64_t plans, std::vector<Item>& items) {
  TestState& test = tests_[at];
  plans = std::min(plans, left());
  planned_ += plans;
  test.share = plans;
  test.schedules_before = test.schedules();
  test.findings_before = test.findings.size();
  // How many plans an item has depends on time, and changes nothing of what they show.
  const double each =
      test.executions == 0
          ? 0.01
          : test.seconds / static_cast<double>(std::max<std::uint64_t>(1, test.executions));
  const auto chunk = static_cast<std::uint64_t>(
      std::clamp(options_.item_seconds / std::max(each, 1e-4), 1.0, 4096.0));
  for (const std::uint64_t end = test.next_index + plans; test.next_index < end;) {
    const std::uint64_t from = test.next_index;
    const std::uint64_t to = std::min(end, from + chunk);
    Item item = item_for(at, ItemKind::kSearch, fmt::format("s{}", from));
    item.from = from;
    item.to = to;
    items.push_back(std::move(item));
    test.next_index = to;
  }
}

TestState* SuiteRounds::state_of(const Item& item) {
  for (TestState& test : tests_)
    if (test.test.name == item.test.name) return &test;
  return nullptr;
}

void SuiteRounds::add_probe(TestState& test, const ItemResult& result) {
  test.probed = true;
  test.problem = result.problem;
  test.profile = result.profile;
  test.written = result.written;
  for (const SuiteCandidate& one : result.candidates)
    test.candidates.push_back({.candidate = one, .level = "candidate"});
  // Another test may leave the same file: what they find there is then not the schedule's doing.
  for (TestState& other : tests_) {
    if (&other == &test || other.test.directory != test.test.directory) continue;
    for (const std::string& path : test.written) {
      if (std::find(other.written.begin(), other.written.end(), path) == other.written.end())
        continue;
      test.notes.push_back(fmt::format("writes {}, as {} does", path, other.test.name));
      other.notes.push_back(fmt::format("writes {}, as {} does", path, test.test.name));
    }
  }
}

void SuiteRounds::add(const Item& item, const ItemResult& result) {
  TestState* test = state_of(item);
  if (test == nullptr) return;
  test->seconds += result.seconds;
  if (item.kind == ItemKind::kProbe) {
    add_probe(*test, result);
  } else if (result.spoiled) {
    test->problem = result.problem;
  } else if (!result.problem.empty() && std::find(test->notes.begin(), test->notes.end(),
                                                  result.problem) == test->notes.end()) {
    test->notes.push_back(result.problem);
  }
  if (item.kind == ItemKind::kSmallest) {
    for (const ItemFinding& one : result.findings) {
      const auto known = test->findings.find(one.key);
      if (known == test->findings.end() || one.replay.empty()) continue;
      known->second.replay = one.replay;
      known->second.message = one.message;
    }
    return;
  }
  if (item.kind == ItemKind::kExplore) {
    test->complete = test->complete || result.complete;
    planned_ -= item.to - std::min<std::uint64_t>(item.to, result.plans.size());
  }
  test->digest += outcomes_digest(item, result);
  std::uint64_t index = item.from;
  for (const PlanResult& plan : result.plans) {
    const auto kind = static_cast<OutcomeKind>(plan.outcome);
    ++test->executions;
    test->steps += plan.steps;
    if (is_failing(kind))
      ++test->failing;
    else if (kind != OutcomeKind::kNone)
      ++test->inconclusive;
    // Only the search draws from fixed distributions: a profile learns from what it saw, and tries
    // for a candidate are of a distribution each.
    if (item.kind == ItemKind::kSearch) {
      StrategyTally& tally = test->strategies[search_strategy(index).name];
      tally.schedules.add(plan.schedule);
      const std::string shown = plan.shows == 0 ? outcome_text(kind) : result.shown[plan.shows - 1];
      tally.outcomes.add(key_of(shown));
    }
    ++index;
  }
  for (const ItemFinding& one : result.findings) {
    auto [known, is_new] = test->findings.try_emplace(one.key, one);
    if (is_new) continue;
    const std::uint64_t times = known->second.times + one.times;
    // The same execution is shown whichever result came first.
    const auto before = [](const ItemFinding& a, const ItemFinding& b) {
      return std::pair(a.index, a.replay) < std::pair(b.index, b.replay);
    };
    if (before(one, known->second)) known->second = one;
    known->second.times = times;
  }
  if (item.kind == ItemKind::kCandidate) {
    for (CandidateState& one : test->candidates) {
      if (one.candidate.key != item.candidate.key) continue;
      one.realised += result.realised;
      for (const ItemFinding& found : result.findings)
        if (found.level != "candidate") one.level = found.level;
    }
  }
}

std::vector<Item> SuiteRounds::smallest() const {
  std::vector<Item> items;
  for (std::size_t at = 0; at < tests_.size(); ++at) {
    std::size_t number = 0;
    for (const auto& [key, finding] : tests_[at].findings) {
      if (finding.level != "failing" || finding.replay.empty()) continue;
      Item item = item_for(at, ItemKind::kSmallest, fmt::format("m{}", number++));
      item.replay = finding.replay;
      items.push_back(std::move(item));
    }
  }
  return items;
}

}  // namespace raddle
