// expect: passed
// output: 6 requests, 60 bytes
// Two counters under one lock, each raised by a call of its own. A reader in between sees a request
// without its bytes, which statistics may show.
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

namespace {

class Stats {
 public:
  void add_request() {
    std::lock_guard<std::mutex> hold(mutex_);
    ++requests_;
  }
  void add_bytes(long bytes) {
    std::lock_guard<std::mutex> hold(mutex_);
    bytes_ += bytes;
  }
  std::pair<long, long> read() {
    std::lock_guard<std::mutex> hold(mutex_);
    return {requests_, bytes_};
  }

 private:
  std::mutex mutex_;
  long requests_ = 0, bytes_ = 0;
};

Stats stats;
long highest;

void serve() {
  stats.add_request();
  stats.add_bytes(10);
}

void server() {
  for (int i = 0; i < 3; ++i) serve();
}

void monitor() {
  for (int i = 0; i < 2; ++i) {
    const std::pair<long, long> seen = stats.read();
    if (seen.first > highest) highest = seen.first;
  }
}

}  // namespace

int main() {
  std::thread one(server), two(server), third(monitor);
  one.join();
  two.join();
  third.join();
  const std::pair<long, long> end = stats.read();
  std::printf("%ld requests, %ld bytes\n", end.first, end.second);
  return highest <= end.first ? 0 : 1;
}
