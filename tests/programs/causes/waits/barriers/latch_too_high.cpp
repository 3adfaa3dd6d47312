// A latch counts one thread more than arrive.
// cause: unreached-value
// object: done
// says: left it at 1
#include <latch>
#include <thread>

int main() {
#ifdef FIXED
  std::latch done(2);
#else
  std::latch done(3);
#endif
  std::thread one([&] { done.count_down(); });
  std::thread two([&] {
    one.join();
    done.count_down();  // [first]
  });
  done.wait();  // [last]
  two.join();
}
