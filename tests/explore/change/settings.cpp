// Settings are loaded once, by whichever thread asks first. The change (settings.patch) drops the
// second look at the pointer as superfluous. Since then two threads that ask at the same time both
// load.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Journal {
 public:
  void write(int what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_ = what;
    ++lines_;
  }

  int lines() const { return lines_; }

 private:
  std::mutex mutex_;
  std::atomic<int> last_ = 0;
  std::atomic<int> lines_ = 0;
};

class Settings {
 public:
  int limit() {
    if (loaded_ == 0) load();
    return limit_;
  }

  int loads() const { return loads_; }

 private:
  void load() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++loads_;
    limit_ = 10;
    loaded_ = 1;
  }

  std::mutex mutex_;
  std::atomic<int> loaded_ = 0;
  std::atomic<int> limit_ = 0;
  std::atomic<int> loads_ = 0;
};

Settings settings;
Journal journal;

void worker() {
  const int limit = settings.limit();
  for (int line = 0; line < 2; ++line) journal.write(limit);
}

int main() {
  std::thread one(worker);
  std::thread two(worker);
  one.join();
  two.join();
  assert(journal.lines() == 4);
  assert(settings.loads() == 1);
}
