// Threads that get from and put into a box (delays.mop). The argument says how.
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "box.hpp"

namespace {

Box box;
std::mutex mutex;

// Nothing orders the two.
void free_order() {
  std::thread getter([] {
    box.get();
    box.get();
  });
  std::thread putter([] { box.put(); });
  getter.join();
  putter.join();
}

// The program itself gets first.
void ordered() {
  std::thread getter([] { box.get(); });
  getter.join();
  std::thread putter([] { box.put(); });
  putter.join();
}

// One thread alone does it the wrong way round.
void backwards() {
  std::thread putter([] {
    box.put();
    box.get();
  });
  putter.join();
}

// If the putter takes the lock first, holding it back helps nobody.
void under_lock() {
  std::thread getter([] {
    const std::lock_guard guard(mutex);
    box.get();
  });
  std::thread putter([] {
    const std::lock_guard guard(mutex);
    box.put();
  });
  getter.join();
  putter.join();
}

// The getter comes later, but it comes.
void sleeping() {
  std::thread getter([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    box.get();
  });
  std::thread putter([] { box.put(); });
  getter.join();
  putter.join();
}

}  // namespace

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (std::strcmp(how, "free") == 0) free_order();
  if (std::strcmp(how, "ordered") == 0) ordered();
  if (std::strcmp(how, "backwards") == 0) backwards();
  if (std::strcmp(how, "under-lock") == 0) under_lock();
  if (std::strcmp(how, "sleeping") == 0) sleeping();
  return 0;
}
