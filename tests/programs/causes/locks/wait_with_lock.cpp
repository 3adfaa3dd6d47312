// A reader waits for a letter with the desk locked, and whoever brings letters needs the desk.
// cause: wait-under-lock
// object: desk
// also: -O0
// says: release desk before the wait
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

std::mutex desk;

struct Tray {
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<int> letters;
};
Tray tray;

int take() {
  std::unique_lock<std::mutex> lock(tray.mutex);
  while (tray.letters.empty()) tray.filled.wait(lock);  // [last]
  const int letter = tray.letters.front();
  tray.letters.pop_front();
  return letter;
}

int read_letter() {
#ifndef FIXED
  std::lock_guard<std::mutex> at_desk(desk);  // [first]
#endif
  return take();
}

void bring(int letter) {
  std::lock_guard<std::mutex> at_desk(desk);
  std::lock_guard<std::mutex> lock(tray.mutex);
  tray.letters.push_back(letter);
  tray.filled.notify_one();
}

int main() {
  std::thread reader([] { read_letter(); });
  std::thread carrier([] { bring(7); });
  reader.join();
  carrier.join();
}
