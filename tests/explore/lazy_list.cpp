// what: a sorted list with lazy removal: it searches without locks, changes under two nodes' locks
// broken: with the locks held, it does not check again that the nodes are still in the list
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Node {
  int key;
  std::atomic<Node*> next;
  std::atomic<bool> removed;
  std::mutex mutex;
};

Node tail{9, {nullptr}, {false}, {}};
Node one{1, {&tail}, {false}, {}};
Node head{0, {&one}, {false}, {}};
Node spare{2, {nullptr}, {false}, {}};

void find(int key, Node*& before, Node*& at) {
  before = &head;
  at = before->next;
  while (at->key < key) {
    before = at;
    at = at->next;
  }
}

bool valid(const Node& before, const Node& at) {
#ifndef BROKEN
  return !before.removed && !at.removed && before.next == &at;
#else
  return before.next == &at || true;
#endif
}

bool insert(Node& node) {
  for (;;) {
    Node* before = nullptr;
    Node* at = nullptr;
    find(node.key, before, at);
    const std::lock_guard<std::mutex> first(before->mutex);
    const std::lock_guard<std::mutex> second(at->mutex);
    if (!valid(*before, *at)) continue;
    if (at->key == node.key) return false;
    node.next = at;
    before->next = &node;
    return true;
  }
}

bool remove(int key) {
  for (;;) {
    Node* before = nullptr;
    Node* at = nullptr;
    find(key, before, at);
    const std::lock_guard<std::mutex> first(before->mutex);
    const std::lock_guard<std::mutex> second(at->mutex);
    if (!valid(*before, *at)) continue;
    if (at->key != key) return false;
    at->removed = true;
    before->next = at->next.load();
    return true;
  }
}

bool contains(int key) {
  Node* at = &head;
  while (at->key < key) at = at->next;
  return at->key == key && !at->removed;
}

int main() {
  std::thread remover([] { assert(remove(1)); });
  assert(insert(spare));
  remover.join();
  assert(contains(2));
  assert(!contains(1));
}
