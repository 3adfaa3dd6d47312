// A semaphore that is to keep others out begins with two permits. The twin counts with one of
// POSIX: libstdc++'s may lose a wake-up, which is no fault of this program.
// cause: lost-update
// object: printer.pages
// says: it has room for more than one
// never: No lock
#include <semaphore.h>

#include <cassert>
#include <semaphore>
#include <thread>

#ifdef FIXED
struct OneAtATime {
  OneAtATime() { sem_init(&place, 0, 1); }
  void acquire() { sem_wait(&place); }
  void release() { sem_post(&place); }
  sem_t place;
};
#endif

struct Printer {
#ifdef FIXED
  OneAtATime free;
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
