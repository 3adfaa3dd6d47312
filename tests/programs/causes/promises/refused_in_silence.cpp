// A desk that has closed refuses a request, and does not tell who waits for the answer.
// cause: came-too-early
// object: desk.closed_
// says: gives a promise its value
// says: fulfil the promise on every way
#include <future>
#include <memory>
#include <mutex>
#include <thread>

class Desk {
 public:
  void answer(std::shared_ptr<std::promise<int>> request) {
    std::unique_lock lock(mutex_);
    if (closed_) {  // [last]
#ifdef FIXED
      lock.unlock();
      request->set_value(-1);
#endif
      return;
    }
    lock.unlock();
    request->set_value(42);
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;  // [first]
  }

 private:
  std::mutex mutex_;
  bool closed_ = false;
};

int main() {
  Desk desk;
  auto request = std::make_shared<std::promise<int>>();
  std::future<int> answer = request->get_future();
  std::thread clerk([&] { desk.answer(request); });
  desk.close();
  answer.get();
  clerk.join();
}
