// A thread that is made with clone() is not under control: it writes what others read.
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <mutex>
#include <thread>

static std::mutex lock;
static int shared;
static std::atomic<int> stopped{0};

static int outsider(void*) {
  shared = 1;
  stopped = 1;
  return 0;
}

int main() {
  constexpr std::size_t kSize = 1 << 16;
  char* stack = static_cast<char*>(
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  clone(outsider, stack + kSize,
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, nullptr);
  while (stopped == 0) std::this_thread::yield();
  std::thread other([] {
    lock.lock();
    ++shared;
    lock.unlock();
  });
  lock.lock();
  ++shared;
  lock.unlock();
  other.join();
  return 0;
}
