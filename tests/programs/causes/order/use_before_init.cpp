// The constructor starts the thread before it has set what the thread uses.
// cause: used-before-init
// object: monitor.limit_
#include <cassert>
#include <thread>

class Monitor {
 public:
  explicit Monitor(int limit) {
#ifdef FIXED
    limit_ = limit;
    thread_ = std::thread([this] { watch(); });
#else
    thread_ = std::thread([this] { watch(); });
    limit_ = limit;  // [last]
#endif
  }
  ~Monitor() { thread_.join(); }

 private:
  void watch() {
    assert(limit_ > 0);  // [first]
  }
  int limit_ = 0;
  std::thread thread_;
};

int main() { Monitor monitor(90); }
