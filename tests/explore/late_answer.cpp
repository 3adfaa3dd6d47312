// The answer comes when the time for it is just over: 5 ms and 25 ms are no more than 30 ms.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

using std::chrono::milliseconds;

std::mutex mutex;
std::condition_variable answered;
std::map<int, int> answers;  // by question; 0: not yet

void answer() {
  std::this_thread::sleep_for(milliseconds(5));
  std::this_thread::sleep_for(milliseconds(25));
  const std::lock_guard lock(mutex);
  const auto question = answers.find(1);
#ifdef BROKEN
  assert(question != answers.end());
#else
  if (question == answers.end()) return;
#endif
  question->second = 42;
  answered.notify_one();
}

int main() {
  answers[1] = 0;
  std::thread other(answer);
  {
    std::unique_lock lock(mutex);
    answered.wait_for(lock, milliseconds(30), [] { return answers[1] != 0; });
    answers.erase(1);
  }
  other.join();
}
