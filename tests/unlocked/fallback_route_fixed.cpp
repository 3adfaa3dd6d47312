// Readers take the fallback until the table says that its route is there. The route is read only
// then: a read that the compiler moves before the question would race, and is not in the program.
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
    route_ = route;
    loaded_.store(true, std::memory_order_release);
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
