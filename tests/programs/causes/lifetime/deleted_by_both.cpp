// An answer and its time-out both find the request, and both delete it.
// cause: double-free
// object: Request
// never: shared_ptr
// also: -O0
// also: -O2
#include <atomic>
#include <string>
#include <thread>

struct Request {
  std::string body = "a text that is too long for the object itself";
};

std::atomic<Request*> pending;

void finish() {
#ifdef FIXED
  delete pending.exchange(nullptr);
#else
  if (Request* own = pending.load()) {
    delete own;  // [first] [last]
    pending.store(nullptr);
  }
#endif
}

int main() {
  pending = new Request;
  std::thread answer(finish);
  std::thread late(finish);
  answer.join();
  late.join();
}
