// expect: crash
// seeds: 20
// native: no
// message: segmentation fault
// A thread follows a null pointer.
#include <thread>

struct Node {
  int value;
};

int read_value(const volatile Node* node) {
  return node->value;  // fails here
}

int main() {
  std::thread thread([] { return read_value(nullptr); });
  thread.join();
}
