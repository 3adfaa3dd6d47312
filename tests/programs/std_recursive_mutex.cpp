// expect: passed
// std::recursive_mutex: the same thread locks it again and again, and no other meanwhile.
#include <mutex>
#include <thread>

#include "check.h"

namespace {

std::recursive_mutex lock;
int depth, owner;

void nest(int self, int levels) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (depth++ == 0) owner = self;
  CHECK_EQ(owner, self);
  std::this_thread::yield();
  if (levels > 0) nest(self, levels - 1);
  CHECK_EQ(owner, self);
  --depth;
}

}  // namespace

int main() {
  std::thread one(nest, 1, 4), two(nest, 2, 4);
  nest(3, 2);
  one.join();
  two.join();
  CHECK_EQ(depth, 0);
  lock.lock();
  CHECK(lock.try_lock());
  std::thread([] { CHECK(!lock.try_lock()); }).join();
  lock.unlock();
  std::thread([] { CHECK(!lock.try_lock()); }).join();
  lock.unlock();
  std::thread([] {
    CHECK(lock.try_lock());
    lock.unlock();
  }).join();
}
