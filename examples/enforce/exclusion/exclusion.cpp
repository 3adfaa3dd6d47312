// hash() looks at all elements of a list, and add() may not come in between. Any number of threads
// may hash, and any number may add: a mutex would forbid both, a shared mutex one of them.
// exclusion_cfg.mop and exclusion_srs.mop say it.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

class List {
 public:
  void add(int value) {
    items_[size_.fetch_add(1)] = value;
    ++adding_;
    std::this_thread::yield();
    --adding_;
  }
  unsigned hash() {
    const int size = size_;
    if (adding_ != 0) fail();
    unsigned hash = 0;
    for (int i = 0; i < size; ++i) hash = hash * 31 + unsigned(items_[i]);
    std::this_thread::yield();
    if (size_ != size || adding_ != 0) fail();
    return hash;
  }

 private:
  static void fail() {
    std::puts("the list has changed while it was hashed");
    std::abort();
  }

  int items_[8] = {};
  std::atomic<int> size_{0};
  std::atomic<int> adding_{0};
};

int main() {
  List list;
  std::vector<std::thread> threads;
  threads.emplace_back([&] { list.add(1); });
  threads.emplace_back([&] { list.add(2); });
  threads.emplace_back([&] { list.hash(); });
  list.hash();
  for (std::thread& thread : threads) thread.join();
}
