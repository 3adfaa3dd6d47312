// expect: crash
// seeds: 20
// native: no
// message: (?i)divi|SIGFPE
// A division by zero in a thread.
#include <thread>

volatile int zero = 0, result;

int main() {
  std::thread thread([] {
    result = 7 / zero;  // fails here
  });
  thread.join();
}
