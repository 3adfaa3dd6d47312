// A mailbox that std::make_shared made: its mutex and its condition are members of Mailbox.
// cause: wait-under-lock
// object: office
// also: -O0
// says: gives back Mailbox::mutex
// shows: waits on filled, gives back Mailbox::mutex
// never: object of a shared_ptr
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

std::mutex office;

struct Mailbox {
  std::mutex mutex;
  std::condition_variable filled;
  int letters = 0;
};

void take(Mailbox& box) {
  std::unique_lock<std::mutex> lock(box.mutex);
  while (box.letters == 0) box.filled.wait(lock);  // [last]
  --box.letters;
}

int main() {
  const auto box = std::make_shared<Mailbox>();
  std::thread reader([box] {
#ifndef FIXED
    std::lock_guard<std::mutex> inside(office);  // [first]
#endif
    take(*box);
  });
  std::thread carrier([box] {
    std::lock_guard<std::mutex> inside(office);
    std::lock_guard<std::mutex> lock(box->mutex);
    ++box->letters;
    box->filled.notify_one();
  });
  reader.join();
  carrier.join();
}
