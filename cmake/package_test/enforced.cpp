// Events by hand, with a compiler that weaves nothing: the second thread waits until the first has
// left.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "one_user_mop.hpp"
#include "resource.hpp"

int main() {
  Resource resource;
  std::atomic<bool> entered{false};
  mop::OneUser::enter(&resource, RADDLE_HERE);
  resource.enter();
  std::thread other([&] {
    mop::OneUser::enter(&resource, RADDLE_HERE);
    entered = true;
    resource.enter();
    resource.leave();
    mop::OneUser::leave(&resource);
  });
  // However slow the machine is, nobody enters in this time.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const bool too_early = entered;
  resource.leave();
  mop::OneUser::leave(&resource);
  other.join();
  mop::OneUser::destroyed_r(&resource);
  if (too_early || !entered || resource.users != 0) std::puts("OneUser was not enforced");
  return too_early || !entered || resource.users != 0 ? 1 : 0;
}
