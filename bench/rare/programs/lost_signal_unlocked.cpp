// The flag is set and signalled without the lock: between the waiter's look and its wait the signal
// is lost. 50 rounds before that do it right.
#include <pthread.h>

#include "rare.hpp"

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
static std::atomic<int> g_round{0};

int main() {
  constexpr int kRounds = 50;
  std::thread waiter([] {
    for (int round = 1; round <= kRounds; ++round) {
      pthread_mutex_lock(&g_lock);
      while (g_round < round) pthread_cond_wait(&g_changed, &g_lock);
      pthread_mutex_unlock(&g_lock);
    }
  });
  for (int round = 1; round <= kRounds; ++round) {
    const bool careful = kFixed || round < kRounds;
    if (careful) pthread_mutex_lock(&g_lock);
    g_round = round;
    pthread_cond_signal(&g_changed);
    if (careful) pthread_mutex_unlock(&g_lock);
  }
  waiter.join();
}
