// expect: passed|exception
// native: no
// message: std::out_of_range
// A check and a use under two holds of the lock: .at() throws when the other thread was faster.
#include <mutex>
#include <thread>
#include <vector>

std::mutex lock;
std::vector<int> items{1};

bool has_items() {
  std::lock_guard<std::mutex> hold(lock);
  return !items.empty();
}

int take() {
  std::lock_guard<std::mutex> hold(lock);
  int item = items.at(0);
  items.erase(items.begin());
  return item;
}

int main() {
  auto consume = [] {
    if (has_items()) take();
  };
  std::thread first(consume), second(consume);
  first.join();
  second.join();
}
