// Who touched what, in the order of one execution: for each thing the writes, and the reads since
// the last write. Writes of one thing are totally ordered, so that the last one stands for all
// before it. Belongs to Causality.
//
// Memory is looked at in granules of 8 bytes. Where accesses to a granule are not all of the same
// bytes, each byte is a thing of its own. So all operations are shown to learn() before any is
// added; what was learnt stays known for later executions. A block that is freed may be large: of
// its granules those count that something else touches, and the first one, where to free it twice
// meets. An execution that begins as the one before it is added from where it differs: what came
// later is taken back first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/pending.hpp"

namespace raddle {

class KeyTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Use {
    std::uint64_t key;
    bool writes;
  };
  struct Access {
    std::uint64_t key;
    std::uint32_t step;
    std::uint32_t previous;  // of the same kind, kNone
    std::uint32_t other;     // a read: the last one before it by another thread
    std::uint32_t reads;     // a write: those that it put an end to
    ThreadId thread;
    bool writes;
  };
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t epoch = 0;
    std::uint32_t reads = kNone;  // since the last write
    std::uint32_t writes = kNone;
  };

  // Forgets the accesses; granules stay known.
  void clear();

  // True: things are told apart that were one before, or a freed block has more of them: what was
  // added so far must be cleared.
  bool learn(const Pending& p);

  // What the operation touches. Valid until the next call.
  std::span<const Use> uses(const Pending& p);

  // Valid until the next one is asked for.
  Entry& at(std::uint64_t key);
  const Access& access(std::uint32_t index) const { return accesses_[index]; }
  void add(const Use& use, std::uint32_t step, ThreadId thread);
  // As if neither this step nor a later one had been added.
  void take_back(std::uint32_t step);

 private:
  struct Granule {
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;  // address and size of its accesses, as in Pending::extra; 0: unused
    bool mixed = false;
  };

  Granule& granule(std::uint64_t number);
  const Granule* find_granule(std::uint64_t number) const;
  bool learn_memory(std::uint64_t address, std::uint64_t size);
  void add_memory(std::uint64_t address, std::uint64_t size, bool writes);
  void add_block(std::uint64_t address, std::uint64_t size);
  void add_granule(const Granule& g, std::uint64_t address, std::uint64_t end, bool writes);

  std::vector<Use> uses_;
  std::vector<Entry> entries_;  // hash table, a power of two
  std::size_t used_ = 0;
  std::uint32_t epoch_ = 1;
  std::vector<Access> accesses_;
  std::vector<Granule> granules_;  // hash table, a power of two
  std::size_t granules_used_ = 0;
  bool frees_ =
      false;  // some operation frees a block: what lies in it counts from when it is known
};

}  // namespace raddle
