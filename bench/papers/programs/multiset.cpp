// A multiset that counts with atomic operations and has no lock: ConcurrentMultiset of the Google
// collections (Park and Sen 2008, Table 1). Nothing to warn of.
#include <array>
#include <atomic>
#include <thread>

class Multiset {
 public:
  void add(int value) { counts_.at(static_cast<std::size_t>(value)).fetch_add(1); }
  bool remove(int value) {
    std::atomic<int>& count = counts_.at(static_cast<std::size_t>(value));
    for (int now = count; now > 0;) {
      if (count.compare_exchange_weak(now, now - 1)) return true;
    }
    return false;
  }
  int count(int value) const { return counts_.at(static_cast<std::size_t>(value)); }

 private:
  std::array<std::atomic<int>, 4> counts_{};
};

int main() {
  Multiset multiset;
  const auto work = [&] {
    for (int i = 0; i < 3; ++i) multiset.add(i);
    for (int i = 0; i < 3; ++i) multiset.remove(i);
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return multiset.count(0) == 0 ? 0 : 1;
}
