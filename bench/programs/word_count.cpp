// Four threads count the words of a text, each of its own part in a map of its own, and put the
// counts together under a lock. Argument: the number of words.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::map<std::string, std::uint64_t> total;

void count(std::uint32_t state, std::size_t words) {
  std::map<std::string, std::uint64_t> own;
  for (std::size_t i = 0; i < words; ++i) {
    state = state * 1664525 + 1013904223;
    ++own["word" + std::to_string((state >> 16) % 500)];
  }
  const std::lock_guard<std::mutex> lock(mutex);
  for (const auto& [word, times] : own) total[word] += times;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t words = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 400'000;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 1; i <= 4; ++i) threads.emplace_back(count, i, words / 4);
  for (std::thread& thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (const auto& [word, times] : total) sum += times;
  std::puts(sum == words / 4 * 4 ? "counted" : "NOT counted");
}
