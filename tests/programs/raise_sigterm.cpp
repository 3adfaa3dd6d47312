// expect: crash
// seeds: 20
// native: no
// message: 15|SIGTERM
// A thread ends the process with a signal that has no handler.
#include <csignal>
#include <thread>

int main() {
  std::thread thread([] { std::raise(SIGTERM); });
  thread.join();
}
