// Two threads close one connection: both find it open, both free its buffer.
// cause: double-free
// object: block #1@double_free.cpp
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>

struct Connection {
  std::mutex mutex;
  char* buffer = nullptr;
  int closed = 0;
} connection;

void hang_up() {
#ifdef FIXED
  const std::lock_guard lock(connection.mutex);
#endif
  if (connection.buffer != nullptr) {
    std::free(connection.buffer);  // [first] [last]
    connection.buffer = nullptr;
    ++connection.closed;
  }
}

int main() {
  connection.buffer = static_cast<char*>(std::malloc(64));
  std::thread timer(hang_up);
  hang_up();
  timer.join();
  assert(connection.closed == 1);
}
