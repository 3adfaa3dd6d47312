// expect: passed
// Two threads deliver messages. They give up the lock while a listener runs, and whoever takes a
// listener away waits until no delivery to it is under way.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

struct Listener {
  std::function<void(const std::string&)> hear;
  int running = 0;
  bool gone = false;
};

std::mutex mutex;
std::condition_variable work, quiet;
std::vector<std::shared_ptr<Listener>> listeners;
std::deque<std::string> messages;
bool stopping = false;

void dispatch() {
  std::unique_lock lock(mutex);
  for (;;) {
    work.wait(lock, [] { return stopping || !messages.empty(); });
    if (messages.empty()) return;
    const std::string message = std::move(messages.front());
    messages.pop_front();
    const auto now = listeners;
    for (const auto& listener : now) {
      if (listener->gone) continue;
      ++listener->running;
      lock.unlock();
      listener->hear(message);
      lock.lock();
      if (--listener->running == 0) quiet.notify_all();
    }
  }
}

void take_away(const std::shared_ptr<Listener>& listener) {
  std::unique_lock lock(mutex);
  listeners.erase(std::find(listeners.begin(), listeners.end(), listener));
  listener->gone = true;
  quiet.wait(lock, [&] { return listener->running == 0; });
}

void publish(const std::string& message) {
  const std::lock_guard lock(mutex);
  messages.push_back(message);
  work.notify_one();
}

int main() {
  std::mutex heard_mutex;
  bool open = true;
  const auto hear = [&](const std::string&) {
    const std::lock_guard lock(heard_mutex);
    CHECK(open);
  };
  auto first = std::make_shared<Listener>(Listener{hear});
  listeners = {first, std::make_shared<Listener>(Listener{[](const std::string&) {}})};
  std::thread one(dispatch), other(dispatch);
  std::thread publisher([] { publish("a long message that does not fit into a string itself"); });
  publish("another long message that does not fit into a string");
  take_away(first);
  {
    const std::lock_guard lock(heard_mutex);
    open = false;
  }
  first.reset();
  publisher.join();
  {
    const std::lock_guard lock(mutex);
    stopping = true;
    work.notify_all();
  }
  one.join();
  other.join();
}
