// A pointer is read under the lock and used after it; the other thread frees what it points to.
// Nothing crashes: the memory is still mapped, and holds what it held.
#include <mutex>

#include "rare.hpp"

struct Node {
  int value = 7;
  int filler[30] = {};
};

static std::mutex g_lock;
static Node* g_node = new Node;

int main() {
  std::thread reader([] {
    int sum = 0;
    for (int i = 0; i < 100; ++i) {
      std::unique_lock lock(g_lock);
      const Node* node = g_node;
      if (node == nullptr) continue;
      if (!kFixed && i == 50) lock.unlock();
      sum += node->value;
    }
    if (sum < 0) std::puts("");
  });
  std::thread owner([] {
    const std::lock_guard lock(g_lock);
    delete g_node;
    g_node = nullptr;
  });
  reader.join();
  owner.join();
}
