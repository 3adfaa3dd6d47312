#include "target/heap/execution_heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "target/heap/bit_tree.hpp"

namespace raddle {
namespace {

TEST(BitTree, AgreesWithASet) {
  auto tree = std::make_unique<BitTree>();
  std::set<std::size_t> set;
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    // Half of the numbers are near each other, so that words fill and empty.
    const std::size_t number = random() % (random() % 2 == 0 ? 300 : BitTree::kBits);
    if (random() % 2 == 0) {
      tree->set(number);
      set.insert(number);
    } else {
      tree->clear(number);
      set.erase(number);
    }
    const std::size_t from = random() % (random() % 2 == 0 ? 300 : BitTree::kBits);
    const auto next = set.lower_bound(from);
    ASSERT_EQ(tree->next(from), next == set.end() ? BitTree::kNone : *next);
    ASSERT_EQ(tree->lowest(), set.empty() ? BitTree::kNone : *set.begin());
    ASSERT_EQ(tree->has(number), set.count(number) != 0);
  }
  EXPECT_EQ(tree->next(BitTree::kBits), BitTree::kNone);
}

struct Block {
  char* memory;
  std::size_t bytes;
  unsigned char filled;
};

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return random_() % n; }
  std::size_t bytes() {
    switch (below(8)) {
      case 0:
        return below(400'000);
      case 1:
        return below(20'000);
      default:
        return below(300);
    }
  }

 private:
  std::mt19937 random_;
};

bool is_filled(const Block& block) {
  return std::all_of(block.memory, block.memory + block.bytes,
                     [&](char c) { return static_cast<unsigned char>(c) == block.filled; });
}

// Blocks do not overlap, keep what was written to them and are aligned; a block is released once.
TEST(ExecutionHeap, IsAHeap) {
  ExecutionHeap heap;
  ASSERT_TRUE(heap.open(0));
  Random random(7);
  std::vector<Block> blocks;
  for (int i = 0; i < 50'000; ++i) {
    if (blocks.size() < 200 && random.below(2) == 0) {
      const std::size_t alignment = std::size_t{1} << random.below(random.below(20) == 0 ? 17 : 7);
      Block block{nullptr, random.bytes(), static_cast<unsigned char>(i)};
      block.memory = static_cast<char*>(heap.allocate(block.bytes, alignment));
      ASSERT_NE(block.memory, nullptr);
      ASSERT_TRUE(heap.owns(block.memory));
      ASSERT_EQ(
          reinterpret_cast<std::uintptr_t>(block.memory) % std::max<std::size_t>(alignment, 16),
          0U);
      ASSERT_GE(heap.capacity(block.memory), block.bytes);
      std::memset(block.memory, block.filled, block.bytes);
      blocks.push_back(block);
    } else if (!blocks.empty()) {
      const std::size_t which = random.below(blocks.size());
      ASSERT_TRUE(is_filled(blocks[which]));
      if (random.below(10) == 0) {
        ASSERT_TRUE(heap.release_later(blocks[which].memory));
        ASSERT_FALSE(heap.release_later(blocks[which].memory));
        heap.settle();
      } else {
        ASSERT_TRUE(heap.release(blocks[which].memory));
      }
      ASSERT_FALSE(heap.release(blocks[which].memory));
      blocks.erase(blocks.begin() + std::ptrdiff_t(which));
    }
  }
}

// The definition: where a block comes to lie depends on the blocks that are allocated, not on how
// it came to that. One heap has a past, the other has only ever had the blocks that are left.
TEST(ExecutionHeap, HasNoMemoryOfItsPast) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random random(seed);
    ExecutionHeap old;
    ASSERT_TRUE(old.open(0));
    std::map<char*, std::size_t> kept;
    for (int i = 0; i < 300; ++i) {
      if (random.below(5) < 3) {
        const std::size_t bytes = random.bytes();
        auto* block = static_cast<char*>(old.allocate(bytes));
        std::memset(block, 1, bytes);
        kept[block] = bytes;
      } else if (!kept.empty()) {
        const auto victim = std::next(kept.begin(), std::ptrdiff_t(random.below(kept.size())));
        ASSERT_TRUE(old.release(victim->first));
        kept.erase(victim);
      }
    }
    for (auto block = kept.begin(); block != kept.end();) {
      ASSERT_TRUE(old.release(block->first));
      block = kept.erase(block);
    }
    old.settle();
    ExecutionHeap fresh;
    ASSERT_TRUE(fresh.open(0));
    auto* origin_old = static_cast<char*>(old.allocate(16));
    auto* origin_fresh = static_cast<char*>(fresh.allocate(16));
    for (int i = 0; i < 300; ++i) {
      const std::size_t bytes = random.bytes();
      auto* a = static_cast<char*>(old.allocate(bytes));
      auto* b = static_cast<char*>(fresh.allocate(bytes));
      ASSERT_EQ(a - origin_old, b - origin_fresh);
      ASSERT_TRUE(std::all_of(a, a + bytes, [](char c) { return c == 0; })) << bytes;
    }
  }
}

// What an execution leaves behind stays, and executions after it are the same among each other.
TEST(ExecutionHeap, LeavesWhatIsKeptInPlace) {
  ExecutionHeap heap;
  ASSERT_TRUE(heap.open(0));
  std::vector<void*> gone;
  std::vector<char*> kept;
  for (int i = 0; i < 100; ++i) {
    gone.push_back(heap.allocate(48));
    kept.push_back(static_cast<char*>(heap.allocate(48)));
    std::memset(kept.back(), i, 48);
  }
  for (void* block : gone) heap.release(block);
  std::vector<void*> first;
  for (int execution = 0; execution < 5; ++execution) {
    heap.settle();
    std::vector<void*> now(300);
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = heap.allocate(i);
    if (execution == 0) first = now;
    EXPECT_EQ(now, first);
    for (std::size_t i = 0; i < now.size(); ++i) heap.release(now[(i * 7) % now.size()]);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i][47], char(i));
}

TEST(ExecutionHeap, RefusesWhatIsNoBlock) {
  ExecutionHeap heap;
  ASSERT_TRUE(heap.open(0));
  auto* small = static_cast<char*>(heap.allocate(100));
  auto* large = static_cast<char*>(heap.allocate(100'000));
  for (char* wrong :
       {small + 16, small + 112, large + 16, large + ExecutionHeap::kRunSize, large + 200'000}) {
    EXPECT_FALSE(heap.release(wrong));
    EXPECT_FALSE(heap.release_later(wrong));
    EXPECT_EQ(heap.capacity(wrong), 0U);
  }
  EXPECT_EQ(heap.allocate(ExecutionHeap::kRunSize * ExecutionHeap::kRuns + 1), nullptr);
  EXPECT_EQ(heap.allocate(~std::size_t{0}), nullptr);
}

TEST(ExecutionHeap, TakesBlocksBackFromOtherThreads) {
  ExecutionHeap heap;
  ASSERT_TRUE(heap.open(0));
  std::vector<void*> blocks(4000);
  for (void*& block : blocks) block = heap.allocate(40);
  std::vector<std::thread> threads(4);
  for (std::size_t t = 0; t < threads.size(); ++t) {
    threads[t] = std::thread([&, t] {
      for (std::size_t i = t; i < blocks.size(); i += 4) EXPECT_TRUE(heap.release_later(blocks[i]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  heap.settle();
  for (void* block : blocks) EXPECT_EQ(heap.allocate(40), block);
}

}  // namespace
}  // namespace raddle
