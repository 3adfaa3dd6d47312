// Two owners of an object: the last one deletes it. BROKEN: an owner looks at the count after it
// has left, so both may be the last. Only the order of freeing and counting tells.
#include <atomic>
#include <thread>

struct Shared {
  std::atomic<int> owners{2};
  int data = 7;
};

void leave(Shared* shared) {
#ifdef BROKEN
  shared->owners.fetch_sub(1);
  if (shared->owners.load() == 0) delete shared;
#else
  if (shared->owners.fetch_sub(1) == 1) delete shared;
#endif
}

int main() {
  auto* shared = new Shared;
  std::thread one(leave, shared), two(leave, shared);
  one.join();
  two.join();
}
