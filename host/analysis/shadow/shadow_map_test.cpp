#include "host/analysis/shadow/shadow_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "host/analysis/shadow/object_table.hpp"

namespace raddle {
namespace {

struct CopyingOwner {
  int clones = 0, drops = 0;
  std::uint32_t clone(const std::uint32_t& cell) { return ++clones, cell; }
  void drop(std::uint32_t&) { ++drops; }
};

TEST(ShadowMap, ARepeatedAccessIsOneCell) {
  CopyingOwner owner;
  ShadowMap<std::uint32_t, CopyingOwner> map(owner);
  for (int i = 0; i < 3; ++i) {
    int cells = 0;
    map.access(0x1000, 8, [&](std::uint32_t& cell, std::uint64_t at, unsigned bytes) {
      ++cells;
      EXPECT_EQ(cell, static_cast<std::uint32_t>(i));
      EXPECT_EQ(at, 0x1000U);
      EXPECT_EQ(bytes, 8U);
      ++cell;
    });
    EXPECT_EQ(cells, 1);
  }
  EXPECT_EQ(owner.clones, 0);
}

TEST(ShadowMap, TheEndOfTheAddressSpace) {
  CopyingOwner owner;
  ShadowMap<std::uint32_t, CopyingOwner> map(owner);
  int bytes_seen = 0;
  map.access(~0ULL - 3, 100, [&](std::uint32_t&, std::uint64_t, unsigned bytes) {
    bytes_seen += static_cast<int>(bytes);
  });
  EXPECT_EQ(bytes_seen, 4);
  map.forget(0, ~0ULL);
  map.forget(~0ULL, ~0ULL);
}

// Against a map from byte to value: accesses add one to each byte, forgetting sets it to 0.
TEST(ShadowMap, LikeOneCellPerByte) {
  CopyingOwner owner;
  ShadowMap<std::uint32_t, CopyingOwner> map(owner);
  std::map<std::uint64_t, std::uint32_t> bytes;
  std::mt19937_64 random(1);
  for (int round = 0; round < 200'000; ++round) {
    // Around the borders of granules and pages.
    const std::uint64_t address = 0x5000 + random() % 40 + (random() % 3) * 500;
    const std::uint64_t size = 1 + random() % (random() % 8 == 0 ? 700 : 9);
    if (random() % 16 == 0) {
      map.forget(address, size);
      for (std::uint64_t i = 0; i < size; ++i) bytes[address + i] = 0;
      continue;
    }
    std::uint64_t next = address;
    map.access(address, size, [&](std::uint32_t& cell, std::uint64_t at, unsigned width) {
      ASSERT_LE(at, next);  // a segment that was never cut begins with its granule
      ++cell;
      for (; next < at + width && next < address + size; ++next)
        ASSERT_EQ(cell, ++bytes[next]) << std::hex << next;
    });
    ASSERT_EQ(next, address + size);
  }
  EXPECT_LE(map.pages(), 6U);
}

TEST(ObjectTable, ForgetsWithTheMemory) {
  ObjectTable<int> table;
  table.at(100) = 1;
  table.at(104) = 2;
  table.at(101) = 3;
  EXPECT_EQ(table.at(100), 1);
  EXPECT_EQ(table.at(104), 2);
  table.forget(101, 3);
  EXPECT_EQ(table.at(100), 1);
  EXPECT_EQ(table.at(101), 0);
  EXPECT_EQ(table.at(104), 2);
  table.forget(0, 1000);
  EXPECT_EQ(table.at(100), 0);
  EXPECT_EQ(table.at(104), 0);
}

}  // namespace
}  // namespace raddle
