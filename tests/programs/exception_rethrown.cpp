// expect: exception
// seeds: 20
// native: no
// message: std::runtime_error.*the disk is full
// The exception of a task comes out of its future, and no function catches it there.
#include <future>
#include <stdexcept>

int save() { throw std::runtime_error("the disk is full"); }

int main() {
  std::future<int> saved = std::async(std::launch::async, save);
  return saved.get();  // fails here
}
