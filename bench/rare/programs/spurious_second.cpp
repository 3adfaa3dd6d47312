// Two waiters of one condition variable, for two flags: a broadcast for the one wakes the other,
// whose wait is not in a loop.
#include <pthread.h>

#include "rare.hpp"

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
static bool g_flags[2] = {false, false};

int main() {
  std::vector<std::thread> waiters = start(2, [](int i) {
    pthread_mutex_lock(&g_lock);
    if (kFixed || i == 0) {
      while (!g_flags[i]) pthread_cond_wait(&g_changed, &g_lock);
    } else if (!g_flags[i]) {
      pthread_cond_wait(&g_changed, &g_lock);
    }
    require(g_flags[i], "its own flag is raised");
    pthread_mutex_unlock(&g_lock);
  });
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&g_lock);
    g_flags[i] = true;
    pthread_cond_broadcast(&g_changed);
    pthread_mutex_unlock(&g_lock);
  }
  join(waiters);
}
