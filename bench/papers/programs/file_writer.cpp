// bug: File::
// A record of a file is begun by one thread and ended by another (FileWriter; Hammer et al. 2008,
// Table 1: units of work span several threads, so the paper's tool misses the bug). The records of
// two pairs of threads get mixed up. FIXED: whoever begins a record waits until no other is open.
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

class File {
 public:
  void begin(char who) {
    std::unique_lock<std::mutex> lock(mutex_);
#ifdef FIXED
    changed_.wait(lock, [&] { return open_ == 0; });
#endif
    open_ = who;
    text_ += who;
  }
  void end(char who) {
    const std::lock_guard<std::mutex> lock(mutex_);
    text_ += who;
    open_ = 0;
    changed_.notify_all();
  }
  std::string text() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  char open_ = 0;
  std::string text_;
};

int main() {
  File file;
  const auto write = [&](char who) {
    file.begin(who);
    std::thread ender([&, who] { file.end(who); });
    ender.join();
  };
  std::thread first(write, 'a');
  std::thread second(write, 'b');
  first.join();
  second.join();
  const std::string text = file.text();
  return text == "aabb" || text == "bbaa" ? 0 : 1;
}
