#include "host/cli/suite/suite_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "host/base/atomic_file.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

constexpr double kSearchShare = 0.85;  // of the budget, once something failed
constexpr std::chrono::milliseconds kPatience{100};

}  // namespace

SuiteRun::SuiteRun(SuiteStore& store, SuiteRounds& rounds, ItemQueue& queue, OutputFolder& folder,
                   const std::string& folder_path, const SuiteRunOptions& options)
    : store_(store),
      rounds_(rounds),
      queue_(queue),
      folder_(folder),
      folder_path_(folder_path),
      options_(options) {
  for (const auto& [key, name] : store_.saved_replays())
    replays_[key] = {(fs::path(folder_path_) / name).string(), ~std::uint64_t{0}, {}};
}

double SuiteRun::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

bool SuiteRun::found_something() const {
  return std::any_of(rounds_.tests().begin(), rounds_.tests().end(),
                     [](const TestState& test) { return test.failing > 0; });
}

// In seconds; no budget: never.
double SuiteRun::end_of_search() const {
  if (options_.budget == Clock::duration{}) return 1e18;
  const double all = std::chrono::duration<double>(options_.budget).count();
  return found_something() ? kSearchShare * all : all;
}

Result<std::monostate> SuiteRun::run() {
  for (;;) {
    const std::vector<Item> items = rounds_.next();
    if (items.empty()) break;
    const Result<Round> round = do_round(items, -1);
    if (!round) return Error{round.error()};
    if (*round == Round::kCutShort) break;
  }
  const std::vector<Item> smallest = rounds_.smallest();
  if (!smallest.empty() && !stopped()) {
    const double all = std::chrono::duration<double>(options_.budget).count();
    const Result<Round> done = do_round(
        smallest, options_.budget == Clock::duration{} ? 1e18 : std::max(all, elapsed() + 5));
    if (!done) return Error{done.error()};
  }
  progress_.clear();
  finish_replays();
  return std::monostate{};
}

// `until` in seconds; negative: as long as the search may take.
Result<SuiteRun::Round> SuiteRun::do_round(std::vector<Item> items, double until) {
  const std::uint64_t number = round_++;
  // A suite that goes on has planned this round before: its items are those, and some are done.
  std::vector<StoredItem> before = store_.round(number);
  std::map<std::string, Item> open;
  if (before.empty()) {
    store_.plan(number, items);
    for (Item& item : items) open.emplace(item.id, std::move(item));
  }
  for (StoredItem& one : before) {
    if (!one.result) {
      open.emplace(one.item.id, std::move(one.item));
      continue;
    }
    std::map<std::string, std::string> names;
    save_replays(one.item, *one.result, &names);
    rounds_.add(one.item, *one.result);
    ++items_done_;
  }
  std::vector<Item> publishing;
  for (const auto& [id, item] : open) publishing.push_back(item);
  // The planned order, which is that of the tests.
  if (before.empty()) {
    publishing.clear();
    for (const StoredItem& one : store_.round(number)) publishing.push_back(one.item);
  }
  if (const auto published = queue_.publish(publishing); !published)
    return Error{published.error()};
  while (!open.empty()) {
    const double end = until < 0 ? end_of_search() : until;
    if (stopped() || elapsed() > end) {
      out_of_budget_ = out_of_budget_ || (!stopped() && until < 0);
      queue_.cancel();
      return Round::kCutShort;
    }
    Result<std::optional<ItemResult>> result = queue_.next(kPatience);
    if (!result) return Error{result.error()};
    show_progress();
    if (!*result) continue;
    const auto item = open.find((*result)->id);
    // One that was executed twice counts once.
    if (item != open.end()) {
      if (const auto taken = take(item->second, **result); !taken) return Error{taken.error()};
      open.erase(item);
    }
    queue_.stored();
  }
  return Round::kDone;
}

Result<std::monostate> SuiteRun::take(const Item& item, const ItemResult& result) {
  std::map<std::string, std::string> names;
  save_replays(item, result, &names);
  const bool added = store_.add(item, result, names);
  if (!store_.ok()) return Error{store_.error()};
  if (!added) return std::monostate{};
  rounds_.add(item, result);
  ++items_done_;
  return std::monostate{};
}

// A finding's file is that of its first execution, whichever result came first, until the smallest
// takes its place.
void SuiteRun::save_replays(const Item& item, const ItemResult& result,
                            std::map<std::string, std::string>* names) {
  for (const ItemFinding& one : result.findings) {
    Saved& saved = replays_[{item.test.name, one.key}];
    const bool better = item.kind == ItemKind::kSmallest ||
                        std::tie(one.index, one.replay) < std::tie(saved.index, saved.bytes);
    if (!one.replay.empty() && (saved.path.empty() || better)) {
      if (saved.path.empty()) saved.path = folder_.provisional_replay();
      saved.index = one.index;
      saved.bytes = one.replay;
      if (!write_file_atomically(saved.path, one.replay)) saved.path.clear();
    }
    (*names)[one.key] = fs::path(saved.path).filename().string();
  }
}

void SuiteRun::finish_replays() {
  for (const TestState& test : rounds_.tests()) {
    for (const auto& [key, finding] : test.findings) {
      Saved& saved = replays_[{test.test.name, key}];
      if (saved.path.empty()) continue;
      const std::string path = folder_.next_replay();
      if (std::rename(saved.path.c_str(), path.c_str()) != 0) continue;
      saved.path = path;
      store_.rename_replay(test.test.name, finding, fs::path(path).filename().string());
    }
  }
}

std::string SuiteRun::replay_of(const std::string& test, const std::string& key) const {
  const auto found = replays_.find({test, key});
  return found == replays_.end() ? "" : found->second.path;
}

void SuiteRun::show_progress() {
  const QueueStatus status = queue_.status();
  std::uint64_t findings = 0;
  std::uint64_t executions = 0;
  for (const TestState& test : rounds_.tests()) {
    findings += test.findings.size();
    executions += test.executions;
  }
  Progress progress;
  progress.what =
      fmt::format("{}, {}, {}, {}", counted(status.workers, "worker"), counted(items_done_, "item"),
                  counted(executions, "execution"), counted(findings, "finding"));
  if (!status.stragglers.empty()) progress.what += ", slow: " + status.stragglers.front();
  progress.done = executions;
  progress.seconds = elapsed();
  const double end = end_of_search();
  if (end < 1e17) {
    progress.share = std::min(0.999, elapsed() / end);
    progress.left = std::max(0.0, end - elapsed());
  }
  progress_.update(progress);
}

}  // namespace raddle
