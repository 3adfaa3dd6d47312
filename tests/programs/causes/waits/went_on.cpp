// The wait ends with its time, and nobody asks why it ended.
// cause: gave-up-waiting
// object: reply
// says: when its time was up
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cassert>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
bool done = false;
int reply = 0;

void* serve(void*) {
  usleep(20000);
  pthread_mutex_lock(&mutex);
  reply = 7;
  done = true;
  pthread_cond_signal(&answered);
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

int ask() {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
#ifdef FIXED
  until.tv_sec += 60;
#else
  until.tv_nsec += 10000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    ++until.tv_sec;
  }
#endif
  pthread_mutex_lock(&mutex);
  while (!done) {
    if (pthread_cond_timedwait(&answered, &mutex, &until) != 0) break;  // [first]
  }
  const int found = reply;  // [last]
  pthread_mutex_unlock(&mutex);
  return found;
}

int main() {
  pthread_t server{};
  pthread_create(&server, nullptr, serve, nullptr);
  const int found = ask();
  assert(found == 7);
  pthread_join(server, nullptr);
}
