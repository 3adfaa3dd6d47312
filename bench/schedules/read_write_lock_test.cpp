#include "bench/schedules/components/read_write_lock.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <shared_mutex>
#include <thread>

#include "bench/schedules/nap.hpp"
#include "raddle/schedule.hpp"
#include "raddle/schedule_gtest.hpp"

namespace {

using components::ReadWriteLock;
using twins::nap;

TEST(ReadWriteLock, ReadersShareAndKeepWritersOut) {
  raddle::Schedule schedule(
      "reading@a -> beforeRead@b, reading@b -> beforeTry, tried -> beforeUnlock@a, tried -> "
      "beforeUnlock@b");
  ReadWriteLock lock;
  const auto read = [&](const char* name) {
    raddle::name_thread(name);
    RADDLE_EVENT(beforeRead);
    const std::shared_lock reading(lock);
    RADDLE_EVENT(reading);
    RADDLE_EVENT(beforeUnlock);
  };
  std::jthread a(read, "a");
  std::jthread b(read, "b");
  RADDLE_EVENT(beforeTry);
  EXPECT_EQ(lock.readers(), 2U);
  EXPECT_FALSE(std::unique_lock(lock, std::try_to_lock).owns_lock());
  RADDLE_EVENT(tried);
}

TEST(ReadWriteLockSleeping, ReadersShareAndKeepWritersOut) {
  ReadWriteLock lock;
  const auto read = [&](int naps) {
    nap(naps);
    const std::shared_lock reading(lock);
    nap(3 - naps);
  };
  std::jthread a(read, 0);
  std::jthread b(read, 1);
  nap(2);
  EXPECT_EQ(lock.readers(), 2U);
  EXPECT_FALSE(std::unique_lock(lock, std::try_to_lock).owns_lock());
}

TEST(ReadWriteLock, WriterWaitsForReader) {
  raddle::Schedule schedule("reading -> beforeWrite, [beforeWrite] -> beforeUnlock");
  ReadWriteLock lock;
  int value = 1;
  std::jthread writer([&] {
    RADDLE_EVENT(beforeWrite);
    const std::unique_lock writing(lock);
    value = 2;
  });
  {
    const std::shared_lock reading(lock);
    RADDLE_EVENT(reading);
    EXPECT_EQ(value, 1);
    RADDLE_EVENT(beforeUnlock);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(lock.waits(), 1U);
  }
  writer.join();
  EXPECT_EQ(value, 2);
}

TEST(ReadWriteLockSleeping, WriterWaitsForReader) {
  ReadWriteLock lock;
  int value = 1;
  std::jthread writer([&] {
    nap(1);
    const std::unique_lock writing(lock);
    value = 2;
  });
  {
    const std::shared_lock reading(lock);
    EXPECT_EQ(value, 1);
    nap(2);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(lock.waits(), 1U);
  }
  writer.join();
  EXPECT_EQ(value, 2);
}

TEST(ReadWriteLock, ReadersWaitBehindAWriter) {
  raddle::Schedule schedule(
      "reading -> beforeWrite, [beforeWrite] -> beforeRead2, [beforeRead2] -> beforeUnlock");
  ReadWriteLock lock;
  int value = 1;
  std::jthread writer([&] {
    RADDLE_EVENT(beforeWrite);
    const std::unique_lock writing(lock);
    value = 2;
  });
  std::jthread late([&] {
    RADDLE_EVENT(beforeRead2);
    const std::shared_lock reading(lock);
    EXPECT_EQ(value, 2);
  });
  const std::shared_lock reading(lock);
  RADDLE_EVENT(reading);
  RADDLE_EVENT(beforeUnlock);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(lock.waits(), 2U);
}

TEST(ReadWriteLockSleeping, ReadersWaitBehindAWriter) {
  ReadWriteLock lock;
  int value = 1;
  std::jthread writer([&] {
    nap(1);
    const std::unique_lock writing(lock);
    value = 2;
  });
  std::jthread late([&] {
    nap(2);
    const std::shared_lock reading(lock);
    EXPECT_EQ(value, 2);
  });
  const std::shared_lock reading(lock);
  nap(3);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(lock.waits(), 2U);
}

// Each thread only tries: both get the lock, because their sections do not overlap.
TEST(ReadWriteLock, WritersOneAfterTheOther) {
  raddle::Schedule schedule("firstTry..firstDone !-> secondTry..secondDone");
  ReadWriteLock lock;
  int value = 1;
  std::jthread second([&] {
    RADDLE_EVENT(secondTry);
    ASSERT_TRUE(lock.try_lock());
    value = 3;
    lock.unlock();
    RADDLE_EVENT(secondDone);
  });
  RADDLE_EVENT(firstTry);
  ASSERT_TRUE(lock.try_lock());
  std::thread([&] { value = 2; }).join();
  lock.unlock();
  RADDLE_EVENT(firstDone);
}

TEST(ReadWriteLockSleeping, WritersOneAfterTheOther) {
  ReadWriteLock lock;
  int value = 1;
  std::jthread second([&] {
    nap(1);
    ASSERT_TRUE(lock.try_lock());
    value = 3;
    lock.unlock();
  });
  ASSERT_TRUE(lock.try_lock());
  std::thread([&] { value = 2; }).join();
  lock.unlock();
}

}  // namespace
