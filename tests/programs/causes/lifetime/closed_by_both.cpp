// Two threads look whether there is a file, use it, delete it and forget it, without a lock: what
// one deletes the other uses. Whoever owned it as well would close it again: the look and the rest
// belong together.
// cause: use-after-free
// object: log.file_
// says: guard log.file_ with a mutex
// never: shared_ptr
// never: would not do
#include <cstdlib>
#include <mutex>
#include <thread>

struct File {
  int handle = 4;
  int written = 0;
};

class Log {
 public:
  void close() {
#ifdef FIXED
    const std::lock_guard lock(mutex_);
#endif
    if (file_ != nullptr) {
      if (file_->handle != 4) std::abort();  // [last]
      delete file_;                          // [first]
      file_ = nullptr;
    }
  }

 private:
  std::mutex mutex_;
  File* file_ = new File;
} log;

int main() {
  std::thread other([] { log.close(); });
  log.close();
  other.join();
}
