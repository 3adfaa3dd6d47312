// library: oneTBB
// package: libtbb-dev
// link: -ltbb
// A bounded queue between threads, and a hash map that both fill.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>

#include <cassert>
#include <thread>

using Counts = tbb::concurrent_hash_map<int, int>;

int main() {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(2);
  Counts counts;
  const auto consume = [&] {
    for (;;) {
      int item;
      queue.pop(item);
      if (item < 0) return;
      Counts::accessor entry;
      counts.insert(entry, item % 3);  // a new entry counts from 0
      entry->second += 1;
    }
  };
  std::thread one(consume), two(consume);
  for (int i = 0; i < 9; ++i) queue.push(i);
  queue.push(-1);
  queue.push(-1);
  one.join();
  two.join();
  assert(counts.size() == 3);
  for (int key = 0; key < 3; ++key) {
    Counts::const_accessor entry;
    assert(counts.find(entry, key) && entry->second == 3);
  }
}
