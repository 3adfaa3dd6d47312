// Two servers are asked, and whoever answers first is believed. The other one's answer goes to what
// was the first question's place on the stack, where the second question is by then.
// cause: use-after-return
// object: reply
// says: which T0 has left
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Reply {
  std::mutex mutex;
  std::condition_variable arrived;
  bool there = false;
  int value = 0;

  void answer(int with) {
    const std::lock_guard lock(mutex);
    if (there) return;  // [last]
    value = with;
    there = true;
    arrived.notify_one();
  }
  int wait() {
    std::unique_lock lock(mutex);
    arrived.wait(lock, [this] { return there; });
    return value;
  }
};

static std::vector<std::thread> servers;

static int ask(int question) {  // [first]
#ifdef FIXED
  auto owned = std::make_shared<Reply>();
  Reply& reply = *owned;
  for (int i = 0; i < 2; ++i)
    servers.emplace_back([owned, question] { owned->answer(question * 10); });
#else
  Reply reply;
  for (int i = 0; i < 2; ++i)
    servers.emplace_back([&reply, question] { reply.answer(question * 10); });
#endif
  return reply.wait();
}

int main() {
  const int first = ask(1);
  const int second = ask(2);
  assert(first == 10);
  assert(second == 20);
  for (std::thread& server : servers) server.join();
}
