// Two threads put nodes of their own into a list; main counts them. With BROKEN one does not take
// the lock.
#include <cassert>
#include <mutex>
#include <thread>

struct Node {
  Node* next;
};

static Node* head;
static std::mutex lock;

static void put(bool locks) {
  Node* node = new Node;
  if (locks) lock.lock();
  node->next = head;
  head = node;
  if (locks) lock.unlock();
}

int main() {
#ifdef BROKEN
  constexpr bool kLocks = false;
#else
  constexpr bool kLocks = true;
#endif
  std::thread one([] { put(true); });
  std::thread two([] { put(kLocks); });
  one.join();
  two.join();
  int count = 0;
  while (head != nullptr) {
    Node* next = head->next;
    delete head;
    head = next;
    ++count;
  }
  assert(count == 2);
}
