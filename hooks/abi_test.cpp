// The numbers that hooks.c repeats in C are those of trace/.
#include "hooks/abi.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "trace/stream.hpp"

namespace raddle {
namespace in_c {
#include "hooks/hooks.h"
}

TEST(Abi, HooksKnowTheNumbersOfTrace) {
  EXPECT_EQ(int(in_c::kAtomicCompare), int(EventKind::atomic_compare));
  EXPECT_EQ(int(in_c::kOrderMask), int(kOrderMask));
  EXPECT_EQ(int(in_c::kSuccess), int(kSuccess));
  EXPECT_EQ(int(in_c::kRawSize), int(RawKind::kSize));
  EXPECT_EQ(int(in_c::kRawValue), int(RawKind::kValue));
  EXPECT_EQ(int(in_c::kRawCall), int(RawKind::kCall));
  EXPECT_EQ(int(in_c::kRawSetjmp), int(RawKind::kSetjmp));
  EXPECT_EQ(int(in_c::kRawIgnore), int(RawKind::kIgnore));
  EXPECT_EQ(int(in_c::kRawName), int(RawKind::kName));
}

TEST(Abi, Layout) {
  EXPECT_EQ(sizeof(RaddleSite), 32u);
  EXPECT_EQ(sizeof(RaddleFrame), 20u);
  EXPECT_EQ(sizeof(RaddleRecord), sizeof(RawRecord));
  EXPECT_EQ(offsetof(RaddleStream, cursor), offsetof(Stream, cursor));
  EXPECT_EQ(offsetof(RaddleStream, limit), offsetof(Stream, limit));
}

}  // namespace raddle
