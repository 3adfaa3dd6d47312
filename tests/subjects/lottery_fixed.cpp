// lottery.cpp with its bug fixed: a player holds the lock until it has read its number.
#include <cstdlib>
#include <mutex>
#include <thread>

class Lottery {
 public:
  unsigned play(unsigned seed) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    draw(seed);
    return present();
  }

  static unsigned number_of(unsigned seed) { return (seed * 1103515245U + 12345U) >> 8; }

 private:
  void draw(unsigned seed) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    number_ = number_of(seed);
  }

  unsigned present() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    return number_;
  }

  std::recursive_mutex mutex_;
  unsigned number_ = 0;
};

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  Lottery lottery;
  auto play = [&](unsigned first, int& strikes) {
    for (unsigned i = 0; i < rounds; ++i) {
      if (lottery.play(first + i) != Lottery::number_of(first + i)) ++strikes;
    }
  };
  int strikes[2] = {};
  std::thread one([&] { play(1000, strikes[0]); });
  std::thread two([&] { play(5000, strikes[1]); });
  one.join();
  two.join();
  return strikes[0] + strikes[1] == 0 ? 0 : 1;
}
