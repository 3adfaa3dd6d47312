// The store of a suite: its items, and what came of them. An item's result, and all that follows
// from it, is one transaction: it is stored wholly or not at all, and never twice.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/store/store.hpp"
#include "host/campaign/suite/item.hpp"
#include "host/campaign/suite/rounds.hpp"

namespace raddle {

struct StoredItem {
  Item item;
  std::optional<ItemResult> result;
};

class SuiteStore {
 public:
  // A new campaign; `options` is the caller's, for resumed().
  static SuiteStore begin(Store& store, const std::string& commit, const std::string& options);
  // The last suite of the store, if it has not ended. The error says that there is none.
  static Result<SuiteStore> resume(Store& store);

  std::int64_t campaign() const { return campaign_; }
  std::string options() const;
  bool ok() const { return store_->ok(); }
  const std::string& error() const { return store_->error(); }

  // The items of a round, in their order; of one that was planned before, with its results.
  std::vector<StoredItem> round(std::uint64_t number);
  void plan(std::uint64_t number, const std::vector<Item>& items);

  // Called once for each test before its first result, with the build that is executed.
  void set_build(const std::string& test, const StoredTest& row, const StoredBuild& build);

  // Stores the result and what it adds to the tables; false if it was there already.
  // `replays` says under which names the findings' files were saved, by key.
  bool add(const Item& item, const ItemResult& result,
           const std::map<std::string, std::string>& replays);
  // Files that were saved before the suite was cut short, by test and key.
  std::map<std::pair<std::string, std::string>, std::string> saved_replays() const;
  // The finding's file has another name now.
  void rename_replay(const std::string& test, const ItemFinding& finding,
                     const std::string& replay);
  void end(const std::vector<TestState>& tests);

 private:
  SuiteStore(Store& store, std::int64_t campaign) : store_(&store), campaign_(campaign) {}
  StoreScope scope_of(const std::string& test) const;

  Store* store_;
  std::int64_t campaign_ = 0;
  std::map<std::string, StoreScope> scopes_;
};

}  // namespace raddle
