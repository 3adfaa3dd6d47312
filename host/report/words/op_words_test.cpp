#include "host/report/words/op_words.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

// A thread that comes back to a variable which nobody changed need not try anything: it may have
// looked twice, at two lines.
TEST(OpWords, ComingBackIsNoAttempt) {
  EXPECT_EQ(fill(op_words(OpKind::atomic_again).step, "owners"), "use owners again");
}

}  // namespace
}  // namespace raddle
