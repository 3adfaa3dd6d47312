// The thread that a constructor starts calls what the class below does, not yet what the class
// above makes of it.
// cause: used-while-made
// object: echo
// seen: or start T1 after that
// never: (vptr)
// shows: calls a function of echo
#include <cassert>
#include <thread>

class Worker {
 public:
  Worker() {
#ifndef FIXED
    start();
#endif
  }
  virtual ~Worker() = default;
  void start() {
    thread_ = std::thread([this] { answer_ = answer(); });  // [last]
  }
  int wait() {
    thread_.join();
    return answer_;
  }
  virtual int answer() { return 0; }

 private:
  std::thread thread_;
  int answer_ = 0;
};

class Echo : public Worker {
 public:
  int answer() override { return 7; }
};

int main() {
  Echo echo;  // [first]
#ifdef FIXED
  echo.start();
#endif
  const int answer = echo.wait();
  assert(answer == 7);
}
