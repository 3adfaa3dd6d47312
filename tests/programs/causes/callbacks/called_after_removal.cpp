// A handler is called after it was taken off the list: the list was copied before, and unlocked.
// cause: came-between
// object: window.shut
// says: In one execution in which T0 went on before both steps of T1
// also: -O0
#include <cassert>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

struct Window {
  bool shut = false;
};
Window window;
std::mutex mutex;
std::mutex state;
std::vector<std::function<void()>> handlers;

void draw() {
  std::lock_guard<std::mutex> lock(state);
  assert(!window.shut);  // [last]
}

void remove() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    handlers.clear();
  }
  std::lock_guard<std::mutex> lock(state);
  window.shut = true;
}

void emit() {
#ifdef FIXED
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto& handler : handlers) handler();
#else
  std::vector<std::function<void()>> copy;
  {
    std::lock_guard<std::mutex> lock(mutex);
    copy = handlers;  // [first]
  }
  for (const auto& handler : copy) handler();
#endif
}

int main() {
  handlers.push_back(draw);
  std::thread source(emit);
  remove();
  source.join();
}
