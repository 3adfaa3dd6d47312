#include "target/heap/guarded_heap.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace raddle {
namespace {

using Release = GuardedHeap::Release;
using Place = GuardedHeap::Place;

// There is one per process, at its addresses: each test begins an execution in it, as a process
// does that was put back.
GuardedHeap mapped_heap() {
  static GuardedHeap mapped = [] {
    GuardedHeap heap;
    EXPECT_TRUE(heap.map());
    return heap;
  }();
  return mapped;
}

GuardedHeap fresh_heap() {
  GuardedHeap heap = mapped_heap();
  heap.start();
  return heap;
}

std::uint64_t number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

// The first test: in a process, too, such blocks come before all executions.
TEST(GuardedHeap, BlocksFromBeforeAreAsTheyWere) {
  GuardedHeap early = mapped_heap();
  EXPECT_FALSE(early.has_early());
  auto* kept = static_cast<char*>(early.allocate(100, 1, 1, 0));
  void* freed = early.allocate(40, 1, 2, 0);
  std::memset(kept, 7, 100);
  ASSERT_EQ(early.release(freed, 3, 0), Release::kFreed);
  std::size_t bytes = 0;
  while (early.allocate(1000, 1, 1, 0) != nullptr) bytes += 1000;
  EXPECT_GT(bytes, GuardedHeap::kMostEarly / 2);
  EXPECT_LT(bytes, GuardedHeap::kMostEarly);
  void* first = nullptr;
  for (int execution = 0; execution < 3; ++execution) {
    GuardedHeap heap = early;
    heap.start();
    EXPECT_TRUE(heap.has_early());
    for (int i = 0; i < 100; ++i) ASSERT_EQ(kept[i], 7);
    EXPECT_EQ(heap.first_bad(number(kept), 100), 0U);
    EXPECT_EQ(heap.first_bad(number(kept), 101), number(kept) + 100);
    EXPECT_EQ(heap.find(number(freed)).place, Place::kFreed);
    EXPECT_EQ(heap.release(freed, 3, 0), Release::kFreedBefore);
    void* block = heap.allocate(2000, 1, 1, 0);
    ASSERT_NE(block, nullptr);
    if (execution == 0) first = block;
    EXPECT_EQ(block, first);
    EXPECT_EQ(heap.first_bad(number(block), 2001), number(block) + 2000);
    std::memset(kept, 8, 100);
    std::memset(block, 8, 2000);
    ASSERT_EQ(heap.release(kept, 3, 0), Release::kFreed);
  }
}

TEST(GuardedHeap, WhatMayBeTouchedIsWhatSomebodyHas) {
  auto heap = fresh_heap();
  std::mt19937 random(1);
  std::map<std::uint64_t, std::size_t> live;
  std::uint64_t highest = 0;
  const auto is_live = [&](std::uint64_t byte) {
    auto after = live.upper_bound(byte);
    if (after == live.begin()) return false;
    const auto& [begin, bytes] = *std::prev(after);
    return byte < begin + bytes;
  };
  std::uint64_t looked = 0;
  for (int i = 0; i < 30'000; ++i) {
    if (live.empty() || random() % 5 < 3) {
      const std::size_t bytes = random() % 8 == 0 ? random() % 3000 : random() % 70;
      const std::size_t alignment = random() % 10 == 0 ? std::size_t{1} << random() % 9 : 1;
      void* block = heap.allocate(bytes, alignment, 1, 2);
      ASSERT_NE(block, nullptr);
      ASSERT_EQ(number(block) % std::max<std::size_t>(alignment, 16), 0U);
      ASSERT_EQ(heap.size(block), bytes);
      for (std::size_t k = 0; k < bytes; ++k) ASSERT_EQ(static_cast<char*>(block)[k], 0);
      std::memset(block, 0x5a, bytes);
      ASSERT_TRUE(live.emplace(number(block), bytes).second);
      highest = std::max(highest, number(block) + bytes);
    } else {
      auto victim =
          live.lower_bound(GuardedHeap::kBegin + random() % (highest - GuardedHeap::kBegin));
      if (victim == live.end()) victim = live.begin();
      void* block = reinterpret_cast<void*>(victim->first);
      ASSERT_EQ(heap.release(block, 3, 4), Release::kFreed);
      ASSERT_EQ(heap.release(block, 3, 4), Release::kFreedBefore);
      live.erase(victim);
    }
    const auto begin = live.empty() ? nullptr : &*live.begin();
    if (begin == nullptr) continue;
    auto near = live.lower_bound(GuardedHeap::kBegin + random() % (highest - GuardedHeap::kBegin));
    if (near == live.end()) near = live.begin();
    const std::uint64_t from = near->first - 20 + random() % (near->second + 40);
    const std::uint64_t bytes = 1 + random() % 40;
    std::uint64_t expected = 0;
    for (std::uint64_t byte = from; byte < from + bytes && expected == 0; ++byte)
      if (!is_live(byte)) expected = byte;
    ASSERT_EQ(heap.first_bad(from, bytes), expected) << i;
    ++looked;
  }
  EXPECT_GT(looked, 25'000U);
}

TEST(GuardedHeap, SaysWhatLiesThere) {
  auto heap = fresh_heap();
  char* first = static_cast<char*>(heap.allocate(40, 1, 11, 1));
  char* second = static_cast<char*>(heap.allocate(24, 256, 12, 1));
  EXPECT_EQ(heap.find(number(first) + 40).place, Place::kBehind);
  EXPECT_EQ(heap.find(number(first) + 40).block->allocated_at, 11U);
  EXPECT_EQ(heap.find(number(first) + 40).offset, 40);
  EXPECT_EQ(heap.find(number(first) - 4).place, Place::kBefore);
  EXPECT_EQ(heap.find(number(second) - 1).place, Place::kBefore);
  EXPECT_EQ(heap.find(number(second) - 1).block->allocated_at, 12U);
  EXPECT_EQ(heap.find(number(second) + 30).place, Place::kBehind);
  EXPECT_EQ(heap.release(first + 16, 0, 0), Release::kNoBlock);
  EXPECT_EQ(heap.release(first, 13, 2), Release::kFreed);
  const GuardedHeap::Found found = heap.find(number(first) + 39);
  EXPECT_EQ(found.place, Place::kFreed);
  EXPECT_EQ(found.block->freed_at, 13U);
  EXPECT_EQ(found.block->freed_by, 2U);
  EXPECT_FALSE(heap.is_live(first));
  std::memset(second - 64, 1, 32);  // by code that nobody sees
  EXPECT_EQ(heap.release(second, 0, 0), Release::kOverwritten);
}

TEST(GuardedHeap, TheNextExecutionFindsTheSameAddressesAndZeros) {
  std::vector<std::uint64_t> addresses;
  for (int execution = 0; execution < 3; ++execution) {
    auto heap = fresh_heap();
    for (std::size_t i = 0; i < 500; ++i) {
      char* block = static_cast<char*>(heap.allocate(i % 90, 1, 1, 0));
      if (execution == 0) addresses.push_back(number(block));
      ASSERT_EQ(number(block), addresses[i]);
      for (std::size_t k = 0; k < i % 90; ++k) ASSERT_EQ(block[k], 0);
      std::memset(block, 1, i % 90);
      if (i % 3 == 0) heap.release(block, 1, 0);
    }
  }
}

TEST(GuardedHeap, WhatIsFreedComesBackAfterAWhile) {
  auto heap = fresh_heap();
  std::uint64_t highest = 0;
  void* first = heap.allocate(100, 1, 1, 0);
  heap.release(first, 1, 0);
  for (int i = 0; i < 200'000; ++i) {
    void* block = heap.allocate(100, 1, 1, 0);
    if (static_cast<std::size_t>(i + 2) * 176 < GuardedHeap::kQuarantine) {
      ASSERT_NE(block, first);
    }
    highest = std::max(highest, number(block));
    heap.release(block, 1, 0);
  }
  EXPECT_LT(highest - number(first), 2 * GuardedHeap::kQuarantine);
}

}  // namespace
}  // namespace raddle
