#include "prevent/pointcut/table.hpp"

#include <gtest/gtest.h>

namespace raddle::pointcut {
namespace {

constexpr char kText[] =
    "raddle-mop 1\n"
    "event P.next raddle_mop_P_next returning skip one.mop:4\n"
    "value object Cursor\n"
    "value integer bool\n"
    "case 0\n"
    "call * Cursor::next(..)\n"
    "not-call * Cursor::next(int)\n"
    "at-least 1\n"
    "bind target 0 0\n"
    "bind result 0 1\n"
    "case 1\n"
    "execution * Cursor::all()\n"
    "bind argument-from-end 2 0\n"
    "class raddle_mop_P_destroyed_c std::vector<int, A<int>>\n";

TEST(Table, ReadsWhatItWrites) {
  const auto table = read(kText);
  ASSERT_TRUE(std::holds_alternative<Table>(table)) << std::get<std::string>(table);
  EXPECT_EQ(write(std::get<Table>(table)), kText);
  const TableEvent& event = std::get<Table>(table).events[0];
  EXPECT_EQ(event.when, When::returning);
  EXPECT_TRUE(event.may_skip);
  EXPECT_FALSE(event.alternatives[0].is_execution());
  EXPECT_TRUE(event.alternatives[1].is_execution());
}

TEST(Table, RefusesWhatItDoesNotKnow) {
  for (const char* wrong :
       {"", "raddle-mop 2\n", "raddle-mop 1\nvalue object X\n", "raddle-mop 1\nevent a b never\n",
        "raddle-mop 1\nevent a b before keep\ncase 0\ncall *\n",
        "raddle-mop 1\nevent a b before keep\ncase 0\nbind target 0 7\n"})
    EXPECT_TRUE(std::holds_alternative<std::string>(read(wrong))) << wrong;
}

}  // namespace
}  // namespace raddle::pointcut
