// Double-checked locking with a plain pointer: all that it leads to is as unordered as the pointer.
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#ifdef FIXED
#include <atomic>
#endif

class Catalogue {
 public:
  static Catalogue& get() {
#ifdef FIXED
    Catalogue* known = only_.load(std::memory_order_acquire);
    if (known == nullptr) {
      std::lock_guard<std::mutex> guard(mutex_);
      known = only_.load(std::memory_order_relaxed);
      if (known == nullptr) only_.store(known = new Catalogue, std::memory_order_release);
    }
    return *known;
#else
    if (only_ == nullptr) {
      std::lock_guard<std::mutex> guard(mutex_);
      if (only_ == nullptr) only_ = new Catalogue;  // [store]
    }
    return *only_;
#endif
  }
  int shelf(const std::string& title) const {
    const auto found = shelves_.find(title);
    return found == shelves_.end() ? -1 : found->second;
  }

 private:
  Catalogue() {
    shelves_["maps"] = 1;
    shelves_["novels"] = 2;
  }
  std::map<std::string, int> shelves_;
  static std::mutex mutex_;
#ifdef FIXED
  static std::atomic<Catalogue*> only_;
#else
  static Catalogue* only_;
#endif
};

std::mutex Catalogue::mutex_;
#ifdef FIXED
std::atomic<Catalogue*> Catalogue::only_{nullptr};
#else
Catalogue* Catalogue::only_ = nullptr;
#endif

int main() {
  std::thread one([] { std::printf("%d\n", Catalogue::get().shelf("maps")); });
  std::thread other([] { std::printf("%d\n", Catalogue::get().shelf("novels")); });
  one.join();
  other.join();
}
