// double_checked.cpp with its bug fixed: the pointer is atomic, and the thread publishes it when
// the object is complete.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

class Config {
 public:
  void load() {
    port_ = 80;
    std::this_thread::yield();  // reads a file
    limit_ = 1000;
  }
  bool loaded() const { return port_ == 80 && limit_ == 1000; }

 private:
  int port_ = 0;
  int limit_ = 0;
};

class Registry {
 public:
  ~Registry() { delete config_; }

  Config* config() {
    if (config_ == nullptr) {
      std::lock_guard<std::mutex> lock(mutex_);
      if (config_ == nullptr) {
        auto config = std::make_unique<Config>();
        config->load();
        config_ = config.release();
      }
    }
    return config_;
  }

 private:
  std::mutex mutex_;
  std::atomic<Config*> config_{nullptr};
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  auto registries = std::make_unique<Registry[]>(rounds);
  auto use = [&](int& strikes) {
    for (int i = 0; i < rounds; ++i) {
      if (!registries[i].config()->loaded()) ++strikes;
    }
  };
  int strikes[2] = {};
  std::thread first([&] { use(strikes[0]); });
  std::thread second([&] { use(strikes[1]); });
  first.join();
  second.join();
  return strikes[0] + strikes[1] == 0 ? 0 : 1;
}
