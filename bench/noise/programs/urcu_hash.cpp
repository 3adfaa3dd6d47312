// library: userspace-rcu
// package: liburcu-dev
// link: -lurcu-memb -lurcu-cds -lurcu-common
// Two threads add to and look up in a lock-free hash table, and delete with call_rcu.
#define RCU_MEMB
#include <urcu.h>
#include <urcu/rculfhash.h>

#include <atomic>
#include <cassert>
#include <thread>

struct Entry {
  int key;
  cds_lfht_node node;
  rcu_head head;
};
static cds_lfht* table;
static std::atomic<int> freed{0};

static int match(cds_lfht_node* node, const void* key) {
  return caa_container_of(node, Entry, node)->key == *static_cast<const int*>(key);
}
static void free_entry(rcu_head* head) {
  delete caa_container_of(head, Entry, head);
  ++freed;
}

static void work(int first) {
  rcu_register_thread();
  for (int key = first; key < first + 3; ++key) {
    Entry* entry = new Entry{};
    entry->key = key;
    cds_lfht_node_init(&entry->node);
    rcu_read_lock();
    cds_lfht_add(table, key, &entry->node);
    cds_lfht_iter iterator;
    cds_lfht_lookup(table, key, match, &key, &iterator);
    assert(cds_lfht_iter_get_node(&iterator) == &entry->node);
    if (key != first) {
      assert(cds_lfht_del(table, &entry->node) == 0);
      call_rcu(&entry->head, free_entry);
    }
    rcu_read_unlock();
  }
  rcu_unregister_thread();
}

int main() {
  rcu_register_thread();
  table = cds_lfht_new(4, 4, 4, 0, nullptr);
  std::thread one(work, 0), two(work, 100);
  one.join();
  two.join();
  rcu_barrier();
  assert(freed == 4);
  int left = 0;
  cds_lfht_iter iterator;
  Entry* entry;
  rcu_read_lock();
  cds_lfht_for_each_entry(table, &iterator, entry, node) {
    ++left;
    assert(cds_lfht_del(table, &entry->node) == 0);
    call_rcu(&entry->head, free_entry);
  }
  rcu_read_unlock();
  assert(left == 2);
  rcu_barrier();
  assert(cds_lfht_destroy(table, nullptr) == 0);
  rcu_unregister_thread();
}
