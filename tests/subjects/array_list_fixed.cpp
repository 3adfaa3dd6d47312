// array_list.cpp with its bug fixed: a bulk operation holds the lock of the list that it reads.
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class ArrayList {
 public:
  void add(int value) {
    ++modifications_;
    elements_.at(count_++) = value;
  }
  bool remove(int value) {
    for (int i = 0; i < count_; ++i) {
      if (elements_[i] != value) continue;
      ++modifications_;
      elements_[i] = elements_[--count_];
      return true;
    }
    return false;
  }
  bool contains(int value) const {
    for (int i = 0; i < count_; ++i) {
      if (elements_[i] == value) return true;
    }
    return false;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    const int expected = modifications_;
    for (int i = 0; i < count_; ++i) {
      visit(elements_[i]);
      if (modifications_ != expected) throw std::logic_error("modified under way");
      std::this_thread::yield();
    }
  }

 private:
  std::vector<int> elements_ = std::vector<int>(64);
  int count_ = 0;
  int modifications_ = 0;
};

class SynchronizedList {
 public:
  SynchronizedList() = default;
  SynchronizedList(SynchronizedList& other) {
    std::lock_guard<std::mutex> lock(other.mutex_);
    other.list_.for_each([&](int value) { list_.add(value); });
  }
  bool contains_all(SynchronizedList& other) {
    std::scoped_lock lock(mutex_, other.mutex_);
    bool all = true;
    other.list_.for_each([&](int value) { all = all && list_.contains(value); });
    return all;
  }
  void add_all(SynchronizedList& other) {
    std::scoped_lock lock(mutex_, other.mutex_);
    other.list_.for_each([&](int value) { list_.add(value); });
  }
  void remove_all(SynchronizedList& other) {
    std::scoped_lock lock(mutex_, other.mutex_);
    other.list_.for_each([&](int value) { list_.remove(value); });
  }
  void add(int value) {
    std::lock_guard<std::mutex> lock(mutex_);
    list_.add(value);
  }
  bool remove(int value) {
    std::lock_guard<std::mutex> lock(mutex_);
    return list_.remove(value);
  }

 private:
  std::mutex mutex_;
  ArrayList list_;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  int strikes = 0;
  SynchronizedList mine;
  SynchronizedList other;
  for (int i = 0; i < 4; ++i) other.add(i);
  std::thread bulk([&] {
    for (int i = 0; i < rounds; ++i) {
      try {
        mine.add_all(other);
        mine.contains_all(other);
        mine.remove_all(other);
        SynchronizedList copy(other);
      } catch (const std::logic_error&) {
        ++strikes;
      }
    }
  });
  std::thread single([&] {
    for (int i = 0; i < rounds; ++i) {
      other.remove(3);
      other.add(3);
    }
  });
  bulk.join();
  single.join();
  return strikes == 0 ? 0 : 1;
}
