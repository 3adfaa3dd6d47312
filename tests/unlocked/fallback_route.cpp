// The table says that its route is there before it is.
#include <atomic>
#include <cassert>
#include <thread>

struct Route {
  int hops = 0;
};

class Table {
 public:
  const Route* find() const {
    if (!loaded_.load(std::memory_order_acquire)) return &fallback_;
    return route_;
  }

  void load(const Route* route) {
    loaded_.store(true, std::memory_order_release);
    route_ = route;
  }

 private:
  std::atomic<bool> loaded_ = false;
  const Route* route_ = nullptr;
  Route fallback_;
};

Table table;
const Route direct{1};

int main() {
  std::thread loader([] { table.load(&direct); });
  std::thread reader([] { assert(table.find() != nullptr); });
  loader.join();
  reader.join();
}
