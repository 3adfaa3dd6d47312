#include <gtest/gtest.h>

#include <map>

#include "prevent/logics/testing/compile.hpp"

namespace raddle::logics {
namespace {

const std::vector<std::string> kFork{"acquire", "release"};
constexpr const char* kOneFork = "free [ acquire -> busy ]  busy [ release -> free ]";

TEST(Fsm, OneForkIsNeverTakenTwice) {
  const Loaded fork = load("fsm", kOneFork, kFork, {"nonfail"}, true);
  MonitorState state(*fork.property);
  EXPECT_TRUE(state.may_step(0));
  EXPECT_FALSE(state.may_step(1));
  state.step(0);
  EXPECT_FALSE(state.may_step(0));
  EXPECT_TRUE(state.may_step(1));
  MonitorState copy = state.clone();
  copy.step(1);
  EXPECT_TRUE(copy.may_step(0));
  EXPECT_FALSE(state.may_step(0)) << "a clone is independent";
}

TEST(Fsm, TheTableIsMinimalAndGivenAway) {
  const Loaded fork = load("fsm", kOneFork, kFork, {"fail"});
  const TableView* table = fork.property->table();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->states, 3U);
  // `left` and `right` are not told apart by anybody.
  const Loaded twins = load("fsm", "a [ x -> left y -> right ] left [ x -> a ] right [ x -> a ]",
                            {"x", "y"}, {"fail"});
  EXPECT_EQ(twins.property->table()->states, 3U);
  const Loaded told = load("fsm", "a [ x -> left y -> right ] left [ x -> a ] right [ x -> a ]",
                           {"x", "y"}, {"fail", "left"});
  EXPECT_EQ(told.property->table()->states, 4U);
}

TEST(Fsm, AliasesDefaultsAndCommas) {
  const std::vector<std::string> categories{"fail", "odd", "nonodd", "b"};
  const Loaded loaded =
      load("fsm", "a [ x -> b, default a ] b [ x -> c ] c [] alias odd = b, c  // the rest",
           {"x", "y"}, categories);
  EXPECT_EQ(after(loaded, {}, categories), "nonodd");
  EXPECT_EQ(after(loaded, {1, 1, 0}, categories), "odd b");
  EXPECT_EQ(after(loaded, {0, 0}, categories), "odd");
  EXPECT_EQ(after(loaded, {0, 1}, categories), "fail nonodd");
}

TEST(Fsm, SettledIsWhatNothingChanges) {
  const Loaded fork = load("fsm", kOneFork, kFork, {"fail"});
  MonitorState state(*fork.property);
  EXPECT_FALSE(state.settled());
  state.step(1);
  EXPECT_TRUE(state.settled());
  state.reset();
  EXPECT_FALSE(state.settled());
}

TEST(Fsm, Errors) {
  const auto error = [](const std::string& formula) { return error_of("fsm", formula, kFork); };
  EXPECT_EQ(error(""), "0: expected a state, like `free [ acquire -> busy ]`, found the end");
  EXPECT_EQ(error("free acquire"), "5: expected `[` after the name of a state, found `acquire`");
  EXPECT_EQ(error("free [ take -> free ]"),
            "7: `take` is no event of this property; its events are `acquire`, `release`");
  EXPECT_EQ(error("free [ acquire busy ]"), "15: expected `->` after an event, found `busy`");
  EXPECT_EQ(error("free [ acquire -> busy ]"),
            "18: `busy` is no state; the states are `free` and `fail`");
  EXPECT_EQ(error("free [ acquire -> free acquire -> free ]"),
            "23: `acquire` has two transitions in `free`");
  EXPECT_EQ(error("free [] free []"), "8: `free` is defined twice");
  EXPECT_EQ(error("free [] alias x = y"), "18: `y` is no state; the states are `free` and `fail`");
  EXPECT_EQ(error("free [ % ]"), "7: `%` means nothing in this logic");
  EXPECT_EQ(error("fail []"), "0: `fail` is predefined");
  EXPECT_EQ(error("free [ acquire -> free"),
            "22: expected an event, `default` or `]`, found the end");
  EXPECT_EQ(error_of("fsm", "free []", kFork, {"nonfail", "bussy"}),
            "@1: `bussy` is no category of this property; its categories are `fail`, `free`, "
            "`nonfail`, `nonfree`");
}

// The machine as text and as the map that it means.
struct RandomMachine {
  std::string text;
  std::map<std::pair<unsigned, EventId>, unsigned> next;  // no entry: fail
};

RandomMachine random_machine(Random& random, EventId events) {
  RandomMachine out;
  const unsigned states = 1 + below(random, 5);
  for (unsigned state = 0; state < states; ++state) {
    out.text += " s" + std::to_string(state) + " [";
    const bool otherwise = below(random, 4) == 0;
    const unsigned target = below(random, states);
    if (otherwise) out.text += " default s" + std::to_string(target);
    for (EventId event = 0; event < events; ++event) {
      if (otherwise) out.next[{state, event}] = target;
      if (below(random, 2) == 0) continue;
      const unsigned to = below(random, states);
      out.next[{state, event}] = to;
      out.text += " e" + std::to_string(event) + " -> s" + std::to_string(to);
    }
    out.text += " ]";
  }
  return out;
}

TEST(Fsm, AgreesWithWalkingTheMachine) {
  Random random(17);
  const std::vector<std::string> events{"e0", "e1", "e2"};
  for (int round = 0; round < oracle_count(20000); ++round) {
    const RandomMachine machine = random_machine(random, 3);
    const Loaded loaded = load("fsm", machine.text, events, {"nonfail", "fail", "s0"}, false);
    const Loaded enforced = load("fsm", machine.text, events, {"nonfail"}, true);
    MonitorState state(*loaded.property);
    MonitorState kept(*enforced.property);
    unsigned at = 0;
    bool failed = false;
    for (const EventId event : random_trace(random, 3, 8)) {
      for (EventId next = 0; next < 3; ++next)
        ASSERT_EQ(kept.may_step(next), !failed && machine.next.count({at, next}) > 0)
            << machine.text;
      failed = failed || machine.next.count({at, event}) == 0;
      if (!failed) at = machine.next.at({at, event});
      state.step(event);
      kept.step(event);
      const Categories expected = failed ? 2 : Categories(1U | (at == 0 ? 4U : 0U));
      ASSERT_EQ(state.categories(), expected) << machine.text;
    }
  }
}

}  // namespace
}  // namespace raddle::logics
