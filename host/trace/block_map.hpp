// Which named piece of memory an address lies in: heap blocks, local variables, and whatever was
// given a name. Called by ObjectNames alone.
//
// Blocks nest and never overlap otherwise: a local in a thread's stack that came from malloc, a
// named lock inside a heap block. What is inserted last is right, so that a missed free costs a
// name and not the truth: blocks that the new one covers, wholly or in part, are gone.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory_resource>

#include "protocol/event.hpp"
#include "protocol/ids.hpp"

namespace raddle {

struct Block {
  enum class Kind : std::uint8_t { kNamed, kHeap, kLocal };

  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // more than begin
  Kind kind = Kind::kNamed;
  ThreadId thread = kNoThread;  // kLocal
  std::uint32_t frame = 0;      // kLocal: functions its thread was in
  SiteId site = kNoSite;        // kHeap, kLocal
  std::uint32_t text = 0;       // kNamed: its name, kHeap: place of allocation; ObjectNames' index
  std::uint32_t ordinal = 0;    // kHeap: allocations at that place up to it
  std::uint32_t cls = 0;        // ObjectNames' index, 0: not known
  // Set by the map.
  Block* outer = nullptr;
  std::uint32_t depth = 0;
};

class BlockMap {
 public:
  // At most `most` blocks; what comes beyond them has no name. `gone` is called for every block
  // that leaves, whatever the reason.
  BlockMap(std::size_t most, std::function<void(const Block&)> gone);
  BlockMap(const BlockMap&) = delete;
  BlockMap& operator=(const BlockMap&) = delete;

  // Null if there is no room for it. A kNamed block may have the range of a heap block or local,
  // and then lies inside it.
  Block* insert(Block block);

  // The smallest block around an address, the newest of equals; null if there is none.
  Block* innermost(std::uint64_t address);
  const Block* innermost(std::uint64_t address) const;

  // Of this kind, with exactly this beginning; the smallest of them.
  Block* starting_at(std::uint64_t address, Block::Kind kind);

  // And all that lies inside it.
  void erase(Block* block);

  std::size_t size() const { return blocks_.size(); }

 private:
  // An outer block comes before those inside it.
  struct Key {
    std::uint64_t begin;
    std::uint64_t not_end;
    std::uint64_t serial;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry : Block {
    std::uint64_t serial = 0;
  };
  using Blocks = std::pmr::map<Key, Entry>;

  void make_room(const Block& block);
  Blocks::iterator find(const Block* block);
  Blocks::iterator erase_tree(Blocks::iterator at);

  std::pmr::unsynchronized_pool_resource memory_;
  Blocks blocks_{&memory_};
  const std::size_t most_;
  const std::function<void(const Block&)> gone_;
  std::uint64_t serial_ = 0;
};

}  // namespace raddle
