// Right: whoever lets go last frees, by a count that everybody changes in release and acquire
// order; and memory is used again and again.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

struct Node {
  std::atomic<int> users{3};
  int value = 0;
};

void leave(Node* node) {
  if (node->users.fetch_sub(1, std::memory_order_release) != 1) return;
  std::atomic_thread_fence(std::memory_order_acquire);
  delete node;
}

int main() {
  Node* node = new Node;
  auto shared = std::make_shared<std::vector<int>>(10, 1);
  const auto use = [node, copy = shared]() mutable {
    int sum = node->value;
    for (int i = 0; i < 3; ++i) sum += *std::make_unique<int>((*copy)[i]);
    copy.reset();
    leave(node);
    return sum;
  };
  std::thread one(use);
  std::thread two(use);
  shared.reset();
  leave(node);
  one.join();
  two.join();
}
