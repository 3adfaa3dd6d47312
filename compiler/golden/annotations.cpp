// What annotations.hpp puts into the trace, and what it keeps out.
#include <raddle/annotations.hpp>

struct Ledger {
  RADDLE_ATOMIC_SET("money") int cash = 1;
  RADDLE_ATOMIC_SET("money") int loans = 2;
  int visits = 0;
};
struct Branch : Ledger {
  int clerks = 4;
};
struct Mutex {
  int state = 0;
};

Branch g_branch;
Mutex g_mutex;
int g_count;

RADDLE_ATOMIC void move(Ledger& ledger, int amount) {
  ledger.cash -= amount;
  ledger.loans += amount;
}
RADDLE_UNIT void count(int n) {
  g_count += n;
  g_count *= 2;
}
RADDLE_IGNORE __attribute__((noinline)) void quiet() { g_count = 0; }
__attribute__((no_sanitize("raddle"), noinline)) void unseen() { g_count = 1; }
__attribute__((no_sanitize("address"), noinline)) void seen() { g_count = 2; }
[[clang::no_sanitize("undefined")]] __attribute__((noinline)) void also_seen() { g_count = 3; }

static void visit() {
  raddle::unit_of_work unit("visit", &g_branch);
  ++g_branch.visits;
  {
    raddle::atomic_block block("hire");
    ++g_branch.clerks;
    g_branch.loans = 0;
  }
  {
    raddle::ignore off;
    g_count = 5;
  }
}

int main() {
  raddle::name_thread("the first and, as it happens, only thread");
  raddle::name_lock(g_mutex, "ledger");
  raddle::event("opened", 9);
  move(g_branch, 1);
  count(3);
  quiet();
  unseen();
  seen();
  also_seen();
  visit();
  raddle::event("closed");
  return 0;
}
