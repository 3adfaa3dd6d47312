// Three modules, each calls the next one with its own lock held, and the last one calls the first.
// cause: lock-order
// object: logging
#include <mutex>
#include <thread>

std::mutex network;
std::mutex storage;
std::mutex logging;

void flush_connection() {
  const std::lock_guard own(network);
  const std::lock_guard next(storage);
}

void compact() {
  const std::lock_guard own(storage);
  const std::lock_guard next(logging);
}

void send_log() {
#ifdef FIXED
  const std::lock_guard next(network);
  const std::lock_guard own(logging);
#else
  const std::lock_guard own(logging);   // [first]
  const std::lock_guard next(network);  // [last]
#endif
}

int main() {
  std::thread one(flush_connection);
  std::thread two(compact);
  std::thread three(send_log);
  one.join();
  two.join();
  three.join();
}
