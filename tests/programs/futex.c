// expect: passed
// Futexes through syscall(): wait, wake, bitset, requeue, EAGAIN, ETIMEDOUT, counts of the woken.
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "check.h"

static atomic_int word, other, woken;

static long futex(atomic_int* at, int op, int value, const void* timeout_or_count,
                  atomic_int* second, unsigned third) {
  return syscall(SYS_futex, at, op | FUTEX_PRIVATE_FLAG, value, timeout_or_count, second, third);
}

static void* wait_once(void* argument) {
  (void)argument;
  CHECK_EQ(futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0), 0);
  atomic_fetch_add(&woken, 1);
  return NULL;
}

static void* wait_bits(void* argument) {
  CHECK_EQ(futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, (unsigned)(long)argument), 0);
  atomic_fetch_add(&woken, 1);
  return NULL;
}

// A lock as the books write it: 0 free, 1 taken, 2 taken and waited for.
static atomic_int lock;
static int inside, total;

static void* lock_and_count(void* argument) {
  for (int i = 0; i < 3; ++i) {
    int expected = 0;
    if (!atomic_compare_exchange_strong(&lock, &expected, 1)) {
      while (atomic_exchange(&lock, 2) != 0) futex(&lock, FUTEX_WAIT, 2, NULL, NULL, 0);
    }
    CHECK_EQ(inside++, 0);
    sched_yield();
    CHECK_EQ(--inside, 0);
    ++total;
    if (atomic_exchange(&lock, 0) == 2) futex(&lock, FUTEX_WAKE, 1, NULL, NULL, 0);
  }
  return argument;
}

int main(void) {
  CHECK_ERRNO(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0), EAGAIN);
  struct timespec relative = {0, 20 * 1000000}, before = time_on(CLOCK_MONOTONIC);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT, 0, &relative, NULL, 0), ETIMEDOUT);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 20);
  struct timespec absolute = deadline_on(CLOCK_MONOTONIC, 20);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET, 0, &absolute, NULL, FUTEX_BITSET_MATCH_ANY),
              ETIMEDOUT);
  absolute = deadline_on(CLOCK_REALTIME, 20);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &absolute, NULL,
                    FUTEX_BITSET_MATCH_ANY),
              ETIMEDOUT);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0), EINVAL);
  CHECK_EQ(futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0), 0);

  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(wait_once, NULL);
  settle();
  CHECK_EQ(futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0), 1);
  settle();
  CHECK_EQ(atomic_load(&woken), 1);
  CHECK_EQ(futex(&word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0), 2);
  for (int i = 0; i < 3; ++i) join(threads[i]);

  atomic_store(&woken, 0);
  for (long i = 0; i < 3; ++i) threads[i] = start(wait_bits, (void*)(1L << i));
  settle();
  CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 8), 0);
  CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 2), 1);
  join(threads[1]);
  CHECK_EQ(atomic_load(&woken), 1);
  CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 5), 2);
  join(threads[0]);
  join(threads[2]);

  // Wakes one waiter and moves the others to the other word.
  atomic_store(&woken, 0);
  for (int i = 0; i < 3; ++i) threads[i] = start(wait_once, NULL);
  settle();
  CHECK_ERRNO(futex(&word, FUTEX_CMP_REQUEUE, 1, (void*)(long)INT_MAX, &other, 1), EAGAIN);
  CHECK_EQ(futex(&word, FUTEX_CMP_REQUEUE, 1, (void*)(long)INT_MAX, &other, 0), 3);
  settle();
  CHECK_EQ(atomic_load(&woken), 1);
  CHECK_EQ(futex(&word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0), 0);
  CHECK_EQ(futex(&other, FUTEX_WAKE, INT_MAX, NULL, NULL, 0), 2);
  for (int i = 0; i < 3; ++i) join(threads[i]);

  for (int i = 0; i < 3; ++i) threads[i] = start(lock_and_count, NULL);
  for (int i = 0; i < 3; ++i) join(threads[i]);
  CHECK_EQ(total, 9);
  return 0;
}
