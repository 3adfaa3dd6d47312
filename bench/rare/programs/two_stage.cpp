// A handover in two stages, each under a lock of its own: N / 2 producers fill the first cell and
// then the second; N / 2 consumers read both. A consumer that finds the first cell filled and the
// second one not, since no producer got that far, has come in between.
#include <mutex>

#include "rare.hpp"

static std::mutex g_first_lock;
static std::mutex g_second_lock;
static int g_first = 0;
static int g_second = 0;

static void produce() {
  std::unique_lock first(g_first_lock);
  g_first = 1;
  if (!kFixed) first.unlock();
  const std::lock_guard second(g_second_lock);
  g_second = g_first + 1;
}

static void consume() {
  std::unique_lock first(g_first_lock);
  const int one = g_first;
  if (one == 0) return;
  first.unlock();
  const std::lock_guard second(g_second_lock);
  require(g_second == one + 1, "the second cell follows the first");
}

int main() {
  constexpr int kEach = N < 4 ? 1 : N / 2;
  std::vector<std::thread> producers = start(kEach, [](int) { produce(); });
  std::vector<std::thread> consumers = start(kEach, [](int) { consume(); });
  join(producers);
  join(consumers);
}
