// expect: passed
// epoll and eventfd: one thread serves events that the others send; timeouts; EEXIST, ENOENT,
// EINVAL.
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "check.h"

static int events_fd, numbers, halves;

static void* notify(void* argument) {
  uint64_t amount = (uint64_t)(long)argument;
  CHECK_EQ(write(numbers, &amount, sizeof amount), sizeof amount);
  return NULL;
}

static void* take_half(void* argument) {
  uint64_t one = 0;
  CHECK_EQ(read(halves, &one, sizeof one), sizeof one);
  CHECK_EQ(one, 1);
  return argument;
}

int main(void) {
  events_fd = epoll_create1(EPOLL_CLOEXEC);
  numbers = eventfd(0, 0);
  halves = eventfd(0, EFD_SEMAPHORE);
  CHECK(events_fd >= 0 && numbers >= 0 && halves >= 0);
  struct epoll_event event = {EPOLLIN, {.fd = numbers}};
  CHECK_EQ(epoll_ctl(events_fd, EPOLL_CTL_ADD, numbers, &event), 0);
  CHECK_ERRNO(epoll_ctl(events_fd, EPOLL_CTL_ADD, numbers, &event), EEXIST);
  CHECK_ERRNO(epoll_ctl(events_fd, EPOLL_CTL_DEL, halves, &event), ENOENT);

  struct epoll_event got[4];
  CHECK_EQ(epoll_wait(events_fd, got, 4, 0), 0);
  CHECK_ERRNO(epoll_wait(events_fd, got, 0, 0), EINVAL);
  struct timespec before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(epoll_wait(events_fd, got, 4, 30), 0);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 30);
  before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(epoll_pwait(events_fd, got, 4, 30, NULL), 0);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 30);

  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) threads[i] = start(notify, (void*)(i + 1));
  uint64_t sum = 0;
  while (sum < 6) {
    CHECK_EQ(epoll_wait(events_fd, got, 4, -1), 1);
    CHECK_EQ(got[0].data.fd, numbers);
    uint64_t value = 0;
    CHECK_EQ(read(numbers, &value, sizeof value), sizeof value);
    sum += value;
  }
  CHECK_EQ(sum, 6);
  for (int i = 0; i < 3; ++i) join(threads[i]);

  pthread_t takers[2] = {start(take_half, NULL), start(take_half, NULL)};
  uint64_t two = 2;
  CHECK_EQ(write(halves, &two, sizeof two), sizeof two);
  for (int i = 0; i < 2; ++i) join(takers[i]);

  // A full counter blocks the writer until another thread reads.
  uint64_t most = UINT64_MAX - 1;
  CHECK_EQ(write(numbers, &most, sizeof most), sizeof most);
  pthread_t writer = start(notify, (void*)5);
  settle();
  uint64_t value = 0;
  CHECK_EQ(read(numbers, &value, sizeof value), sizeof value);
  CHECK(value == most);
  join(writer);
  CHECK_EQ(read(numbers, &value, sizeof value), sizeof value);
  CHECK_EQ(value, 5);
  return 0;
}
