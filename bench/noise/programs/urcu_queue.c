// library: userspace-rcu
// package: liburcu-dev
// headers only
// link: -lurcu-common
// A wait-free queue: two threads enqueue, the main thread dequeues.
#define _LGPL_SOURCE  // the functions come from the headers
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <urcu/wfcqueue.h>

struct item {
  struct cds_wfcq_node node;
  int producer, number;
};
static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;

static void* produce(void* argument) {
  for (int i = 0; i < 5; ++i) {
    struct item* item = malloc(sizeof *item);
    item->producer = *(int*)argument;
    item->number = i;
    cds_wfcq_node_init(&item->node);
    cds_wfcq_enqueue(&head, &tail, &item->node);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int names[2] = {0, 1}, next[2] = {0, 0};
  cds_wfcq_init(&head, &tail);
  for (int i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, produce, &names[i]) == 0);
  for (int left = 10; left > 0;) {
    struct cds_wfcq_node* node = cds_wfcq_dequeue_blocking(&head, &tail);
    if (node == NULL) {
      sched_yield();
      continue;
    }
    struct item* item = caa_container_of(node, struct item, node);
    assert(item->number == next[item->producer]++);
    free(item);
    --left;
  }
  for (int i = 0; i < 2; ++i) assert(pthread_join(threads[i], NULL) == 0);
  assert(cds_wfcq_empty(&head, &tail));
  cds_wfcq_destroy(&head, &tail);
}
