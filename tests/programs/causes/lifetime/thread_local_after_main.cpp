// Main's thread-local log ends with main; the worker, stopped later, still writes to it.
// cause: use-after-destruction
// object: Log
#include <atomic>
#include <cassert>
#include <thread>

struct Log {
  bool open = true;
  int lines = 0;
  void write() {
    assert(open);  // [last]
    ++lines;
  }
  ~Log() { open = false; }  // [first]
};

#ifdef FIXED
Log shared_log;
#else
thread_local Log shared_log;
#endif

struct Worker {
  std::thread thread;
  ~Worker() { thread.join(); }
} worker;

int main() {
  Log* log = &shared_log;
  worker.thread = std::thread([log] { log->write(); });
}
