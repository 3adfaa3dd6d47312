// expect: exit
// seeds: 20
// native: no
// message: 3
// exit(3) in a thread while main waits for it.
#include <cstdlib>
#include <thread>

int main() {
  std::thread thread([] { std::exit(3); });
  thread.join();
}
