// Two threads count without a lock: an increment between another's read and write is lost.
#include <cassert>
#include <thread>

int main() {
  int counter = 0;
  auto count = [&counter] {
    for (int i = 0; i < 3; ++i) counter = counter + 1;
  };
  std::thread first(count), second(count);
  first.join();
  second.join();
  assert(counter == 6);
}
