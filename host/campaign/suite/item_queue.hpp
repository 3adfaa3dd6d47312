// Where items go and results come from: threads of this process, or workers on other machines. The
// suite does not know which.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/suite/item.hpp"

namespace raddle {

struct QueueStatus {
  std::uint64_t workers = 0;            // heard of lately
  std::vector<std::string> stragglers;  // workers that have had an item for long: "NAME: 40 s"
};

// Used by one thread.
class ItemQueue {
 public:
  virtual ~ItemQueue() = default;
  // Before the first round: the tests whose programs the workers will need.
  virtual Result<std::monostate> offer(std::vector<SuiteTest>& tests) = 0;
  // Each will have a result, once or more often.
  virtual Result<std::monostate> publish(const std::vector<Item>& items) = 0;
  // The next result; nothing if none came in time. An error ends the suite.
  virtual Result<std::optional<ItemResult>> next(std::chrono::milliseconds patience) = 0;
  // The result that next() returned last is stored: it need not come again.
  virtual void stored() = 0;
  // What has no result is not wanted any more.
  virtual void cancel() = 0;
  virtual QueueStatus status() = 0;
};

}  // namespace raddle
