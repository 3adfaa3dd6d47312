// A detached thread writes to a log that is destroyed when main has returned.
// cause: use-after-destruction
// object: Log
// says: after main had returned
// never: does not.
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Log {
  std::mutex mutex;
  std::unique_ptr<std::vector<std::string>> lines = std::make_unique<std::vector<std::string>>();

  void add(const char* line) {
    std::lock_guard<std::mutex> hold(mutex);
    lines->emplace_back(line);  // [last]
  }
  ~Log() {
    std::lock_guard<std::mutex> hold(mutex);
    lines.reset();
  }  // [first]
};

Log journal;

int main() {
  std::thread beat([] { journal.add("alive, and writing a line that is long"); });
#ifdef FIXED
  beat.join();
#else
  beat.detach();
#endif
  journal.add("main");
}
