// A thread is started before the flag is set that it looks at, and ends at once.
// cause: came-too-early
// object: service.running_
// never: let T0 wait for that write
#include <atomic>
#include <cassert>
#include <thread>

class Service {
 public:
  void start() {
#ifdef FIXED
    running_ = true;
    thread_ = std::thread([this] { run(); });
#else
    thread_ = std::thread([this] { run(); });
    running_ = true;  // [last]
#endif
  }
  void stop() { thread_.join(); }
  int ticks() const { return ticks_; }

 private:
  void run() {
    while (running_ && ticks_ < 2) ++ticks_;  // [first]
  }
  std::atomic<bool> running_{false};
  std::atomic<int> ticks_{0};
  std::thread thread_;
};

int main() {
  Service service;
  service.start();
  service.stop();
  assert(service.ticks() == 2);
}
