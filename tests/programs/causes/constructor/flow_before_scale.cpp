// The constructor starts the meter, and then sets the scale that the meter has used by then:
// main() finds a wrong total.
// cause: used-before-init
// object: Pump::scale_
// says: Pump::Pump, which makes the object, had started T1 before that
#include <cassert>
#include <memory>
#include <thread>

class Pump {
 public:
  explicit Pump(int scale) {
#ifdef FIXED
    scale_ = scale;
    meter_ = std::thread([this] { measure(); });
#else
    meter_ = std::thread([this] { measure(); });
    scale_ = scale;  // [last]
#endif
  }
  int total() {
    meter_.join();
    return total_;
  }

 private:
  void measure() {
    const int scale = scale_;  // [first]
    if (scale > 0) total_ = 6 * scale;
  }

  int scale_ = 1;
  int total_ = 0;
  std::thread meter_;
};

int main() {
  const auto pump = std::make_unique<Pump>(10);
  assert(pump->total() == 60);
}
