// what: clients take blocks from a vector and give them back (Allocation)
// broken: finding a free block and marking it are two steps
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kBlocks = 3;

class AllocationVector {
 public:
  int get_and_mark() {
#ifndef BROKEN
    const std::lock_guard<std::mutex> whole(whole_);
#endif
    const int block = find_free();
    if (block >= 0) mark(block);
    return block;
  }

  void release(int block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    --used_[block];
  }

 private:
  int find_free() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int i = 0; i < kBlocks; ++i) {
      if (used_[i] == 0) return i;
    }
    return -1;
  }
  void mark(int block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    assert(used_[block] == 0);
    ++used_[block];
  }

  std::mutex whole_;
  std::mutex mutex_;
  int used_[kBlocks] = {};
};

AllocationVector blocks;

void work() {
  const int block = blocks.get_and_mark();
  if (block >= 0) blocks.release(block);
}

int main() {
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
}
