#include "host/report/words/headline.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

Failure fault_at(std::int64_t offset) {
  Failure failure;
  failure.kind = OutcomeKind::kMemoryFault;
  failure.verdict.emplace();
  failure.verdict->kind = OutcomeKind::kMemoryFault;
  failure.verdict->fault = MemoryFaultLine{.kind = MemoryFaultKind::kUseAfterFree,
                                           .writes = true,
                                           .bytes = 8,
                                           .offset = offset,
                                           .block = 40};
  return failure;
}

// The bytes behind a block are nobody's: they are not of it.
TEST(Headline, WhatLiesBehindAFreedBlockIsNotOfIt) {
  EXPECT_EQ(headline(fault_at(32)),
            "memory fault: writes 8 bytes of a block of 40 bytes that was freed");
  EXPECT_EQ(headline(fault_at(40)),
            "memory fault: writes 8 bytes right behind a block of 40 bytes that was freed");
  EXPECT_EQ(headline(fault_at(56)),
            "memory fault: writes 8 bytes, 16 behind a block of 40 bytes that was freed");
}

WaitingThread waiter(std::uint16_t thread, const char* library, const char* name) {
  WaitingThread one;
  one.thread = ThreadId{thread};
  one.doing.kind = Doing::Kind::kBlocked;
  one.doing.op = OpKind::futex_wait;
  one.doing.object.id = ObjectId{7};
  one.doing.object.cls = ObjectClass::futex;
  one.doing.object.library = library;
  if (*name != 0) one.doing.object.name = {.kind = ObjectName::Kind::kVariable, .path = name};
  return one;
}

TEST(Headline, EachThreadThatWaitsIsTold) {
  Failure failure;
  failure.kind = OutcomeKind::kDeadlock;
  failure.verdict.emplace();
  failure.verdict->kind = OutcomeKind::kDeadlock;
  failure.verdict->waiting = {waiter(1, "std::barrier", "dance.figure_done"),
                              waiter(2, "std::future", "")};
  EXPECT_EQ(headline(failure),
            "2 threads wait and nobody is left to wake them: T1 waits on std::barrier "
            "`dance.figure_done', T2 waits on a std::future");
}

}  // namespace
}  // namespace raddle
