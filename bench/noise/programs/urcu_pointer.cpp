// library: userspace-rcu
// package: liburcu-dev
// link: -lurcu-memb -lurcu-common
// Readers follow a pointer that a writer replaces; the old value is freed after a grace period.
#define RCU_MEMB
#include <urcu.h>

#include <cassert>
#include <thread>

struct Config {
  int version;
  int twice;
};
static Config* current;

static void reader() {
  rcu_register_thread();
  int last = 0;
  for (int i = 0; i < 4; ++i) {
    rcu_read_lock();
    const Config* config = rcu_dereference(current);
    assert(config->twice == 2 * config->version);
    assert(config->version >= last);
    last = config->version;
    rcu_read_unlock();
  }
  rcu_unregister_thread();
}

int main() {
  rcu_register_thread();
  current = new Config{1, 2};
  std::thread one(reader), two(reader);
  for (int version = 2; version <= 4; ++version) {
    Config* next = new Config{version, 2 * version};
    Config* old = rcu_xchg_pointer(&current, next);
    synchronize_rcu();
    *old = {-1, 0};  // a reader that still looked would notice
    delete old;
  }
  one.join();
  two.join();
  assert(current->version == 4);
  delete current;
  rcu_unregister_thread();
}
