// A loader fills a route table and makes it known by a relaxed store: nothing orders what it wrote
// before.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct Routes {
  std::vector<int> hops;
  int version = 0;
};

class Router {
 public:
  ~Router() { delete current_.load(); }

  void publish() {
    Routes* routes = new Routes;  // [made]
    routes->hops = {1, 2, 3};
    routes->version = 7;
#ifdef FIXED
    current_.store(routes, std::memory_order_release);
#else
    current_.store(routes, std::memory_order_relaxed);  // [store]
#endif
  }

  const Routes* get() const {
#ifdef FIXED
    return current_.load(std::memory_order_acquire);
#else
    return current_.load(std::memory_order_relaxed);  // [load]
#endif
  }

 private:
  std::atomic<Routes*> current_{nullptr};
};

int main() {
  Router router;
  std::thread loader([&] { router.publish(); });
  std::thread server([&] {
    const Routes* routes = router.get();
    if (routes != nullptr && routes->version == 7 && routes->hops.size() == 3) std::puts("served");
  });
  loader.join();
  server.join();
}
