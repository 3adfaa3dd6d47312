// expect: passed
// misuse: unlocks a mutex whose memory was freed while it held it
// The owner gives the journal up without waiting for the thread that is writing to it. That
// thread's unlock is not what is wrong: it does hold the lock.
#include <atomic>
#include <mutex>
#include <thread>

struct Journal {
  std::mutex mutex;
  int lines = 0;
};

int main() {
  auto* journal = new Journal;
  std::atomic<bool> writing{false};
  std::atomic<bool> gone{false};
  std::thread writer([&] {
    journal->mutex.lock();
    std::mutex* const held = &journal->mutex;
    writing = true;
    while (!gone) std::this_thread::yield();
    held->unlock();
  });
  while (!writing) std::this_thread::yield();
  delete journal;
  gone = true;
  writer.join();
  return 0;
}
