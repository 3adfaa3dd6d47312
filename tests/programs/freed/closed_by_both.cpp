// Two threads close one handle without a lock. Who comes between the other's steps meets freed
// memory at once, and the execution is over: that the pointer is read and cleared at several places
// races only where one comes a little earlier or later.
#include <cstdio>
#include <mutex>
#include <thread>

struct Device {
  int number = 4;
  char buffer[60] = "";
};

class Handle {
 public:
  ~Handle() { close(); }

  void close() {
#ifdef FIXED
    const std::lock_guard<std::mutex> lock(mutex_);
#endif
    if (device_ == nullptr) return;
    std::printf("closing %d\n", device_->number);
    delete device_;
    device_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Device* device_ = new Device;
};

#ifdef GLOBAL  // its block is older than all that is recorded
static Handle handle;
#endif

int main() {
#ifndef GLOBAL
  Handle handle;
#endif
  std::thread one([&] { handle.close(); });
  std::thread two([&] { handle.close(); });
  one.join();
  two.join();
}
