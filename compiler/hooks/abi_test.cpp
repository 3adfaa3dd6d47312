// hooks.h repeats numbers of protocol/event.hpp in C: they must agree.
#include "protocol/hooks_abi.h"

#include <gtest/gtest.h>

#include "protocol/event.hpp"

namespace raddle {
namespace in_c {
#include "compiler/hooks/hooks.h"
}

TEST(Abi, HooksKnowTheNumbersOfTrace) {
  EXPECT_EQ(int(in_c::kRead), int(EventKind::read));
  EXPECT_EQ(int(in_c::kWrite), int(EventKind::write));
  EXPECT_EQ(int(in_c::kWriteRange), int(EventKind::write_range));
  EXPECT_EQ(int(in_c::kAtomicCompare), int(EventKind::atomic_compare));
  EXPECT_EQ(int(in_c::kOrderMask), int(kOrderMask));
  EXPECT_EQ(int(in_c::kSuccess), int(kSuccess));
}

TEST(Abi, Layout) {
  EXPECT_EQ(sizeof(RaddleSite), 32u);
  EXPECT_EQ(sizeof(RaddleFrame), 20u);
}

}  // namespace raddle
