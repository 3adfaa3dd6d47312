// The constructor of the class below starts a thread that calls a function of the class above,
// which is made only after that.
// cause: used-while-made
// object: bars
// seen: start T1 when all of bars is made, not at chart_before_it_is_drawn.cpp:
// never: (vptr)
// shows: calls a function of bars
#include <thread>

class Chart {
 public:
  Chart() {
#ifndef FIXED
    start();
#endif
  }
  virtual ~Chart() = default;
  void start() {
    drawing_ = std::thread([this] { height_ = draw(); });  // [first]
  }
  int height() {
    drawing_.join();
    return height_;
  }

 protected:
  virtual int draw() = 0;

 private:
  std::thread drawing_;
  int height_ = 0;
};

class Bars : public Chart {  // [last]
 protected:
  int draw() override { return 7; }
};

int main() {
  Bars bars;
#ifdef FIXED
  bars.start();
#endif
  return bars.height() == 7 ? 0 : 1;
}
