// A robot's position is two atomic numbers; who reads them between the two writes finds it where it
// never was. No thread fails by that: it is noticed at the end.
// cause: torn-pair
// object: robot.x
// says: guard both with one mutex
// never: wait before
#include <atomic>
#include <cstdio>
#include <thread>

struct Robot {
  std::atomic<int> x{1};
  std::atomic<int> y{1};

  void move_to(int at) {
#ifdef FIXED
    place = at;
#else
    x = at;
    y = at;
#endif
  }
  int off_track() const {
#ifdef FIXED
    return 0 * place;
#else
    const int here = x;    // [first]
    return here - int(y);  // [last]
#endif
  }
#ifdef FIXED
  std::atomic<int> place{1};
#endif
} robot;

int main() {
  int seen = 0;
  std::thread drive([] {
    for (int at = 2; at < 5; ++at) robot.move_to(at);
  });
  std::thread watch([&] {
    for (int i = 0; i < 2; ++i) seen += robot.off_track() == 0 ? 0 : 1;
  });
  drive.join();
  watch.join();
  if (seen != 0) std::puts("off the track");
  return seen == 0 ? 0 : 1;
}
