// A sequence lock whose writer counts only at the end. A reader that comes in between sees an even
// number before and after, and halves of two states.
#include <cassert>
#include <thread>

volatile unsigned sequence = 0;
volatile int left = 0, right = 0;

int main() {
  std::thread writer([] {
    for (int i = 1; i <= 2; ++i) {
      left = i;
      right = i;
      sequence = sequence + 2;
    }
  });
  std::thread reader([] {
    unsigned before;
    int a, b;
    do {
      before = sequence;
      a = left;
      b = right;
    } while ((before & 1) != 0 || sequence != before);
    assert(a == b);
  });
  writer.join();
  reader.join();
}
