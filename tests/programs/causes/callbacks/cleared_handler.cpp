// A handler is called through a pointer that another thread has cleared since it was looked at.
// cause: two-reads
// object: handler
// also: -O0
#include <atomic>
#include <thread>

std::atomic<void (*)()> handler;
std::atomic<int> calls{0};

void fire() {
#ifdef FIXED
  void (*const present)() = handler.load();
  if (present != nullptr) present();
#else
  if (handler.load() != nullptr) {  // [first]
    handler.load()();               // [last]
  }
#endif
}

int main() {
  handler.store([] { calls.fetch_add(1); });
  std::thread thread(fire);
  handler.store(nullptr);  // [middle]
  thread.join();
}
