// A thread uses what another one has yet to set: seen in executions that pass.
// cause: read-too-early
// object: shared
// says: wait for that write of T1
#include <mutex>
#include <thread>

std::mutex lock;
const volatile int* shared;

int main() {
  std::thread maker([] {
    static int value = 5;
    std::lock_guard<std::mutex> hold(lock);
    shared = &value;  // [last]
  });
#ifdef FIXED
  maker.join();
#endif
  std::thread user([] {
    std::lock_guard<std::mutex> hold(lock);
    return *shared;  // [first]
  });
#ifndef FIXED
  maker.join();
#endif
  user.join();
}
