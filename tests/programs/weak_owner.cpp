// expect: passed
// One thread gives up the owner of an object while another asks for it through a weak pointer.
// libstdc++ loads both counts of the control block at once and then clears them plainly: the load
// is wider than the operation of the other thread, and is ordered by it all the same.
#include <memory>
#include <thread>

#include "check.h"

int main() {
  for (int round = 0; round < 2; ++round) {
    auto session = std::make_shared<int>(7);
    std::thread visitor([seen = std::weak_ptr<int>(session)]() mutable {
      if (const std::shared_ptr<int> held = seen.lock()) CHECK(*held == 7);
      seen.reset();
    });
    session.reset();
    visitor.join();
  }
}
