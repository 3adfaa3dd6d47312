// bug: Lottery::
// paper: 004 Table 1, Lottery
// seen by: atomic-set
// seen with functions: atomicity, serializability
//
// A number is drawn into a field of the lottery, and then read from there for the player. Each of
// the two steps holds the lock, but not both together: another player's number may come between,
// and both get the same.
#include <cstdlib>
#include <mutex>
#include <thread>

class Lottery {
 public:
  unsigned play(unsigned seed) {
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
