// A request that comes after the service was closed is dropped, and its promise with it.
// cause: came-too-early
// object: service.request_
#include <cassert>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

class Service {
 public:
  std::future<int> ask() {
    std::promise<int> answer;
    std::future<int> result = answer.get_future();
    const std::lock_guard lock(mutex_);
#ifdef FIXED
    if (closed_) answer.set_value(42);
#endif
    if (!closed_) request_ = std::move(answer);  // [last]
    return result;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (request_) request_->set_value(42);  // [first]
  }

 private:
  std::mutex mutex_;
  bool closed_ = false;
  std::optional<std::promise<int>> request_;
};

int main() {
  Service service;
  std::thread closer([&] { service.close(); });
  std::future<int> answer = service.ask();
  closer.join();
  assert(answer.get() == 42);
}
