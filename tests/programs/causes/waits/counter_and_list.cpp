// Two porters wait if the counter says that no parcel is there, and then take the first of the
// list. One is woken, and the other takes the parcel before it has the lock again.
// cause: not-checked-after-wait
// object: parcels
// says: did not check again
// seen: in a loop
#include <pthread.h>
#include <stdlib.h>

struct Parcel {
  int weight;
  Parcel* next;
};

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static Parcel* first_one;
static int parcels;

static void deliver(int weight) {
  Parcel* parcel = static_cast<Parcel*>(malloc(sizeof(Parcel)));
  parcel->weight = weight;
  pthread_mutex_lock(&door);
  parcel->next = first_one;
  first_one = parcel;
  ++parcels;
  pthread_cond_signal(&arrived);
  pthread_mutex_unlock(&door);
}

static void* porter(void* unused) {
  pthread_mutex_lock(&door);
#ifdef FIXED
  while (parcels == 0) pthread_cond_wait(&arrived, &door);
#else
  if (parcels == 0) pthread_cond_wait(&arrived, &door);  // [first]
#endif
  Parcel* parcel = first_one;  // [last]
  first_one = parcel->next;
  --parcels;
  pthread_mutex_unlock(&door);
  free(parcel);
  return unused;
}

int main() {
  pthread_t one;
  pthread_t two;
  pthread_create(&one, nullptr, porter, nullptr);
  pthread_create(&two, nullptr, porter, nullptr);
  deliver(3);
  deliver(5);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
}
