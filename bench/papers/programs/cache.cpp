// A cache that numbers its entries (cache4j; Park and Sen 2008, section 5.4): a block takes two
// numbers, and another thread may take one in between. The two need not follow each other, so the
// violation is real and benign.
#include <map>
#include <mutex>
#include <thread>

class Numbers {
 public:
  int next() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ++count_;
  }

 private:
  std::mutex mutex_;
  int count_ = 0;
};

Numbers numbers;

class Cache {
 public:
  int put_two() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const int first = numbers.next();
    const int second = numbers.next();
    entries_[first] = second;
    return second;
  }

 private:
  std::mutex mutex_;
  std::map<int, int> entries_;
};

int main() {
  Cache cache;
  Cache other;
  std::thread first([&] { cache.put_two(); });
  std::thread second([&] { other.put_two(); });
  std::thread third([&] { numbers.next(); });
  first.join();
  second.join();
  third.join();
  return numbers.next() == 6 ? 0 : 1;
}
