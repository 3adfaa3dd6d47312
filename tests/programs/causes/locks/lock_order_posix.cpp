// A driver's two locks, of POSIX: the interrupt takes them the other way round.
// cause: lock-order
// object: ring_lock or port_lock
// says: in the same order.
// never: std::scoped_lock
// causes: 1
#include <pthread.h>

pthread_mutex_t ring_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t port_lock = PTHREAD_MUTEX_INITIALIZER;
int sent = 0;

void* transmit(void*) {
  pthread_mutex_lock(&ring_lock);  // [first]
  pthread_mutex_lock(&port_lock);  // [last]
  ++sent;
  pthread_mutex_unlock(&port_lock);
  pthread_mutex_unlock(&ring_lock);
  return nullptr;
}

void* interrupt(void*) {
#ifdef FIXED
  pthread_mutex_lock(&ring_lock);
  pthread_mutex_lock(&port_lock);
#else
  pthread_mutex_lock(&port_lock);  // [first]
  pthread_mutex_lock(&ring_lock);  // [last]
#endif
  --sent;
  pthread_mutex_unlock(&ring_lock);
  pthread_mutex_unlock(&port_lock);
  return nullptr;
}

int main() {
  pthread_t sender;
  pthread_t handler;
  pthread_create(&sender, nullptr, transmit, nullptr);
  pthread_create(&handler, nullptr, interrupt, nullptr);
  pthread_join(sender, nullptr);
  pthread_join(handler, nullptr);
}
