// expect: passed
// std::mutex with lock_guard, unique_lock, scoped_lock on two in both orders, std::lock, try_lock.
#include <mutex>
#include <thread>
#include <vector>

#include "check.h"

namespace {

std::mutex a, b;
int inside, total;

void forwards() {
  for (int i = 0; i < 3; ++i) {
    std::scoped_lock hold(a, b);
    CHECK_EQ(inside++, 0);
    std::this_thread::yield();
    --inside;
    ++total;
  }
}

void backwards() {
  for (int i = 0; i < 3; ++i) {
    std::unique_lock<std::mutex> hold_b(b, std::defer_lock), hold_a(a, std::defer_lock);
    std::lock(hold_b, hold_a);
    CHECK_EQ(inside++, 0);
    std::this_thread::yield();
    --inside;
    ++total;
  }
}

}  // namespace

int main() {
  std::thread one(forwards), two(backwards);
  one.join();
  two.join();
  CHECK_EQ(total, 6);

  std::unique_lock<std::mutex> hold(a);
  std::thread([] { CHECK(!a.try_lock()); }).join();
  hold.unlock();
  std::thread([] {
    CHECK(a.try_lock());
    a.unlock();
  }).join();
  std::thread([] {
    std::unique_lock<std::mutex> attempt(a, std::try_to_lock);
    CHECK(attempt.owns_lock());
  }).join();
}
