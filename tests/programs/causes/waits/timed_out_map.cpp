// A request gives up waiting for its answer and takes what is there: operator[] makes an empty one.
// cause: gave-up-waiting
// object: desk.answers_
// says: look at what the wait
// never: lock is used
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

using namespace std::chrono_literals;

class Desk {
 public:
  std::string ask(int number) {
    std::unique_lock lock(mutex_);
    questions_.push_back(number);
    asked_.notify_one();
    const bool there =
        answered_.wait_for(lock, 5ms, [&] { return answers_.count(number) != 0; });  // [first]
#ifdef FIXED
    if (!there) return "no answer";
#else
    (void)there;
#endif
    std::string answer = answers_[number];  // [last]
    answers_.erase(number);
    return answer;
  }
  void answer() {
    std::unique_lock lock(mutex_);
    asked_.wait(lock, [&] { return !questions_.empty(); });
    const int number = questions_.front();
    questions_.pop_front();
    lock.unlock();
    std::this_thread::sleep_for(8ms);
    lock.lock();
    answers_[number] = "yes";
    answered_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable asked_, answered_;
  std::deque<int> questions_;
  std::map<int, std::string> answers_;
};

int main() {
  Desk desk;
  std::thread clerk([&] { desk.answer(); });
  const std::string answer = desk.ask(7);
  assert(!answer.empty());
  clerk.join();
}
