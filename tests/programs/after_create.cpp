// expect: passed | assertion
// options: --decide all
// message: limit
// A thread is started before what it needs is there: only a switch between its creation and the
// creator's next operation shows that.
#include <cassert>
#include <thread>

static int limit = 0;

int main() {
  std::thread reader([] { assert(limit == 10); });  // fails here
  limit = 10;
  reader.join();
}
