#include "host/describe/property_event.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

TEST(PropertyEvents, TheLengthTellsWhereTheNameEnds) {
  EXPECT_EQ(property_event("raddle_mop_7OneFork_acquire"), (PropertyEvent{"OneFork", "acquire"}));
  EXPECT_EQ(property_event("raddle_mop_3A_b_c_d"), (PropertyEvent{"A_b", "c_d"}));
}

TEST(PropertyEvents, OtherFunctionsAreNone) {
  for (const char* other :
       {"", "main", "raddle_mop_", "raddle_mop_begin_OneFork", "raddle_mop_destroyed_OneFork_f",
        "raddle_mop_7OneFork", "raddle_mop_7OneFork_", "raddle_mop_70neFork_acquire",
        "raddle_mop_0_a", "raddle_mop_99999999999999999999999_a"})
    EXPECT_EQ(property_event(other), std::nullopt) << other;
}

}  // namespace
}  // namespace raddle
