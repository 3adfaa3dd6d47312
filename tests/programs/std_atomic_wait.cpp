// expect: passed
// std::atomic::wait and notify: on int, on a pointer, on bool and on atomic_flag.
#include <atomic>
#include <thread>
#include <vector>

#include "check.h"

int main() {
  std::atomic<int> turn{0};
  std::thread other([&] {
    for (int i = 1; i < 6; i += 2) {
      turn.wait(i - 1);
      CHECK_EQ(turn.load(), i);
      turn = i + 1;
      turn.notify_one();
    }
  });
  for (int i = 0; i < 6; i += 2) {
    turn = i + 1;
    turn.notify_one();
    turn.wait(i + 1);
  }
  other.join();
  CHECK_EQ(turn.load(), 6);

  std::atomic<bool> open{false};
  std::atomic<int> through{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      open.wait(false);
      ++through;
    });
  }
  open = true;
  open.notify_all();
  for (auto& thread : threads) thread.join();
  CHECK_EQ(through.load(), 3);

  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  std::thread waiter([&] {
    flag.wait(false);
    CHECK(flag.test());
  });
  flag.test_and_set();
  flag.notify_all();
  waiter.join();

  int target = 5;
  std::atomic<int*> pointer{nullptr};
  std::thread reader([&] {
    pointer.wait(nullptr);
    CHECK_EQ(*pointer.load(), 5);
  });
  pointer = &target;
  pointer.notify_one();
  reader.join();
}
