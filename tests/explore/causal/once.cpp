// Two threads need the same table, and the first one makes it. With BROKEN both may.
#include <cassert>
#include <mutex>
#include <thread>

static int made;
#ifdef BROKEN
static void need_table() {
  static bool done;
  if (done) return;
  done = true;
  made = made + 1;
  assert(made == 1);
}
#else
static std::once_flag once;
static void need_table() {
  std::call_once(once, [] { made = made + 1; });
  assert(made == 1);
}
#endif

int main() {
  std::thread other(need_table);
  need_table();
  other.join();
}
