#include "host/campaign/confirm/deadlock_of.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>

namespace raddle {
namespace {

constexpr std::uint64_t kBase = 0x555555554000;
const std::string kMaps = "555555554000-555555556000 r-xp 00000000 08:01 11 /home/user/bank\n";

Candidate cycle_at(std::initializer_list<std::uint64_t> offsets) {
  Candidate candidate;
  candidate.sought.kind = FindingKind::lock_order;
  for (const std::uint64_t offset : offsets) {
    PlanAim target;
    target.module = "bank";
    target.offset = offset;
    candidate.steps.push_back(target);
  }
  return candidate;
}

// Threads from 1 on, blocked at these places; the first `in_cycle` of them are the cycle.
Execution deadlock_at(std::initializer_list<std::uint64_t> offsets, std::uint16_t in_cycle) {
  Execution execution;
  execution.kind = OutcomeKind::kDeadlock;
  execution.maps = kMaps;
  execution.report = std::make_unique<Report>();
  Report& report = *execution.report;
  for (const std::uint64_t offset : offsets) {
    ThreadReport& thread = report.thread_table[report.threads++];
    thread.id = ThreadId{static_cast<std::uint16_t>(report.threads)};
    thread.state = ThreadState::kBlocked;
    thread.stack.frames = 2;
    thread.stack.pc[0] = 0x7ffff7c00010;
    thread.stack.pc[1] = kBase + offset;
    if (report.threads <= in_cycle) report.cycle[report.cycle_length++] = thread.id;
  }
  return execution;
}

TEST(DeadlockOf, TheSamePlacesInAnyOrder) {
  EXPECT_TRUE(is_deadlock_of(cycle_at({0x10, 0x20}), deadlock_at({0x20, 0x10}, 2)));
  EXPECT_TRUE(is_deadlock_of(cycle_at({0x10, 0x10, 0x20}), deadlock_at({0x10, 0x20, 0x10}, 3)));
  EXPECT_FALSE(is_deadlock_of(cycle_at({0x10, 0x10, 0x20}), deadlock_at({0x10, 0x20, 0x20}, 3)));
}

TEST(DeadlockOf, ASmallerOrLargerCycleIsAnother) {
  EXPECT_FALSE(is_deadlock_of(cycle_at({0x10, 0x20}), deadlock_at({0x10, 0x10, 0x20}, 3)));
  EXPECT_FALSE(is_deadlock_of(cycle_at({0x10, 0x10, 0x20}), deadlock_at({0x10, 0x20}, 2)));
}

TEST(DeadlockOf, WhoWaitsBesidesTheCycleDoesNotCount) {
  EXPECT_TRUE(is_deadlock_of(cycle_at({0x10, 0x20}), deadlock_at({0x20, 0x10, 0x30}, 2)));
  EXPECT_FALSE(is_deadlock_of(cycle_at({0x10, 0x30}), deadlock_at({0x20, 0x10, 0x30}, 2)));
}

TEST(DeadlockOf, WithoutACycleAllThatAreBlocked) {
  EXPECT_TRUE(is_deadlock_of(cycle_at({0x10, 0x20}), deadlock_at({0x30, 0x20, 0x10}, 0)));
  EXPECT_FALSE(is_deadlock_of(cycle_at({0x10, 0x40}), deadlock_at({0x30, 0x20, 0x10}, 0)));
}

TEST(DeadlockOf, NoDeadlockIsNone) {
  Execution execution = deadlock_at({0x10, 0x20}, 2);
  execution.kind = OutcomeKind::kNone;
  EXPECT_FALSE(is_deadlock_of(cycle_at({0x10, 0x20}), execution));
  execution = deadlock_at({0x10, 0x20}, 2);
  execution.report.reset();
  EXPECT_FALSE(is_deadlock_of(cycle_at({0x10, 0x20}), execution));
}

}  // namespace
}  // namespace raddle
