// allocation_vector.cpp with its bug fixed: finding a block and marking it are one step under the
// lock.
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "raddle/annotations.hpp"

class AllocationVector {
 public:
  explicit AllocationVector(int blocks) : used_(blocks) {}

  int find_free() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] == 0) return static_cast<int>(i);
    }
    return -1;
  }

  bool mark(int block) {  // false: another client has it
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    return used_[block]++ == 0;
  }

  void release(int block) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    --used_[block];
  }

  std::recursive_mutex& mutex() { return mutex_; }

 private:
  std::recursive_mutex mutex_;
  std::vector<int> used_;
};

class Client {
 public:
  explicit Client(AllocationVector& vector) : vector_(vector) {}

  int allocate() {
#ifdef SUBJECT_ANNOTATED
    raddle::atomic_block block("allocate");
#endif
    std::lock_guard<std::recursive_mutex> lock(vector_.mutex());
    const int free = vector_.find_free();
    if (free >= 0 && !vector_.mark(free)) ++strikes_;
    return free;
  }

  void run(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const int block = allocate();
      if (block >= 0) vector_.release(block);
    }
  }

  int strikes() const { return strikes_; }

 private:
  AllocationVector& vector_;
  int strikes_ = 0;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 4;
  AllocationVector vector(8);
  Client one(vector);
  Client two(vector);
  std::thread first([&] { one.run(rounds); });
  std::thread second([&] { two.run(rounds); });
  first.join();
  second.join();
  return one.strikes() + two.strikes() == 0 ? 0 : 1;
}
