// A message is published by a flag that orders nothing. Every execution shows the race; none fails.
#include <atomic>
#include <thread>

static int message = 0;
static std::atomic<bool> ready{false};

int main() {
#ifdef FIXED
  constexpr auto publish = std::memory_order_release, take = std::memory_order_acquire;
#else
  constexpr auto publish = std::memory_order_relaxed, take = std::memory_order_relaxed;
#endif
  std::thread writer([] {
    message = 42;
    ready.store(true, publish);
  });
  std::thread reader([] {
    if (ready.load(take)) (void)*static_cast<volatile int*>(&message);
  });
  writer.join();
  reader.join();
  return 0;
}
