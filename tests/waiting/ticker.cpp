// A worker waits for a signal while a thread beside it ticks: it sleeps, wakes, and sleeps again.
//   lost       nobody ever signals: the ticker would tick for ever
//   counts N   after N rounds the ticker signals
//   feeds N    in each of N rounds the ticker hands something to the worker, while a third thread
//              waits for the end
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable filled, ended;
static int items = 0;
static bool over = false;

static void tick() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

static void take(int count) {
  std::unique_lock lock(m);
  for (int i = 0; i < count; ++i) {
    filled.wait(lock, [] { return items > 0; });
    --items;
  }
}

static void give() {
  std::lock_guard lock(m);
  ++items;
  filled.notify_one();
}

int main(int, char** argv) {
  const bool lost = std::strcmp(argv[1], "lost") == 0;
  const bool feeds = std::strcmp(argv[1], "feeds") == 0;
  const int rounds = lost ? 0 : std::atoi(argv[2]);
  std::thread ticker([&] {
    for (int i = 0; lost || i < rounds; ++i) {
      tick();
      if (feeds) give();
    }
    if (!feeds) give();
    std::lock_guard lock(m);
    over = true;
    ended.notify_all();
  });
  std::thread waits_for_end([] {
    std::unique_lock lock(m);
    ended.wait(lock, [] { return over; });
  });
  std::thread worker([&] { take(feeds ? rounds : 1); });
  worker.join();
  ticker.join();
  waits_for_end.join();
}
