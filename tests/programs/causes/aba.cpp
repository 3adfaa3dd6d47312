// A free list without locks: a compare-and-swap cannot tell that the head went away and came back.
// cause: aba
// object: head
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

struct Buffer {
  std::uint32_t next = 0;  // index of the next free one; 0 ends the list
  bool busy = false;
};

Buffer buffers[4] = {{}, {2}, {3}, {0}};
std::atomic<std::uint64_t> head{1};  // FIXED: the upper half counts the changes

std::uint64_t link(std::uint64_t before, std::uint32_t to) {
#ifdef FIXED
  return ((before >> 32) + 1) << 32 | to;
#else
  return (void)before, to;
#endif
}

std::uint32_t index(std::uint64_t link) { return static_cast<std::uint32_t>(link); }

std::uint32_t take() {
  std::uint64_t first = head.load();  // [first]
  std::uint64_t next = link(first, buffers[index(first)].next);
  while (!head.compare_exchange_strong(first, next)) {  // [last]
    next = link(first, buffers[index(first)].next);
  }
  assert(!buffers[index(first)].busy);
  buffers[index(first)].busy = true;
  return index(first);
}

void give_back(std::uint32_t buffer) {
  buffers[buffer].busy = false;
  std::uint64_t first = head.load();
  do buffers[buffer].next = index(first);
  while (!head.compare_exchange_strong(first, link(first, buffer)));
}

int main() {
  std::thread receiver([] { take(), take(); });
  const std::uint32_t request = take();
  take();
  give_back(request);
  receiver.join();
}
