// A line is hung up by whoever is done first, and by both if they are done at the same time: then
// one of them hangs up the line that somebody else has just got by that number.
// cause: check-then-act
// object: line
// never: lost update
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <thread>

struct Call {
  int line = -1;
  std::mutex mutex;

  void hang_up() {
#ifdef FIXED
    const std::lock_guard<std::mutex> lock(mutex);
#endif
    if (line == -1) return;  // [first]
    ::close(line);
    line = -1;  // [last]
  }
};

int main() {
  Call call;
  call.line = ::open("/dev/null", O_WRONLY);
  bool cut = false;
  std::thread caller([&] { call.hang_up(); });
  std::thread callee([&] {
    call.hang_up();
    const int next = ::open("/dev/null", O_WRONLY);
    cut = ::write(next, "hello", 5) != 5;
    ::close(next);
  });
  caller.join();
  callee.join();
  if (cut) std::abort();
}
