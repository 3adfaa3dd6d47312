// expect: passed|exit
// native: no
// message: 1
// main returns 1 when an increment was lost between two holds of the lock.
#include <mutex>
#include <thread>

std::mutex lock;
int counter;

int get() {
  std::lock_guard<std::mutex> hold(lock);
  return counter;
}

void set(int value) {
  std::lock_guard<std::mutex> hold(lock);
  counter = value;
}

int main() {
  std::thread first([] { set(get() + 1); });
  std::thread second([] { set(get() + 1); });
  first.join();
  second.join();
  return counter == 2 ? 0 : 1;
}
