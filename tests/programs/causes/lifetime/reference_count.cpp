// The count is decreased and looked at in two steps: both owners see zero, both free.
// cause: overwritten
// object: image.owners
// also: -O0
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> freed{0};

struct Image {
  std::atomic<int> owners{2};
};

Image image;

void release() {
#ifdef FIXED
  if (image.owners.fetch_sub(1) == 1) ++freed;
#else
  image.owners.fetch_sub(1);       // [first]
  if (image.owners == 0) ++freed;  // [last]
#endif
}

int main() {
  std::thread other(release);
  release();
  other.join();
  assert(freed == 1);
}
