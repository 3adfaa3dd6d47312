// what: a handler of exit() closes the log that a thread writes to
// broken: nobody waits for the thread, and the process still lives for a moment after the handler
// preemptions: 1
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

std::atomic<bool> closed;
std::atomic<int> lines;

void close_log() { closed = true; }

void write_lines() {
  ++lines;
  assert(!closed);
}

int main() {
  std::atexit(close_log);
  std::thread writer(write_lines);
#ifdef BROKEN
  writer.detach();
#else
  writer.join();
#endif
}
