// resident MEGABYTES PAGES: two threads add up under a lock; before them main() fills MEGABYTES,
// and during the execution PAGES of that are written.
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::vector<char> filled(std::size_t bytes) {
  std::vector<char> memory(bytes);
  for (std::size_t i = 0; i < bytes; i += 64) memory[i] = static_cast<char>(i);
  return memory;
}

}  // namespace

// Before main(): a program that an execution begins with.
static const std::size_t g_bytes = std::getenv("RESIDENT_MB") != nullptr
                                       ? std::size_t(std::atoi(std::getenv("RESIDENT_MB"))) << 20
                                       : 0;
static std::vector<char> g_memory = filled(g_bytes);

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
