// An exception leaves a function whose thread nobody has joined.
// cause: joinable-destroyed
// object: worker
// says: was neither joined nor detached
#include <atomic>
#include <stdexcept>
#include <thread>

std::atomic<int> progress{0};

void check() {
  if (progress.load() == 0) throw std::runtime_error("too slow");
}

void run() {
  std::thread worker([] { progress.store(1); });  // [first]
#ifdef FIXED
  worker.join();
  check();
#else
  check();
  worker.join();
#endif
}  // [last]

int main() {
  try {
    run();
  } catch (const std::runtime_error&) {
    return 0;
  }
}
