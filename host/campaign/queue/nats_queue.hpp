// The queue of a suite whose workers are elsewhere: items and results go through a NATS server.
//
// The store, not the server, is the truth. What was published and has no result is kept here, and
// published again after each reconnection, and when the server has nothing left although results
// are missing (JetStream may acknowledge before its disk has it). So an item may be executed twice;
// results carry the item's id, and the second one is dropped. An item that workers die of ends
// after kMostDeliveries as one that could not be done.
//
// A broker serves one suite at a time: a second one would take the first one's results away.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "host/campaign/queue/broker.hpp"
#include "host/campaign/suite/item_queue.hpp"

namespace raddle {

inline constexpr std::uint64_t kMostDeliveries = 8;

// What workers have to know, in the bucket.
struct CampaignNotice {
  std::string version;  // of Raddle
  std::string token;
  std::string glibc;
  std::vector<std::string> cpu;  // features that the tests may use
  std::uint64_t beat = 0;        // goes up while the suite runs
  bool ended = false;
};
std::string notice_text(const CampaignNotice& notice);
Result<CampaignNotice> parse_notice(const std::string& text);
CampaignNotice notice_of_this_machine();
// What does not fit here, in a line; empty if everything does.
std::string misfit(const CampaignNotice& notice, const CampaignNotice& here);

struct NatsQueueOptions {
  BrokerOptions broker;
  std::string token;  // of the campaign
  std::chrono::milliseconds redelivery{20'000};
  std::vector<std::string> files;  // more files that the tests need
};

class NatsQueue final : public ItemQueue {
 public:
  static Result<std::unique_ptr<NatsQueue>> open(const NatsQueueOptions& options);
  ~NatsQueue() override;

  Result<std::monostate> offer(std::vector<SuiteTest>& tests) override;
  Result<std::monostate> publish(const std::vector<Item>& items) override;
  Result<std::optional<ItemResult>> next(std::chrono::milliseconds patience) override;
  void stored() override;
  void cancel() override;
  QueueStatus status() override;

 private:
  NatsQueue(NatsQueueOptions options, std::unique_ptr<Broker> broker);
  Result<std::monostate> announce(bool ended);
  void beat();
  void publish_waiting();
  void publish_all_again();
  void look_for_losses();
  Result<std::string> offer_program(const std::string& program);

  const NatsQueueOptions options_;
  std::unique_ptr<Broker> broker_;
  std::map<std::string, std::string> open_;  // bytes of items without a result
  std::deque<std::string> unpublished_;      // ids
  std::size_t published_ = 0;                // of `open_`, that the server should have
  std::deque<Delivery> fetched_;
  std::optional<Delivery> last_;
  std::string last_id_;           // of its item
  std::uint64_t generation_ = 0;  // part of message ids: what is published again is no duplicate
  std::uint64_t reconnections_ = 0;
  std::chrono::steady_clock::time_point quiet_since_;
  std::chrono::steady_clock::time_point beaten_;
  std::uint64_t beats_ = 0;
  std::map<std::string, std::string> bundles_;  // hash of a program's bundle

  struct WorkerState {
    std::chrono::steady_clock::time_point heard;
    double busy = 0;  // seconds with its item
  };
  std::mutex mutex_;  // of the next
  std::map<std::string, WorkerState> workers_;
};

}  // namespace raddle
