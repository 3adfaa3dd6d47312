// A property at run time: what raddle/enforce.hpp calls. One for each specification, never
// destroyed: threads may have events after static objects are gone.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "prevent/enforce/shard.hpp"
#include "prevent/enforce/thread_shards.hpp"
#include "prevent/monitor/gate.hpp"

namespace raddle::enforce {

class Property final : public monitor::Monitor {
 public:
  explicit Property(const Specification& specification);

  bool happens(Arrival arrival, const void* site);
  void destroyed(unsigned parameter, const void* object);
  // Of all shards.
  std::size_t monitors();

  // For the gate, with its lock held.
  bool concerns(const monitor::Event& event) const override;
  monitor::Answer ask(const monitor::Event& event) override;
  void commit(const monitor::Event& event) override;
  void give_up(const std::string& why) override;
  std::string reason(const monitor::Event& event) override;
  std::string title() const override;
  std::string waits_for(const monitor::Event& event) const override;
  bool asks(const monitor::Event& event) const override;
  const char* file() const override { return specification_.file; }
  unsigned line() const override { return specification_.line; }
  bool patient() const override { return true; }
  bool handles_giving_up() const override { return specification_.deadlock != nullptr; }

 private:
  // A thread's event at the gate.
  struct Pending {
    Property* property;
    Shard* shard;
    Arrival* arrival;
  };

  using Shards = std::vector<std::unique_ptr<Shard>>;

  Shard& shard_of(const void* const* objects, unsigned long execution);
  Shards make_shards() const;
  bool happens_in_thread(Arrival& arrival, unsigned long execution);
  void pass_gate(Shard& shard, Arrival& arrival, const void* site);
  void begin_execution(unsigned long execution);
  void must_not_be_alone(Shard& shard, Arrival& arrival);
  bool is_blocked(const char* thread) const;
  // The report goes to the handler, or the program ends.
  void report(const std::string& text, bool ends);

  const Specification& specification_;
  std::unique_ptr<const logics::Property> logic_;
  Domains domains_;
  Shards shards_;
  // Those of an execution under Raddle's control. Executions in one process know nothing of each
  // other: each begins with what there was before the first.
  Shards controlled_;
  unsigned long execution_ = 0;
  ThreadShards thread_shards_;       // perthread
  std::vector<std::string> titles_;  // of the events: "OneFork.acquire"
  bool waits_for_blocked_ = false;   // some event has threadBlocked(..)
};

}  // namespace raddle::enforce
