// A stack whose head is compared and exchanged: threads push, the main thread takes all. With BUG,
// a thread fills its node only when others can see it.
#include <pthread.h>
#include <sched.h>
#include <cassert>
#include <cstdlib>

#include "assembly.h"

struct node {
  struct node* next;
  int number;
};
static void* head;

static void* push(void* number) {
  auto* node = static_cast<struct node*>(malloc(sizeof(struct node)));
#ifndef BUG
  node->number = *static_cast<int*>(number);
#endif
  void* seen = LOAD(head);
  for (;;) {
    node->next = static_cast<struct node*>(seen);
    void* found = compare_exchange(&head, seen, node);
    if (found == seen) break;
    seen = found;
  }
#ifdef BUG
  node->number = *static_cast<int*>(number);
#endif
  return nullptr;
}

int main() {
  pthread_t threads[2];
  int numbers[2] = {1, 2}, sum = 0;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], nullptr, push, &numbers[i]);
  for (int left = 2; left > 0;) {
    auto* node = reinterpret_cast<struct node*>(exchange(reinterpret_cast<long*>(&head), 0));
    if (node == nullptr) sched_yield();
    while (node != nullptr) {
      struct node* next = node->next;
      sum += node->number;
#ifndef BUG
      free(node);
#endif
      node = next;
      --left;
    }
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], nullptr);
#ifdef BUG
  return sum < 0 ? 1 : 0;
#else
  assert(sum == 3);
#endif
}
