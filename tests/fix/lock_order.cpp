// Two functions take two locks, in different orders.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

struct Guard {
  explicit Guard(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Guard() { pthread_mutex_unlock(&mutex_); }
  pthread_mutex_t& mutex_;
};

static int moved;

static void forth() {
  const Guard first(a);
  const Guard second(b);
  ++moved;
}

static void back() {
  const Guard first(b);
  const Guard second(a);
  --moved;
}

int main() {
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        forth();
        return nullptr;
      },
      nullptr);
  back();
  pthread_join(thread, nullptr);
}
