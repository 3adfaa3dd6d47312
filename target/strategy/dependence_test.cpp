#include "protocol/dependence.hpp"

#include <gtest/gtest.h>

#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

Pending with(Pending p, std::uint64_t extra) {
  p.extra = extra;
  return p;
}

Pending access(int thread, OpKind op, std::uint64_t address, std::uint64_t bytes) {
  return with(
      operation(thread, op, static_cast<std::uint32_t>(100 + thread)),
      touched_bytes(address, bytes, op != OpKind::atomic_load && op != OpKind::memory_read));
}

TEST(Dependence, TheEndOfTheProcessKeepsEverybodyFromGoingOn) {
  for (int op = 0; op < kOpKinds; ++op) {
    EXPECT_TRUE(
        dependent(operation(1, OpKind::process_exit, 0), operation(2, static_cast<OpKind>(op), 1)))
        << op_text(static_cast<OpKind>(op));
  }
}

TEST(Dependence, IsSymmetricForAllOperations) {
  for (int a = 0; a < kOpKinds; ++a) {
    for (int b = 0; b < kOpKinds; ++b) {
      for (std::uint64_t extra : {0ULL, 1ULL, 0x1000'0008ULL}) {
        const Pending x = with(operation(1, static_cast<OpKind>(a), 1), extra);
        const Pending y = operation(2, static_cast<OpKind>(b), 1);
        EXPECT_EQ(dependent(x, y), dependent(y, x)) << a << " " << b;
      }
    }
  }
}

TEST(Dependence, StepsOfOneThreadAlwaysDepend) {
  EXPECT_TRUE(dependent(operation(1, OpKind::yield, 0), operation(1, OpKind::fence, 0)));
}

TEST(Dependence, Locks) {
  for (OpKind a : {OpKind::mutex_lock, OpKind::mutex_trylock, OpKind::mutex_unlock}) {
    for (OpKind b : {OpKind::mutex_lock, OpKind::mutex_trylock, OpKind::mutex_unlock}) {
      EXPECT_TRUE(dependent(operation(1, a, 1), operation(2, b, 1)));
      EXPECT_FALSE(dependent(operation(1, a, 1), operation(2, b, 2)));
    }
  }
}

TEST(Dependence, EventsOfMonitorsDependOnEachOtherAndOnWhatTheyAskFor) {
  const Pending event = operation(1, OpKind::monitor_event, 1);
  const Pending lock = operation(2, OpKind::mutex_lock, 2);
  EXPECT_TRUE(dependent(event, operation(2, OpKind::monitor_event, 1)));
  EXPECT_FALSE(dependent(event, lock));
  EXPECT_TRUE(dependent(with(event, kAsksAll), lock));
}

TEST(Dependence, SharesOfALockDoNotDisturbEachOther) {
  const Pending read = operation(1, OpKind::rwlock_read, 1);
  const Pending other = operation(2, OpKind::rwlock_tryread, 1);
  const Pending leave = with(operation(2, OpKind::rwlock_unlock, 1), kUnlocksShare);
  const Pending written = operation(2, OpKind::rwlock_unlock, 1);
  EXPECT_FALSE(dependent(read, other));
  EXPECT_FALSE(dependent(read, leave));
  EXPECT_TRUE(dependent(read, written));
  EXPECT_TRUE(dependent(read, operation(2, OpKind::rwlock_write, 1)));
  EXPECT_TRUE(dependent(leave, operation(1, OpKind::rwlock_write, 1)));
}

TEST(Dependence, AConditionWaitGivesUpItsMutex) {
  const Pending wait = with(operation(1, OpKind::cond_wait, 5), touched_object(ObjectId{1}));
  EXPECT_TRUE(dependent(wait, operation(2, OpKind::mutex_trylock, 1)));
  EXPECT_FALSE(dependent(wait, operation(2, OpKind::mutex_trylock, 2)));
  EXPECT_TRUE(dependent(wait, operation(2, OpKind::cond_signal, 5)));
  EXPECT_TRUE(
      dependent(operation(1, OpKind::cond_signal, 5), operation(2, OpKind::cond_signal, 5)));
}

TEST(Dependence, ASignalPassesOverWhoWasWoken) {
  const Pending wake = operation(1, OpKind::cond_wake, 5);
  EXPECT_FALSE(dependent(wake, operation(2, OpKind::cond_signal, 5)));
  EXPECT_FALSE(dependent(wake, operation(2, OpKind::cond_wake, 5)));
  EXPECT_TRUE(dependent(wake, operation(2, OpKind::destroy, 5)));
}

TEST(Dependence, MemoryByTheBytes) {
  const Pending store = access(1, OpKind::atomic_store, 0x1000, 4);
  EXPECT_TRUE(dependent(store, access(2, OpKind::atomic_load, 0x1000, 4)));
  EXPECT_TRUE(dependent(store, access(2, OpKind::memory_read, 0x1003, 1)));
  EXPECT_TRUE(dependent(store, access(2, OpKind::memory_write, 0xffe, 8)));
  EXPECT_FALSE(dependent(store, access(2, OpKind::atomic_store, 0x1004, 4)));
  EXPECT_FALSE(dependent(access(1, OpKind::atomic_load, 0x1000, 4),
                         access(2, OpKind::memory_read, 0x1000, 4)));
}

TEST(Dependence, ToFreeABlockIsToWriteAllThatLiesInIt) {
  Pending freeing = access(1, OpKind::memory_free, 0x1000, 0x20000);
  freeing.memory = 0x20000;
  EXPECT_TRUE(dependent(freeing, access(2, OpKind::memory_read, 0x1000, 1)));
  EXPECT_TRUE(dependent(freeing, access(2, OpKind::atomic_load, 0x20fff, 8)));
  EXPECT_FALSE(dependent(freeing, access(2, OpKind::memory_write, 0x21000, 8)));
  Pending other = freeing;
  other.thread = ThreadId{2};
  EXPECT_TRUE(dependent(freeing, other));
  Pending lock = operation(2, OpKind::mutex_lock, 7);
  EXPECT_FALSE(dependent(freeing, lock));
  lock.memory = touched_bytes(0x1008, 1);
  EXPECT_TRUE(dependent(freeing, lock));
  lock.memory = touched_bytes(0x21000, 1);
  EXPECT_FALSE(dependent(freeing, lock));
  Pending wait = with(operation(2, OpKind::cond_wait, 5), touched_object(ObjectId{1}));
  wait.memory = touched_bytes(0x500, 0);  // the mutex lies far away
  EXPECT_TRUE(dependent(freeing, wait));
}

TEST(Dependence, TryingAgainIsALoadOnlyIfItIsOne) {
  const Pending load = with(operation(1, OpKind::atomic_again, 1), touched_bytes(0x1000, 4));
  const Pending exchange =
      with(operation(2, OpKind::atomic_again, 1), touched_bytes(0x1000, 4, true));
  Pending other = exchange;
  other.thread = ThreadId{3};
  EXPECT_FALSE(dependent(load, access(2, OpKind::atomic_load, 0x1000, 4)));
  EXPECT_TRUE(dependent(load, exchange));
  EXPECT_TRUE(dependent(exchange, other));
}

TEST(Dependence, Futexes) {
  const Pending wait = with(operation(1, OpKind::futex_wait, 1), touched_bytes(0x1000, 4));
  const Pending wake = with(operation(2, OpKind::futex_wake, 1), touched_bytes(0x1000, 4));
  EXPECT_TRUE(dependent(wait, wake));
  EXPECT_TRUE(dependent(wait, access(2, OpKind::atomic_store, 0x1000, 4)));
  EXPECT_FALSE(dependent(wait, access(2, OpKind::atomic_load, 0x1000, 4)));
  EXPECT_FALSE(dependent(wake, access(1, OpKind::atomic_store, 0x1000, 4)));
  // An operation that moves waiters to another word does not say to which.
  EXPECT_TRUE(dependent(operation(3, OpKind::futex_wake, 1), wait));
  EXPECT_TRUE(dependent(operation(3, OpKind::futex_wake, 1), operation(1, OpKind::mutex_lock, 9)));
}

TEST(Dependence, WhatReachesEverybody) {
  const Pending lock = operation(1, OpKind::mutex_lock, 1);
  for (OpKind op : {OpKind::process_exit, OpKind::signal_send, OpKind::cancel, OpKind::sleep}) {
    EXPECT_TRUE(dependent(lock, operation(2, op, 0)));
  }
  Pending late = operation(2, OpKind::mutex_lock, 2);
  EXPECT_FALSE(dependent(lock, late));
  late.outcome = StepOutcome::kTimeout;
  EXPECT_TRUE(dependent(lock, late));
}

TEST(Dependence, ThreadsAndChannels) {
  EXPECT_TRUE(
      dependent(operation(1, OpKind::thread_create, 0), operation(2, OpKind::thread_create, 0)));
  EXPECT_FALSE(
      dependent(operation(1, OpKind::thread_create, 0), operation(2, OpKind::mutex_lock, 1)));
  EXPECT_TRUE(dependent(operation(1, OpKind::thread_join, 7), operation(2, OpKind::thread_end, 7)));
  EXPECT_FALSE(
      dependent(operation(1, OpKind::thread_join, 7), operation(2, OpKind::thread_end, 8)));
  EXPECT_TRUE(dependent(operation(1, OpKind::read, 3), operation(2, OpKind::write, 4)));
}

}  // namespace
}  // namespace raddle
