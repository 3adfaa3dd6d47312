// expect: passed
// New mutexes at addresses of old ones: the program frees a block with its mutex locked, and a new
// block there has a free mutex; and a mutex on the stack of a thread that is gone.
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "check.h"

namespace {

struct Block {
  std::mutex mutex;
  int value = 0;
};

void use(Block& block) {
  auto add = [&block] {
    std::lock_guard<std::mutex> hold(block.mutex);
    ++block.value;
  };
  std::thread first(add), second(add);
  first.join();
  second.join();
  CHECK_EQ(block.value, 2);
}

}  // namespace

int main() {
  alignas(Block) static unsigned char memory[sizeof(Block)];
  for (int round = 0; round < 3; ++round) {
    // The construction of a std::mutex calls nothing that Raddle could intercept.
    Block* block = new (memory) Block;
    use(*block);
    block->mutex.lock();
    std::thread([block] { CHECK(!block->mutex.try_lock()); }).join();
  }
  for (int round = 0; round < 3; ++round) {
    auto block = std::make_unique<Block>();
    use(*block);
    block->mutex.lock();
  }
  // Another kind of object at the same address.
  for (int round = 0; round < 2; ++round) {
    std::memset(memory, 0, sizeof memory);
    pthread_cond_t* cond = new (memory) pthread_cond_t PTHREAD_COND_INITIALIZER;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    CHECK_EQ(pthread_mutex_lock(&lock), 0);
    timespec soon = deadline_on(CLOCK_REALTIME, 5);
    CHECK_EQ(pthread_cond_timedwait(cond, &lock, &soon), ETIMEDOUT);
    CHECK_EQ(pthread_mutex_unlock(&lock), 0);
    CHECK_EQ(pthread_cond_destroy(cond), 0);
    use(*new (memory) Block);
  }
  for (int round = 0; round < 3; ++round) {
    std::thread([] {
      Block local;
      use(local);
      local.mutex.lock();
    }).join();
  }
}
