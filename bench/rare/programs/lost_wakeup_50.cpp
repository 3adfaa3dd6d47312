// 50 messages, one after another. The producer looks whether somebody waits without the lock at the
// last one only: if the consumer is between its look and its wait, nobody wakes it.
#include <pthread.h>

#include "rare.hpp"

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_came = PTHREAD_COND_INITIALIZER;
static int g_messages = 0;
static std::atomic<bool> g_waiting{false};

int main() {
  constexpr int kMessages = 50;
  std::thread consumer([] {
    for (int taken = 0; taken < kMessages; ++taken) {
      pthread_mutex_lock(&g_lock);
      while (g_messages <= taken) {
        g_waiting = true;
        pthread_cond_wait(&g_came, &g_lock);
        g_waiting = false;
      }
      pthread_mutex_unlock(&g_lock);
    }
  });
  for (int sent = 1; sent <= kMessages; ++sent) {
    const bool last = sent == kMessages;
    const bool careless = last && !kFixed;
    const bool waits = careless ? g_waiting.load() : true;
    pthread_mutex_lock(&g_lock);
    g_messages = sent;
    if (waits) pthread_cond_signal(&g_came);
    pthread_mutex_unlock(&g_lock);
  }
  consumer.join();
}
