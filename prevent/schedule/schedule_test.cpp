// Schedules as users write them, with real threads.
#include <gtest/gtest.h>
#include <raddle/schedule_gtest.hpp>

#include <condition_variable>
#include <mutex>
#include <queue>
#include <string>
#include <thread>

namespace {

class Queue {
 public:
  void add(int value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    values_.push(value);
    added_.notify_one();
  }
  int take() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (values_.empty()) ++waits_;
    added_.wait(lock, [&] { return !values_.empty(); });
    const int value = values_.front();
    values_.pop();
    return value;
  }
  int waits() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return waits_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::queue<int> values_;
  int waits_ = 0;
};

TEST(Schedule, TakeWithAdd) {
  for (int i = 0; i < 200; ++i) {
    raddle::Schedule schedule("afterAdd1 -> beforeTake1, [beforeTake2] -> beforeAdd2");
    Queue q;
    std::thread adder([&] {
      raddle::name_thread("adder");
      q.add(1);
      RADDLE_EVENT(afterAdd1);
      RADDLE_EVENT(beforeAdd2);
      q.add(2);
    });
    RADDLE_EVENT(beforeTake1);
    EXPECT_EQ(q.take(), 1);
    EXPECT_EQ(q.waits(), 0);
    RADDLE_EVENT(beforeTake2);
    EXPECT_EQ(q.take(), 2);
    EXPECT_EQ(q.waits(), 1);
    adder.join();
  }
}

RADDLE_SCHEDULED_TEST(Schedule, EitherFirst, "a -> beforeB", "b -> beforeA") {
  std::string order;
  std::thread other([&] {
    RADDLE_EVENT(beforeA);
    order += 'a';
    RADDLE_EVENT(a);
  });
  RADDLE_EVENT(beforeB);
  order += 'b';
  RADDLE_EVENT(b);
  other.join();
  const char* schedule = ::testing::UnitTest::GetInstance()->current_test_info()->value_param();
  EXPECT_EQ(order, schedule[0] == 'a' ? "ab" : "ba");
}

}  // namespace
