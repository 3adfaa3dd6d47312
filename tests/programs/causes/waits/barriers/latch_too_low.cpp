// A latch is made for one thread less than count it down: a wait ends too early, or never.
// cause: made-for-too-few
// object: loaded
// says: was made with 2
// never: wait for that write
// also: -O0
// also: -O2
#include <cassert>
#include <latch>
#include <thread>

int rows[3];

int main() {
#ifdef FIXED
  std::latch loaded(3);
#else
  std::latch loaded(2);  // [first]
#endif
  const auto load = [&](int table) {
    rows[table] = table + 1;
    loaded.count_down();
  };
  std::thread one(load, 0);
  std::thread two(load, 1);
  std::thread three(load, 2);
  loaded.wait();  // [last]
  const int sum = rows[0] + rows[1] + rows[2];
  one.join();
  two.join();
  three.join();
  assert(sum == 6);
}
