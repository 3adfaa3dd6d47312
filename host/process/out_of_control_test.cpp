#include "host/process/out_of_control.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace raddle {
namespace {

TEST(OutOfControl, NamesEachCommandOnce) {
  Uncontrolled notes{};
  notes.children = 3;
  std::strcpy(notes.child[0], "gzip -c file");
  std::strcpy(notes.child[2], "gzip -c file");
  const OutOfControl out_of_control = out_of_control_in(notes);
  EXPECT_EQ(out_of_control.children, 3U);
  EXPECT_EQ(out_of_control.commands, std::vector<std::string>{"gzip -c file"});
  EXPECT_TRUE(out_of_control.replacements.empty());
}

TEST(OutOfControl, MoreChildrenThanNames) {
  Uncontrolled notes{};
  notes.children = 1'000'000;
  for (auto& name : notes.child) std::memset(name, 'x', sizeof name);  // without an end
  const OutOfControl out_of_control = out_of_control_in(notes);
  EXPECT_EQ(out_of_control.children, 1'000'000U);
  EXPECT_EQ(out_of_control.commands, std::vector<std::string>{std::string(kCommandBytes, 'x')});
}

TEST(OutOfControl, OfManyExecutionsTheMost) {
  OutOfControl all;
  EXPECT_TRUE(all.empty());
  all.add({.children = 2, .commands = {"a", "b"}});
  all.add({.children = 1, .commands = {"b"}, .replacements = {"c"}, .clones = 4});
  all.add({.timed_waits = 7});
  all.add({.timed_waits = 3});
  EXPECT_EQ(all.children, 2U);
  EXPECT_EQ(all.commands, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(all.replacements, std::vector<std::string>{"c"});
  EXPECT_EQ(all.clones, 4U);
  EXPECT_EQ(all.timed_waits, 7U);
  EXPECT_FALSE(all.empty());
}

}  // namespace
}  // namespace raddle
