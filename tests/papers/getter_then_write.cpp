// Hammer et al. (2008), 4.1: add_one() touches a member of the counter itself, so all of it is a
// unit of work on the counter, from its entry on: also what the locked getter reads. With -DFIXED
// the getter's lock is held all the while.
#include <mutex>
#include <thread>

struct Counter {
  int get() {
    std::lock_guard<std::recursive_mutex> lock(mutex);
    return value;
  }
  std::recursive_mutex mutex;
  int value = 0;
};

__attribute__((noinline)) void add_one(Counter& counter) {
#ifdef FIXED
  std::lock_guard<std::recursive_mutex> all(counter.mutex);
#endif
  const int seen = counter.get();
  std::lock_guard<std::recursive_mutex> lock(counter.mutex);
  counter.value = seen + 1;
}

int main() {
  Counter counter;
  const auto run = [&] {
    for (int i = 0; i < 2; ++i) add_one(counter);
  };
  std::thread first(run), second(run);
  first.join();
  second.join();
}
