// The waiter sees the flag, returns, and its condition is gone when the other thread signals it.
// cause: use-after-free
// object: Request
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Request {
  std::mutex mutex;
  std::condition_variable answered;
  bool done = false;
  int served_by = 0;
  ~Request() { served_by = -1; }
};

void answer(Request* request, int server) {
  {
    const std::lock_guard lock(request->mutex);
    request->done = true;
    request->served_by = server;
  }
  request->answered.notify_one();
  assert(request->served_by == server);  // [last]
}

int main() {
  auto* request = new Request;
  std::thread server(answer, request, 4);
  {
    std::unique_lock lock(request->mutex);
    while (!request->done) request->answered.wait(lock);
  }
#ifdef FIXED
  server.join();
  delete request;
#else
  delete request;  // [first]
  server.join();
#endif
}
