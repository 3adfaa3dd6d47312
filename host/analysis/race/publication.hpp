// How a thread came to the memory that it races for: by a pointer that the other thread stored
// after it had written there. Without an order between that store and the load, nothing of what the
// pointer leads to is ordered, and all races there have one cause.
//
// It is said only if it is certain. Of every load of a pointer to the block, by the thread that
// comes later, it is known who stored that value there: the thread itself, which then only keeps
// what it has, or the other one, after its write. All of those are of one variable, or of memory
// that the thread came to by that variable. A block that the thread allocated needs no pointer from
// anybody. A thread that was in the block before it loaded a pointer there came by one that is not
// seen: its argument, or a pointer in what it copied as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"

namespace raddle {

class Publications final : public Detector {
 public:
  // `places`: stable sites of the accesses that may race.
  Publications(ExecutionState& state, std::vector<std::uint64_t> places);
  EventKinds ignores() const override { return kScopes; }
  void on_event(const Event& event) override;
  std::vector<Finding> take_findings() override { return {}; }

  // The store and the load; none: not known, or there is no such pointer. `race` was found in this
  // execution.
  std::vector<FindingStep> of(const Finding& race) const;

 private:
  struct Block {
    std::uint64_t end = 0;
    std::uint64_t number = 0;  // counts allocations, from 1
    ThreadIndex owner = 0;     // who allocated it
  };
  struct Access {
    ThreadIndex thread = 0;
    std::uint64_t event = 0;  // counts events
    PointId point{};
    std::uint64_t step = 0;
  };
  struct Store {
    Access access;
    std::uint64_t value = 0;
  };
  // A pointer to a block that somebody else stored.
  struct Way {
    std::uint64_t address = 0;     // of the variable: a std::shared_ptr has two such pointers
    std::uint64_t inside = 0;      // number of the block that the pointer is in; 0: in none
    std::optional<Access> stored;  // nothing: not known by whom
    Access loaded;                 // the last time
  };
  struct Ways {
    std::vector<Way> list;
    bool unknown = false;  // there are more, or others
  };
  struct Write {
    std::uint64_t end = 0;
    Access access;
    ThreadId thread{};
  };
  struct Found {
    ThreadId writer{};
    Event later{};
    std::vector<FindingStep> steps;
  };
  class Search;

  const Block* block_at(std::uint64_t address) const;
  Access access_of(const Event& event);
  void forget(std::uint64_t address, std::uint64_t bytes);
  void load(const Event& event);
  void store(const Event& event, std::uint64_t value);
  void look_at(const Event& event);
  void come_to(const Event& event);
  bool is_sought(const Event& event) const;

  ExecutionState& state_;
  std::vector<std::uint64_t> places_;
  std::uint64_t allocations_ = 0;
  std::map<std::uint64_t, Block> blocks_;                       // by their first address
  std::map<std::uint64_t, Store> stores_;                       // the last one, by address
  std::map<std::pair<ThreadIndex, std::uint64_t>, Ways> ways_;  // by thread and number of the block
  std::map<std::uint64_t, Write> writes_;                       // at the places, by address
  std::size_t looks_ = 0;
  std::vector<Found> found_;
};

}  // namespace raddle
