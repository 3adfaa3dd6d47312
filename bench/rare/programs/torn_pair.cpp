// N writers set two fields, one after the other; one reader must not come between the first write
// of the first field and all writes of the second.
#include <mutex>

#include "rare.hpp"

static std::atomic<int> g_low{0};
static std::atomic<int> g_high{0};
static std::mutex g_lock;

static void write() {
  g_low = 1;
  g_high = 1;
}

static void read() {
  const int low = g_low;
  const int high = g_high;
  require(low == high || low == 0, "both fields are new, or the first is old");
}

int main() {
  std::vector<std::thread> writers = start(N, [](int) {
    std::unique_lock lock(g_lock, std::defer_lock);
    if (kFixed) lock.lock();
    write();
  });
  std::thread reader([] {
    std::unique_lock lock(g_lock, std::defer_lock);
    if (kFixed) lock.lock();
    read();
  });
  join(writers);
  reader.join();
}
