// A mailbox that is closed gives nothing more out, though something is in it.
// cause: read-too-late
// object: box.closed
// says: Then T1 wrote received
#include <cassert>
#include <mutex>
#include <thread>

struct Box {
  std::mutex mutex;
  bool closed = false;
  int letters = 0;
};
Box box;
int received = 0;

void close() {
  std::lock_guard<std::mutex> lock(box.mutex);
  box.closed = true;  // [first]
}

int take() {
  std::lock_guard<std::mutex> lock(box.mutex);
#ifdef FIXED
  if (box.closed && box.letters == 0) return 0;
#else
  if (box.closed) return 0;  // [last]
#endif
  const int all = box.letters;
  box.letters = 0;
  return all;
}

int main() {
  box.letters = 2;
  std::thread reader([] { received = take(); });
  close();
  reader.join();
  assert(received == 2);
}
