// expect: assertion
// seeds: 20
// native: no
// abort() in a thread.
#include <cstdlib>
#include <thread>

int main() {
  std::thread thread([] { std::abort(); });  // fails here
  thread.join();
}
