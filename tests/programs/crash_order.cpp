// expect: passed|crash
// native: no
// message: segmentation fault
// One thread uses an object that the other may not have made yet.
#include <mutex>
#include <thread>

std::mutex lock;
const volatile int* shared;

int main() {
  std::thread maker([] {
    static int value = 5;
    std::lock_guard<std::mutex> hold(lock);
    shared = &value;
  });
  std::thread user([] {
    std::lock_guard<std::mutex> hold(lock);
    return *shared;  // fails here
  });
  maker.join();
  user.join();
}
