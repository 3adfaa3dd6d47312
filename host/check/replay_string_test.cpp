#include "host/check/replay_string.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace raddle {
namespace {

Plan plan_of(const char* strategy) {
  Plan plan{};
  std::strncpy(plan.strategy, strategy, sizeof plan.strategy - 1);
  return plan;
}

// A log as an execution would have it, of up to 6 threads.
std::vector<StepRecord> random_log(std::mt19937& random) {
  std::vector<StepRecord> log(1 + random() % 60);
  for (StepRecord& step : log) {
    const bool value = random() % 8 == 0;
    const auto thread =
        static_cast<std::uint16_t>(random() % 16 == 0 ? random() % 60000 : random() % 6);
    step = {ThreadId{thread}, value ? OpKind::value_choice : OpKind::mutex_lock,
            static_cast<std::uint8_t>(value ? random() % 200 : 0),
            ObjectId{static_cast<std::uint32_t>(value ? 200 + random() % 50 : random() % 5)}, 0};
  }
  return log;
}

TEST(ReplayString, NamesASeed) {
  Plan plan = plan_of("random");
  plan.seed = 6;
  const std::string text = replay_string(plan, false, {0xa1b2c3, 0x00000f}, {});
  EXPECT_EQ(text.substr(0, 23), "random.6.a1b2c3.00000f.");
  const Result<NamedExecution> named = parse_replay_string(text, {});
  ASSERT_TRUE(named) << named.error();
  EXPECT_STREQ(named->plan.strategy, "random");
  EXPECT_EQ(named->plan.seed, 6u);
  EXPECT_EQ(named->identity.test, 0xa1b2c3u);
  EXPECT_EQ(named->identity.build, 0xfu);
  EXPECT_EQ(named->log, short_log_hash({}));
}

TEST(ReplayString, NamesWhatAStrategyNeeds) {
  Plan plan = plan_of("pct");
  plan.seed = ~std::uint64_t{0};
  plan.pct_depth = 4;
  plan.pct_steps = 1234;
  plan.spurious_wakeups = true;
  plan.clock = ClockKind::kAdversarial;
  const Result<NamedExecution> named = parse_replay_string(replay_string(plan, false, {}, {}), {});
  ASSERT_TRUE(named) << named.error();
  EXPECT_EQ(named->plan.seed, plan.seed);
  EXPECT_EQ(named->plan.pct_depth, 4u);
  EXPECT_EQ(named->plan.pct_steps, 1234u);
  EXPECT_TRUE(named->plan.spurious_wakeups);
  EXPECT_EQ(named->plan.clock, ClockKind::kAdversarial);
}

TEST(ReplayString, NamesWhichAccessesDecide) {
  for (const DecideKind decide : {DecideKind::kSync, DecideKind::kRaces, DecideKind::kEvery}) {
    for (const bool by_choices : {false, true}) {
      Plan plan = plan_of("random");
      plan.decide = decide;
      plan.spurious_wakeups = true;
      const std::vector<StepRecord> log(3);
      const Result<NamedExecution> named =
          parse_replay_string(replay_string(plan, by_choices, {}, log), {});
      ASSERT_TRUE(named) << named.error();
      EXPECT_EQ(named->plan.decide, decide);
      EXPECT_TRUE(named->plan.spurious_wakeups);
    }
  }
  EXPECT_FALSE(parse_replay_string("random.6re.a1b2c3.00000f.12345678", {}));
  EXPECT_FALSE(parse_replay_string("random.6rs.a1b2c3.00000f.12345678", {}));
}

TEST(ReplayString, ChoicesComeBack) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<StepRecord> log = random_log(random);
    Plan plan = plan_of("random");
    plan.spurious_wakeups = round % 3 == 0;
    plan.clock = round % 5 == 0 ? ClockKind::kAdversarial : ClockKind::kSteady;
    const Result<NamedExecution> named =
        parse_replay_string(replay_string(plan, true, {}, log), {});
    ASSERT_TRUE(named) << named.error();
    ASSERT_EQ(named->choices.size(), log.size());
    for (std::size_t i = 0; i < log.size(); ++i) {
      ASSERT_EQ(named->choices[i].thread, log[i].thread);
      if (log[i].op != OpKind::value_choice) continue;
      ASSERT_EQ(named->choices[i].op, OpKind::value_choice);
      ASSERT_EQ(named->choices[i].outcome, log[i].outcome);
      ASSERT_EQ(named->choices[i].object, log[i].object);
    }
    EXPECT_EQ(named->plan.spurious_wakeups, plan.spurious_wakeups);
    EXPECT_EQ(named->plan.clock, plan.clock);
    EXPECT_EQ(named->log, short_log_hash(log));
  }
}

TEST(ReplayString, ASmallTestIsShort) {
  // Two threads that take turns of three steps, 30 steps: 10 runs, two characters each, and ".t".
  std::vector<StepRecord> log(30);
  for (std::size_t i = 0; i < log.size(); ++i)
    log[i].thread = ThreadId{static_cast<std::uint16_t>(i / 3 % 2)};
  EXPECT_LE(replay_string(plan_of("random"), true, {}, log).size(), 8 + 20 + 2 + 23u);
}

TEST(ReplayString, DoesNotFit) {
  char small[12];
  write_replay_string(small, sizeof small, plan_of("round-robin"), false, {}, {});
  EXPECT_STREQ(small, "round-robin");
}

TEST(ReplayString, SaysWhatIsWrong) {
  const char* const kBad[] = {"",
                              "random",
                              "random.6",
                              "random.6.a1b2c3.00000f",
                              "random.6.a1b2c3.00000f.1234567",
                              "random.6.a1b2c3.00000f.1234567x",
                              "random.x.a1b2c3.00000f.12345678",
                              "random.6x.a1b2c3.00000f.12345678",
                              "nothing.6.a1b2c3.00000f.12345678",
                              "pct.6.a1b2c3.00000f.12345678",
                              "pct.6d0k3.a1b2c3.00000f.12345678",
                              "choices..a1b2c3.00000f.12345678",
                              "choices.1.a1b2c3.00000f.12345678",
                              "choices.!.a1b2c3.00000f.12345678",
                              "choices.1zzzzzzzzzzzzz.a1b2c3.00000f.12345678",
                              "choices.15.q.a1b2c3.00000f.12345678",
                              "random.6.s.a1b2c3.00000f.12345678"};
  for (const char* text : kBad) {
    const Result<NamedExecution> named = parse_replay_string(text, {});
    EXPECT_FALSE(named) << text;
    if (named) continue;
    EXPECT_NE(named.error().find("is no execution"), std::string::npos);
  }
}

TEST(ReplayString, AnyTextIsReadOrRefused) {
  std::mt19937 random(2);
  const std::string alphabet = "random.pctchoices.0123456789abcdef-_ZQd k\n\xff";
  for (int round = 0; round < 20000; ++round) {
    std::string text = round % 2 == 0 ? "choices." : "random.";
    for (std::size_t i = random() % 40; i > 0; --i) text += alphabet[random() % alphabet.size()];
    if (round % 3 == 0) text += ".a1b2c3.00000f.12345678";
    const Result<NamedExecution> named = parse_replay_string(text, {});
    if (!named) continue;
    EXPECT_LE(named->choices.size(), 1'000'000u);
  }
}

}  // namespace
}  // namespace raddle
