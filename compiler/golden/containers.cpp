// Trees and lists, which the headers of the C++ library leave to the library.
// The declarations are by hand, because the headers differ between versions.
// And a function that waits on a condition variable.
#include <pthread.h>

#include <cstddef>

struct Node {
  unsigned long color;
  Node *parent, *left, *right;
};
struct Link {
  Link *next, *previous;
};

void insert_and_rebalance(bool left, Node* node, Node* parent, Node& header) __asm__(
    "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
const Node* increment(const Node* node) __asm__("_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base");
void hook(Link* link, Link* before) __asm__("_ZNSt8__detail15_List_node_base7_M_hookEPS0_");

struct Table {
  Node header{0, nullptr, &header, &header};
  Node node{};
  Link line{&line, &line};
  Link link{};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

  __attribute__((noinline)) void insert() { insert_and_rebalance(true, &node, &header, header); }
  __attribute__((noinline)) bool last() { return increment(&node) == &header; }
  __attribute__((noinline)) void append() { hook(&link, &line); }
  __attribute__((noinline)) void wait() {
    pthread_mutex_lock(&mutex);
    while (line.next == &line) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
  }
};

static Table table;

int main() {
  table.insert();
  table.append();
  table.wait();
  return table.last() ? 0 : 1;
}
