// A clock asks each of its displays whether it is still there and then calls it: the display is
// switched off in between, and its method has no object to work on.
// cause: check-then-act
// object: std::weak_ptr or clock.displays_
// says: as its last owner
// seen: call lock() once
// also: -O0
// also: -O2
#include <memory>
#include <thread>
#include <vector>

class Display {
 public:
  [[gnu::noinline]] void show(int now) { shown_ = shown_ * 60 + now; }

 private:
  int shown_ = 0;
};

class Clock {
 public:
  void add(const std::shared_ptr<Display>& display) { displays_.push_back(display); }
  void tick(int now) {
    for (const std::weak_ptr<Display>& display : displays_) {
#ifdef FIXED
      if (const std::shared_ptr<Display> alive = display.lock()) alive->show(now);
#else
      if (display.expired()) continue;  // [first]
      display.lock()->show(now);        // [last]
#endif
    }
  }

 private:
  std::vector<std::weak_ptr<Display>> displays_;
};

int main() {
  Clock clock;
  auto hall = std::make_shared<Display>();
  auto door = std::make_shared<Display>();
  clock.add(hall);
  clock.add(door);
  std::thread ticker([&] { clock.tick(7); });
  std::thread switched_off([&] { door.reset(); });
  ticker.join();
  switched_off.join();
}
