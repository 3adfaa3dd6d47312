// The answer comes when the client's time is up and its lock is the server's; the client only asks
// how its wait ended.
// cause: missed-at-time-out
// object: desk.answer
// says: look at desk.answer after a time-out, too
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Desk {
  std::mutex mutex;
  std::condition_variable answered;
  int answer = 0;
  bool given_up = false;
} desk;

void serve() {
  const std::lock_guard lock(desk.mutex);
  if (desk.given_up) return;
  desk.answer = 7;
  desk.answered.notify_one();
}

int ask() {
  std::unique_lock lock(desk.mutex);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (desk.answer == 0) {
#ifdef FIXED
    if (desk.answered.wait_until(lock, until) == std::cv_status::timeout && desk.answer == 0) {
#else
    if (desk.answered.wait_until(lock, until) == std::cv_status::timeout) {  // [first] [last]
#endif
      desk.given_up = true;
      return -1;
    }
  }
  return desk.answer;
}

int main() {
  std::thread server(serve);
  const int got = ask();
  server.join();
  assert(got == desk.answer || desk.answer == 0);
}
