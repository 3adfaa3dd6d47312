// The thread of a base class calls a virtual function until it is told to stop. Where only the base
// class's destructor waits for it, the object is no longer a Lamp by then.
// cause: use-after-free
// object: block
// seen: before members of the object are destroyed
// causes: 2
// never: guard both
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

class Device {
 public:
  virtual ~Device() { stop(); }
  void start() {
    thread_ = std::thread([this] {
      for (int i = 0; i < 2 && !stopped_; ++i) step();
    });
  }

 protected:
  virtual void step() {}
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

class Lamp : public Device {
 public:
  Lamp() : levels_{1, 2, 3} {}
  ~Lamp() override {
#ifdef FIXED
    stop();
#endif
  }  // [first]

 private:
  void step() override { shown_ += levels_.at(1); }  // [last]
  std::vector<int> levels_;
  int shown_ = 0;
};

int main() {
  Lamp lamp;
  lamp.start();
}
