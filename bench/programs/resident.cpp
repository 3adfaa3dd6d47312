// resident PAGES: two threads add up under a lock and write to PAGES of a table. The table has
// RESIDENT_MB megabytes, is filled before main(), and lives as long as the process.
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

char* filled(std::size_t bytes) {
  char* memory = new char[bytes + 1];
  for (std::size_t i = 0; i < bytes; i += 64) memory[i] = static_cast<char>(i);
  return memory;
}

}  // namespace

static const std::size_t g_bytes = std::getenv("RESIDENT_MB") != nullptr
                                       ? std::size_t(std::atoi(std::getenv("RESIDENT_MB"))) << 20
                                       : 0;
static char* const g_memory = filled(g_bytes);

int main(int argc, char** argv) {
  const int pages = argc > 1 ? std::atoi(argv[1]) : 0;
  std::mutex lock;
  long sum = 0;
  auto add = [&](int from) {
    for (int i = from; i < pages; i += 2) {
      std::lock_guard guard(lock);
      const std::size_t at = std::size_t(i) * 4096 * 7 % (g_bytes + 1);
      if (at < g_bytes) sum += ++g_memory[at];
    }
  };
  std::thread one(add, 0);
  std::thread two(add, 1);
  one.join();
  two.join();
  return 0;
}
