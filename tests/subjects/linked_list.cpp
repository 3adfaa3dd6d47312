// bug: List::add
// paper: 004 Table 1, LinkedList
// seen by: race, lockset, atomic-set
// seen with functions: atomicity, serializability
//
// Two threads append to a linked list without a lock: both link their node to the same last node,
// and the list loses one of the two.
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

struct Node {
  int value = 0;
  std::unique_ptr<Node> next;
};

class List {
 public:
  ~List() {
    while (head_.next) head_.next = std::move(head_.next->next);
  }

  void add(int value) {
    auto node = std::make_unique<Node>();
    node->value = value;
    Node* last = last_;
    std::this_thread::yield();
    last_ = node.get();
    (void)last->next.release();  // nothing is there, unless the bug strikes
    last->next = std::move(node);
  }

  int length() {
    int length = 0;
    for (const Node* node = head_.next.get(); node != nullptr; node = node->next.get()) ++length;
    return length;
  }

 private:
  std::mutex mutex_;
  Node head_;
  Node* last_ = &head_;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  List list;
  auto fill = [&] {
    for (int i = 0; i < rounds; ++i) list.add(i);
  };
  std::thread first(fill);
  std::thread second(fill);
  first.join();
  second.join();
  return list.length() == 2 * rounds ? 0 : 1;
}
