#include "target/heap/quarantine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "protocol/freed_word.hpp"

namespace raddle {
namespace {

struct Block {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t size;
};

Block make(std::size_t size) {
  Block block{std::make_unique<std::uint8_t[]>(size), size};
  std::fill_n(block.bytes.get(), size, std::uint8_t{7});
  return block;
}

TEST(Quarantine, KeepsWhatWasFreed) {
  auto quarantine = std::make_unique<Quarantine>();
  const Block block = make(100);
  EXPECT_TRUE(quarantine->take(block.bytes.get(), 100));
  EXPECT_EQ(quarantine->next_to_free(), nullptr);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(block.bytes[i], kFreedWord >> i % 8 * 8 & 0xff) << i;
  EXPECT_FALSE(quarantine->take(block.bytes.get(), 100));
}

// A block may hold the pattern by chance.
TEST(Quarantine, WhatLooksFreedIsNot) {
  auto quarantine = std::make_unique<Quarantine>();
  const Block block = make(100);
  for (std::size_t i = 0; i < 100; ++i) block.bytes[i] = std::uint8_t(kFreedWord >> i % 8 * 8);
  EXPECT_TRUE(quarantine->take(block.bytes.get(), 100));
}

// As a queue by definition would have it: oldest first, never more than its bounds.
TEST(Quarantine, IsBounded) {
  auto quarantine = std::make_unique<Quarantine>();
  std::mt19937 random(1);
  std::deque<std::pair<void*, std::size_t>> kept;
  std::vector<Block> blocks;
  std::size_t bytes = 0, most = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t size = random() % 16 == 0 ? random() % Quarantine::kLargest : random() % 64;
    blocks.push_back(make(size + 1));
    void* block = blocks.back().bytes.get();
    ASSERT_TRUE(quarantine->take(block, size + 1));
    kept.emplace_back(block, size + 1);
    bytes += size + 1;
    while (void* gone = quarantine->next_to_free()) {
      ASSERT_TRUE(bytes > Quarantine::kMostBytes || kept.size() >= Quarantine::kMostBlocks);
      ASSERT_EQ(gone, kept.front().first);
      bytes -= kept.front().second;
      kept.pop_front();
    }
    ASSERT_LE(bytes, Quarantine::kMostBytes);
    ASSERT_LT(kept.size(), Quarantine::kMostBlocks);
    most = std::max(most, bytes);
  }
  EXPECT_GT(most, Quarantine::kMostBytes / 2);
}

}  // namespace
}  // namespace raddle
