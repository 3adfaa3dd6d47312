// A semaphore that is to keep others out begins with two permits.
// cause: lost-update
// object: printer.pages
// says: it has room for more than one
// never: No lock
#include <cassert>
#include <semaphore>
#include <thread>

struct Printer {
#ifdef FIXED
  std::counting_semaphore<4> free{1};
#else
  std::counting_semaphore<4> free{2};
#endif
  int pages = 0;

  void print(int more) {
    free.acquire();
    const int before = pages;  // [first]
    pages = before + more;     // [last]
    free.release();
  }
} printer;

int main() {
  std::thread other([] { printer.print(3); });
  printer.print(5);
  other.join();
  assert(printer.pages == 8);
}
