// The client gives up after a second; the reply arrives, and the next request takes it for its own.
// cause: time-out
// object: mailbox.reply
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Mailbox {
  std::mutex mutex;
  std::condition_variable arrived;
  int request = 0;
  int reply = 0;  // 0: none
} mailbox;
std::thread servers[2];

void answer(int request) {
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  const std::lock_guard lock(mailbox.mutex);
#ifdef FIXED
  if (mailbox.request != request) return;
#endif
  mailbox.reply = request * 10;
  mailbox.arrived.notify_one();
}

int ask(int request) {
  std::unique_lock lock(mailbox.mutex);
  mailbox.request = request;
  mailbox.reply = 0;
  lock.unlock();
  servers[request - 1] = std::thread(answer, request);
  lock.lock();
  const auto answered = [] { return mailbox.reply != 0; };
  mailbox.arrived.wait_for(lock, std::chrono::milliseconds(900), answered);  // [first]
  return mailbox.reply;                                                      // [last]
}

int main() {
  ask(1);
  const int reply = ask(2);
  assert(reply == 20 || reply == 0);
  for (std::thread& server : servers) server.join();
}
