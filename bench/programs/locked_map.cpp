// Four threads use a hash map behind a lock, mostly for look-ups. Argument: rounds of each thread.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

class Map {
 public:
  void add(std::uint64_t key, std::uint64_t amount) {
    std::lock_guard lock(mutex_);
    values_[key] += amount;
  }
  std::uint64_t get(std::uint64_t key) const {
    std::lock_guard lock(mutex_);
    auto found = values_.find(key);
    return found == values_.end() ? 0 : found->second;
  }
  std::uint64_t sum() const {
    std::lock_guard lock(mutex_);
    std::uint64_t total = 0;
    for (const auto& [key, value] : values_) total += value;
    return total;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> values_;
};

int main(int argc, char** argv) {
  std::uint64_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 500'000;
  Map map;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&map, t, rounds] {
      std::uint64_t state = t + 1;
      for (std::uint64_t i = 0; i < rounds; ++i) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        std::uint64_t key = state >> 50;
        if (i % 4 == 0)
          map.add(key, 1);
        else
          (void)map.get(key);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("%llu\n", static_cast<unsigned long long>(map.sum()));
}
