// A wait that looks at its condition once, with `if`: it may return without a signal.
#include <pthread.h>

#include "rare.hpp"

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_came = PTHREAD_COND_INITIALIZER;
static bool g_ready = false;

int main() {
  std::thread waiter([] {
    pthread_mutex_lock(&g_lock);
    if (kFixed) {
      while (!g_ready) pthread_cond_wait(&g_came, &g_lock);
    } else if (!g_ready) {
      pthread_cond_wait(&g_came, &g_lock);
    }
    require(g_ready, "what was waited for has come");
    pthread_mutex_unlock(&g_lock);
  });
  pthread_mutex_lock(&g_lock);
  g_ready = true;
  pthread_cond_signal(&g_came);
  pthread_mutex_unlock(&g_lock);
  waiter.join();
}
