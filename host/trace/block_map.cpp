#include "host/trace/block_map.hpp"

#include <iterator>
#include <limits>
#include <utility>

namespace raddle {

namespace {

// No program nests so deeply; a file may claim it, and every question walks this far.
constexpr std::uint32_t kDeepest = 64;
constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();

bool same_range(const Block& a, const Block& b) { return a.begin == b.begin && a.end == b.end; }

}  // namespace

BlockMap::BlockMap(std::size_t most, std::function<void(const Block&)> gone)
    : most_(most), gone_(std::move(gone)) {}

Block* BlockMap::innermost(std::uint64_t address) {
  return const_cast<Block*>(std::as_const(*this).innermost(address));
}

const Block* BlockMap::innermost(std::uint64_t address) const {
  auto at = blocks_.upper_bound(Key{address, kLast, kLast});
  if (at == blocks_.begin()) return nullptr;
  // What is around the address is around its predecessor too, or is that itself.
  const Block* block = &std::prev(at)->second;
  while (block != nullptr && address >= block->end) block = block->outer;
  return block;
}

Block* BlockMap::starting_at(std::uint64_t address, Block::Kind kind) {
  Block* found = nullptr;
  for (auto at = blocks_.lower_bound(Key{address, 0, 0});
       at != blocks_.end() && at->first.begin == address; ++at) {
    if (at->second.kind == kind) found = &at->second;
  }
  return found;
}

BlockMap::Blocks::iterator BlockMap::find(const Block* block) {
  const auto& entry = static_cast<const Entry&>(*block);
  return blocks_.find(Key{entry.begin, ~entry.end, entry.serial});
}

// The tree below an entry follows it directly.
BlockMap::Blocks::iterator BlockMap::erase_tree(Blocks::iterator at) {
  const std::uint32_t depth = at->second.depth;
  do {
    gone_(at->second);
    at = blocks_.erase(at);
  } while (at != blocks_.end() && at->second.depth > depth);
  return at;
}

void BlockMap::erase(Block* block) { erase_tree(find(block)); }

void BlockMap::make_room(const Block& block) {
  // Those that begin before it and end inside it.
  for (Block* around = innermost(block.begin); around != nullptr;) {
    Block* const outer = around->outer;
    if (around->begin < block.begin && around->end < block.end) erase(around);
    around = outer;
  }
  // Those that begin inside it.
  for (auto at = blocks_.lower_bound(Key{block.begin, 0, 0});
       at != blocks_.end() && at->first.begin < block.end;) {
    const Block& other = at->second;
    const bool contains = other.begin == block.begin && other.end > block.end;
    const bool named_within = block.kind == Block::Kind::kNamed && same_range(other, block) &&
                              other.kind != Block::Kind::kNamed;
    // Nobody hands out the same address twice: the release of the first was missed.
    const bool reused =
        other.begin == block.begin && other.kind == block.kind && block.kind != Block::Kind::kNamed;
    if ((contains || named_within) && !reused) {
      ++at;
    } else {
      at = erase_tree(at);
    }
  }
}

Block* BlockMap::insert(Block block) {
  make_room(block);
  if (blocks_.size() >= most_) return nullptr;
  block.outer = innermost(block.begin);
  block.depth = block.outer == nullptr ? 0 : block.outer->depth + 1;
  if (block.depth >= kDeepest) return nullptr;
  const Key key{block.begin, ~block.end, ++serial_};
  Entry entry;
  static_cast<Block&>(entry) = block;
  entry.serial = serial_;
  return &blocks_.emplace(key, entry).first->second;
}

}  // namespace raddle
