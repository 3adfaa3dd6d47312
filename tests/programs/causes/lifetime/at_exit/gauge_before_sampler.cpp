// Two static objects: the sampler, made first, has a thread that reads the gauges. They are gone
// when the sampler's destructor stops the thread: what is made last ends first.
// cause: use-after-destruction
// object: Gauges
// says: in the reverse order
// never: let main wait
// never: let T0 wait
// causes: 1
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Gauges {
 public:
  ~Gauges() { ready_ = false; }  // [first]
  int level() {
    assert(ready_);  // [last]
    return level_;
  }

 private:
  std::atomic<bool> ready_{true};
  std::atomic<int> level_{3};
};

static Gauges& gauges() {
  static Gauges all;
  return all;
}

class Sampler {
 public:
  Sampler() {
#ifdef FIXED
    gauges();
#endif
    thread_ = std::thread([this] { sample(); });
  }
  ~Sampler() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  void ask() {
    {
      const std::lock_guard lock(mutex_);
      asked_ = true;
    }
    wake_.notify_one();
  }

 private:
  void sample() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return asked_ || stop_; });
      if (!asked_) return;
      asked_ = false;
      lock.unlock();
      last_ = gauges().level();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool asked_ = false;
  bool stop_ = false;
  int last_ = 0;
  std::thread thread_;
};

static Sampler& sampler() {
  static Sampler one;
  return one;
}

int main() {
  sampler();
  gauges();
  sampler().ask();
}
