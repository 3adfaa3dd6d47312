#include "target/strategy/replay.hpp"

#include <gtest/gtest.h>

#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

StepRecord value_record(int thread, std::uint8_t value, std::uint32_t count) {
  return {static_cast<ThreadId>(thread), OpKind::value_choice, value, ObjectId{count}, 0};
}

// Two threads, both enabled.
class ReplayOfTwo : public testing::Test {
 protected:
  std::size_t choose(Replay& replay) { return replay.choose({enabled_, kMainThread, 0}); }

  Pending lock_ = operation(0, OpKind::mutex_lock, 1);
  Pending post_ = operation(1, OpKind::sem_post, 2);
  std::vector<const Pending*> enabled_ = {&lock_, &post_};
  Strategy& then_ = make_strategy(plan_for("round-robin", 1));
};

TEST_F(ReplayOfTwo, FollowsTheRecordingToItsEnd) {
  std::vector<StepRecord> log = {record_of(post_), record_of(post_), record_of(lock_),
                                 value_record(0, 4, 6), record_of(post_)};
  Replay replay(log, ReplayMode::kStrict, then_);
  EXPECT_EQ(choose(replay), 1U);
  EXPECT_EQ(choose(replay), 1U);
  EXPECT_EQ(choose(replay), 0U);
  EXPECT_EQ(replay.choose_value(kMainThread, 6), 4U);
  EXPECT_EQ(choose(replay), 1U);
  EXPECT_FALSE(replay.divergence().happened);
}

TEST_F(ReplayOfTwo, TheSiteIsNotPartOfTheExecution) {
  StepRecord record = record_of(lock_);
  record.site = 0x1234;
  Replay replay({&record, 1}, ReplayMode::kStrict, then_);
  choose(replay);
  EXPECT_FALSE(replay.divergence().happened);
}

TEST_F(ReplayOfTwo, AnotherOperationOfTheSameThreadDiverges) {
  StepRecord other = record_of(lock_);
  other.op = OpKind::mutex_unlock;
  std::vector<StepRecord> log = {record_of(lock_), record_of(post_), other};
  Replay replay(log, ReplayMode::kStrict, then_);
  choose(replay);
  choose(replay);
  EXPECT_FALSE(replay.divergence().happened);
  choose(replay);
  ASSERT_TRUE(replay.divergence().happened);
  EXPECT_EQ(replay.divergence().step, 2U);
  EXPECT_TRUE(same_step(replay.divergence().recorded, other));
  EXPECT_TRUE(same_step(replay.divergence().actual, record_of(lock_)));
}

TEST_F(ReplayOfTwo, AnotherObjectOrOutcomeDiverges) {
  StepRecord object = record_of(lock_);
  object.object = ObjectId{9};
  StepRecord outcome = record_of(lock_);
  outcome.outcome = static_cast<std::uint8_t>(StepOutcome::kTimeout);
  for (const StepRecord& record : {object, outcome}) {
    Replay replay({&record, 1}, ReplayMode::kStrict, then_);
    choose(replay);
    EXPECT_TRUE(replay.divergence().happened);
  }
}

TEST_F(ReplayOfTwo, AThreadThatCannotMoveDiverges) {
  StepRecord record = record_of(operation(7, OpKind::mutex_lock, 1));
  Replay replay({&record, 1}, ReplayMode::kStrict, then_);
  choose(replay);
  ASSERT_TRUE(replay.divergence().happened);
  EXPECT_EQ(replay.divergence().step, 0U);
  EXPECT_EQ(replay.divergence().actual.thread, kNoThread);
}

TEST_F(ReplayOfTwo, TheFirstDifferenceIsTheOneReported) {
  std::vector<StepRecord> log = {record_of(lock_), record_of(operation(7, OpKind::yield, 0)),
                                 record_of(operation(8, OpKind::yield, 0))};
  Replay replay(log, ReplayMode::kStrict, then_);
  for (int i = 0; i < 3; ++i) choose(replay);
  EXPECT_EQ(replay.divergence().step, 1U);
  EXPECT_EQ(replay.divergence().recorded.thread, ThreadId{7});
}

TEST_F(ReplayOfTwo, AValueOfAnotherChoiceDiverges) {
  StepRecord recorded = value_record(0, 2, 3);
  {
    Replay replay({&recorded, 1}, ReplayMode::kStrict, then_);
    replay.choose_value(kMainThread, 4);  // one value more than recorded
    EXPECT_TRUE(replay.divergence().happened);
    EXPECT_EQ(raw(replay.divergence().actual.object), 4U);
  }
  {
    Replay replay({&recorded, 1}, ReplayMode::kStrict, then_);
    choose(replay);  // a step where a value was recorded
    EXPECT_TRUE(replay.divergence().happened);
  }
  {
    StepRecord step = record_of(lock_);
    Replay replay({&step, 1}, ReplayMode::kStrict, then_);
    EXPECT_EQ(replay.choose_value(kMainThread, 3), 0U);  // and the other way round
    EXPECT_TRUE(replay.divergence().happened);
  }
}

TEST_F(ReplayOfTwo, AStrictRecordingCoversTheWholeExecution) {
  StepRecord record = record_of(post_);
  Replay replay({&record, 1}, ReplayMode::kStrict, then_);
  choose(replay);
  EXPECT_FALSE(replay.divergence().happened);
  choose(replay);
  ASSERT_TRUE(replay.divergence().happened);
  EXPECT_EQ(replay.divergence().step, 1U);
  EXPECT_EQ(replay.divergence().recorded.thread, kNoThread);
}

TEST_F(ReplayOfTwo, APrefixHandsOverToTheWrappedStrategy) {
  std::vector<StepRecord> log = {record_of(post_), record_of(post_)};
  Replay replay(log, ReplayMode::kLoose, then_);
  EXPECT_EQ(choose(replay), 1U);
  EXPECT_EQ(choose(replay), 1U);
  // Round robin begins here, without any earlier step: 0 1 0.
  EXPECT_EQ(choose(replay), 0U);
  EXPECT_EQ(choose(replay), 1U);
  EXPECT_EQ(choose(replay), 0U);
  EXPECT_EQ(replay.choose_value(kMainThread, 3), 0U);
  EXPECT_FALSE(replay.divergence().happened);
}

TEST_F(ReplayOfTwo, APrefixIsNotChecked) {
  StepRecord record = record_of(operation(7, OpKind::yield, 0));
  Replay replay({&record, 1}, ReplayMode::kLoose, then_);
  EXPECT_EQ(choose(replay), 0U);
  EXPECT_FALSE(replay.divergence().happened);
}

TEST(Replay, TheWrappedStrategyLearnsOfNewThreads) {
  // PCT draws priorities in on_create(), so a prefix of no steps must behave as PCT alone.
  std::vector<Body> threads = {repeated(0, 3, 1), repeated(1, 3, 1), repeated(2, 3, 1)};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<int> alone = run(make_strategy(plan_for("pct", seed)), threads);
    Replay replay({}, ReplayMode::kLoose, make_strategy(plan_for("pct", seed)));
    EXPECT_EQ(run(replay, threads), alone) << "seed " << seed;
  }
}

}  // namespace
}  // namespace raddle
