#include "host/report/words/control_words.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

using Words = std::vector<std::string>;

TEST(ControlWords, NothingToSay) { EXPECT_EQ(control_words({}, "raddle"), Words{}); }

TEST(ControlWords, ChildrenWithTheirNames) {
  EXPECT_EQ(control_words({.children = 2, .commands = {"gzip -c f", "ls"}}, "raddle"),
            Words{"Not controlled: 2 child processes (gzip -c f; ls). To test one of them: raddle "
                  "hunt -- gzip -c f"});
  EXPECT_EQ(control_words({.children = 1, .commands = {"a\x1b[2J"}}, "bin/raddle"),
            Words{"Not controlled: 1 child process (a\\x1b[2J). To test it: bin/raddle hunt -- "
                  "a\\x1b[2J"});
}

TEST(ControlWords, ChildrenThatAreCopies) {
  EXPECT_EQ(control_words({.children = 1}, "raddle"),
            Words{"Not controlled: 1 child process, a copy of the program itself (fork without "
                  "exec)."});
}

TEST(ControlWords, EachThingIsAParagraph) {
  EXPECT_EQ(
      control_words({.replacements = {"ls -l"}, .clones = 1}, "raddle"),
      (Words{"Not controlled: what the program became (exec): ls -l. To test it: raddle hunt "
             "-- ls -l",
             "Not controlled: 1 thread made with clone(). Threads made with pthread_create or "
             "std::thread are controlled."}));
}

}  // namespace
}  // namespace raddle
