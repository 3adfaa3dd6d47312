// Two threads use one shared_ptr variable: one copies it while the other assigns it.
// cause: raced-shared-ptr
// object: current
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Route {
  int hops = 3;
  ~Route() { hops = 0; }
};

std::mutex mutex;
std::shared_ptr<const Route> current = std::make_shared<Route>();

void reload() {
  auto fresh = std::make_shared<Route>();
#ifdef FIXED
  const std::lock_guard lock(mutex);
#endif
  current = fresh;  // [last]
}

std::shared_ptr<const Route> route() {
#ifdef FIXED
  const std::lock_guard lock(mutex);
#endif
  return current;  // [first]
}

int main() {
  std::thread loader(reload);
  assert(route()->hops == 3);
  loader.join();
}
