// Who finds the archive closed leaves with the key in his hand; the next one waits for it for ever.
// cause: permit-kept
// object: archive.keys_
// says: without giving it back
// never: came too early
#include <condition_variable>
#include <mutex>
#include <thread>

class Archive {
 public:
  bool visit() {
    take();
    {
      const std::lock_guard lock(shelf_);
      if (closed_) {
#ifdef FIXED
        give_back();
#endif
        return false;
      }
      if (++visits_ == 1) closed_ = true;
    }
    give_back();
    return true;
  }

 private:
  void take() {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [this] { return keys_ > 0; });  // [last]
    --keys_;                                             // [first]
  }
  void give_back() {
    {
      const std::lock_guard lock(mutex_);
      ++keys_;
    }
    returned_.notify_one();
  }

  std::mutex mutex_;
  std::mutex shelf_;
  std::condition_variable returned_;
  int keys_ = 1;
  int visits_ = 0;
  bool closed_ = false;
};

int main() {
  Archive archive;
  std::thread one([&] { archive.visit(); });
  std::thread two([&] { archive.visit(); });
  std::thread three([&] { archive.visit(); });
  one.join();
  two.join();
  three.join();
}
