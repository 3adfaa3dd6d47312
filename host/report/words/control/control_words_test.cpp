#include "host/report/words/control/control_words.hpp"

#include <gtest/gtest.h>

#include "host/report/words/op_words.hpp"

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

TEST(ControlWords, TimingsThatWereNotTried) {
  EXPECT_EQ(timing_words({}, "--clock adversarial"), "");
  EXPECT_EQ(timing_words({.timed_waits = 2}, "--clock adversarial"),
            "other timings: sleeps and time-outs were taken to last as long as they say (--clock "
            "adversarial lets each end at any moment)");
  EXPECT_EQ(timing_words({.timed_waits = 2, .close_waits = 1}, "--clock adversarial"),
            "other timings: sleeps and time-outs were taken to last as long as they say (--clock "
            "adversarial lets each end at any moment), and in another order where two end at "
            "nearly the same moment");
  EXPECT_EQ(timing_words({.kernel_timers = 1}, "--clock adversarial"),
            "other timings of the kernel's timers (timerfd, setitimer, timer_create), which take "
            "real time and are not Raddle's to decide about");
  // That is no loss of control.
  EXPECT_TRUE(control_words({.timed_waits = 2}, "raddle").empty());
}

// A thread that comes back to a variable which nobody changed need not try anything: it may have
// looked twice, at two lines.
TEST(OpWords, ComingBackIsNoAttempt) {
  EXPECT_EQ(fill(op_words(OpKind::atomic_again).step, "owners"), "use owners again");
}

}  // namespace
}  // namespace raddle
