// A guest waits for an answer for a short time, gives up and leaves the table. The waiter writes
// the answer on what was the guest's plate.
// cause: use-after-return
// object: answer
// says: is a local variable of ask
// seen: wait for T1 before ask returns
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Bell {
  std::mutex mutex;
  std::condition_variable rings;
  bool rung = false;
};

static Bell bell;

static int ask() {
  int answer = 0;
#ifdef FIXED
  std::thread waiter([&] {
#else
  std::thread([&] {
#endif
    const std::lock_guard lock(bell.mutex);
    answer = 7;  // [last]
    bell.rung = true;
    bell.rings.notify_one();
#ifdef FIXED
  });
  waiter.join();
#else
  }).detach();
#endif
  std::unique_lock lock(bell.mutex);
  if (!bell.rings.wait_for(lock, std::chrono::milliseconds(5), [] { return bell.rung; })) return -1;
  return answer;
}  // [first]

int main() {
  const int answer = ask();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return answer == 7 || answer == -1 ? 0 : 1;
}
