// what: clients take blocks from a vector and give them back (Allocation)
// broken: finding a free block and marking it are two steps
// near: -DCLIENTS=3
// large: -DCLIENTS=4
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

constexpr int kBlocks = CLIENTS * ROUNDS + 1;

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
  int mine[ROUNDS];
  for (int& block : mine) block = blocks.get_and_mark();
  for (const int block : mine) {
    if (block >= 0) blocks.release(block);
  }
}

int main() {
  std::thread clients[CLIENTS];
  for (std::thread& client : clients) client = std::thread(work);
  for (std::thread& client : clients) client.join();
}
