// What a worker does: takes an item, executes it, publishes its result, and only then acknowledges
// the item. Whatever happens in between, the item comes again, to this worker or to another.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/campaign/queue/broker.hpp"
#include "host/campaign/queue/bundle.hpp"
#include "host/campaign/suite/item.hpp"

namespace raddle {

struct WorkerLoopOptions {
  BrokerOptions broker;
  std::string name;                         // unique among the workers
  const std::atomic<bool>* stop = nullptr;  // after the item under way
  std::chrono::milliseconds until_idle{};   // ends after so long without work; zero: never
  // Nothing: it was stopped. `alive` is to be called now and then while it works.
  std::function<std::optional<ItemResult>(const Item& item, const std::function<void()>& alive)>
      execute;
  std::function<void(const std::string& line)> say;
};

struct WorkerLoopResult {
  std::uint64_t items = 0;
  std::uint64_t given_up = 0;  // items that workers died of
};

// Returns when it is to stop, or was idle for long enough. The error is one line.
Result<WorkerLoopResult> work_for(const WorkerLoopOptions& options);

// The bundle of that hash, fetched from the broker if FOLDER does not have it, its contents
// compared with its hash. The folder that it was unpacked into, and where its program lay.
struct FetchedBundle {
  std::string folder;
  std::string file;     // of the program, in it
  std::string program;  // path where the suite was started
};
Result<FetchedBundle> fetch_bundle(Broker& broker, const std::string& hash,
                                   const std::string& folder);

}  // namespace raddle
