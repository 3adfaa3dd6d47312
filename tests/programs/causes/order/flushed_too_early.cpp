// The destructor writes out what there is before it waits for the thread that adds to it.
// cause: came-too-early
// object: recorder.lines_
// never: acted on an old value
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

std::size_t flushed = 0;

class Recorder {
 public:
  Recorder() : thread_([this] { work(); }) {}
  ~Recorder() {
#ifdef FIXED
    thread_.join();
    flush();
#else
    flush();
    thread_.join();
#endif
  }

 private:
  void work() {
    for (int i = 0; i < 2; ++i) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(i);  // [last]
    }
  }
  void flush() {
    const std::lock_guard lock(mutex_);
    flushed = lines_.size();  // [first]
  }
  std::mutex mutex_;
  std::vector<int> lines_;
  std::thread thread_;
};

int main() {
  {
    Recorder recorder;
  }
  assert(flushed == 2);
}
