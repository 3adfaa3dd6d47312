// Built by raddle-c++: check() also switches threads between two atomic operations.
#include <atomic>
#include <cstdio>
#include <raddle/check.hpp>
#include <thread>

namespace {

// Two threads draw numbers, and must not draw the same one.
template <class Draw>
bool draws_twice(Draw draw) {
  try {
    raddle::check([&] {
      std::atomic<int> next{0};
      int a = 0;
      std::thread other([&] { a = draw(next); });
      const int b = draw(next);
      other.join();
      if (a == b) throw std::runtime_error("the same number twice");
    });
    return false;
  } catch (const raddle::CheckFailed& failure) {
    std::printf("%s\n", failure.what());
    return true;
  }
}

}  // namespace

int main() {
  const bool right = draws_twice([](std::atomic<int>& next) { return next.fetch_add(1); });
  const bool wrong = draws_twice([](std::atomic<int>& next) {
    const int mine = next.load();
    next.store(mine + 1);
    return mine;
  });
  return !right && wrong ? 0 : 1;
}
