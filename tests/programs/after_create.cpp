// expect: passed | assertion
// options: --decide all
// message: limit
// The program starts a thread before the value that it needs is there. Only a switch between the
// creation and the creator's next operation shows that.
#include <cassert>
#include <thread>

static int limit = 0;

int main() {
  std::thread reader([] { assert(limit == 10); });  // fails here
  limit = 10;
  reader.join();
}
