// expect: exception
// seeds: 20
// native: no
// message: std::runtime_error.*the disk is full
// An exception leaves a thread.
#include <stdexcept>
#include <thread>

void save() {
  throw std::runtime_error("the disk is full");  // fails here
}

int main() {
  std::thread thread(save);
  thread.join();
}
