// A sequence lock whose number is odd while the writer writes.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<unsigned> sequence = 0;
std::atomic<int> left = 0, right = 0;

int main() {
  std::thread writer([] {
    for (int i = 1; i <= 2; ++i) {
      sequence.fetch_add(1);
      left = i;
      right = i;
      sequence.fetch_add(1);
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
