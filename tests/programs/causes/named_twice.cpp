// Looked up, numbered and entered under the lock, one after the other: the look is too old already
// when the number is taken, so that a lock over the last two would not do.
// cause: came-between
// object: names.mutex
// says: do not release names.mutex from named_twice.cpp:32 to named_twice.cpp:36
// never: number() locks it itself
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

struct Names {
  std::mutex mutex;
  std::map<std::string, int> known;
  int last = 0;
} names;

#ifndef FIXED
int number() {
  const std::lock_guard lock(names.mutex);
  return ++names.last;
}
#endif

void enter(const std::string& name) {
#ifdef FIXED
  const std::lock_guard lock(names.mutex);
  if (names.known.count(name) == 0) names.known[name] = ++names.last;
#else
  {
    const std::lock_guard lock(names.mutex);  // [first]
    if (names.known.count(name) != 0) return;
  }
  const int next = number();
  const std::lock_guard lock(names.mutex);  // [last]
  names.known[name] = next;
#endif
}

int main() {
  std::thread one(enter, "gate");
  std::thread other(enter, "gate");
  one.join();
  other.join();
  assert(names.last == 1);
}
