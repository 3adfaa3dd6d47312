// A packer says that the parcel is ready, under the lock, and then labels it; the courier who saw
// that takes it without a label.
// cause: unsafe-publication
// object: parcel.labelled
// says: last, after all that it makes known
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Parcel {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::atomic<bool> labelled{false};

  void pack() {
#ifdef FIXED
    labelled = true;
#endif
    {
      const std::lock_guard lock(mutex);
      ready = true;  // [first]
    }
    changed.notify_one();
#ifndef FIXED
    labelled = true;
#endif
  }
  void await() {
    std::unique_lock lock(mutex);
    while (!ready) changed.wait(lock);
  }
  void take() const {
    assert(labelled);  // [last]
  }
} parcel;

int main() {
  std::thread packer([] { parcel.pack(); });
  std::thread courier([] {
    parcel.await();
    parcel.take();
  });
  packer.join();
  courier.join();
}
