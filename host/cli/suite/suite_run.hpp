// One suite from its first item to its report: rounds of items go to a queue, results go to the
// store, and from there to the next round. On the command's thread.
//
// The store is the truth. A result is stored before the queue may forget it, and a suite that was
// cut short goes on from what is stored, with the same rounds.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/store/suite_store.hpp"
#include "host/campaign/suite/item_queue.hpp"
#include "host/campaign/suite/rounds.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/progress.hpp"
#include "host/process/watch.hpp"

namespace raddle {

struct SuiteRunOptions {
  Clock::duration budget{};  // zero: none
  const std::atomic<bool>* stop = nullptr;
};

class SuiteRun {
 public:
  SuiteRun(SuiteStore& store, SuiteRounds& rounds, ItemQueue& queue, OutputFolder& folder,
           const std::string& folder_path, const SuiteRunOptions& options);

  // An error means that the suite cannot go on: the store, or the queue.
  Result<std::monostate> run();

  bool interrupted() const { return stopped(); }
  bool out_of_budget() const { return out_of_budget_; }
  std::uint64_t items() const { return items_done_; }
  // Paths of the findings' replay files, by test and key.
  std::string replay_of(const std::string& test, const std::string& key) const;

 private:
  enum class Round { kDone, kCutShort };
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  double elapsed() const;
  double end_of_search() const;
  Result<Round> do_round(std::vector<Item> items, double until);
  Result<std::monostate> take(const Item& item, const ItemResult& result);
  void save_replays(const Item& item, const ItemResult& result,
                    std::map<std::string, std::string>* names);
  void finish_replays();
  void show_progress();
  bool found_something() const;

  SuiteStore& store_;
  SuiteRounds& rounds_;
  ItemQueue& queue_;
  OutputFolder& folder_;
  const std::string folder_path_;
  const SuiteRunOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  std::uint64_t round_ = 0;
  std::uint64_t items_done_ = 0;
  bool out_of_budget_ = false;
  ProgressLine progress_;
  struct Saved {
    std::string path;
    std::uint64_t index = 0;
    std::string bytes;  // of the file, if it was written by this run
  };
  std::map<std::pair<std::string, std::string>, Saved> replays_;
};

}  // namespace raddle
