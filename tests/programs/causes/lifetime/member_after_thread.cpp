// The thread is a member before the one that it reads: it runs while that is not made yet.
// cause: used-before-init
// object: poller.limit_
// says: before T1 is started
#include <cassert>
#include <thread>

class Poller {
 public:
  Poller() : worker_([this] { assert(limit_ == 5); }) {}  // [first]
  ~Poller() { worker_.join(); }

 private:
#ifdef FIXED
  int limit_ = 5;
  std::thread worker_;
#else
  std::thread worker_;
  int limit_ = 5;  // [last]
#endif
};

int main() { Poller poller; }
