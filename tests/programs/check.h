// Shared by the test programs: checks that print the values they saw, deadlines, and a thread that
// must start.
//
// The comment at the top of each program tells tests/programs_test.py what to expect of it; that
// file explains the words.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: check failed: %s (errno %d)\n", __FILE__, __LINE__, #condition, \
              errno);                                                                         \
      abort();                                                                                \
    }                                                                                         \
  } while (0)

#define CHECK_EQ(actual, expected)                                                            \
  do {                                                                                        \
    long long actual_ = (long long)(actual), expected_ = (long long)(expected);               \
    if (actual_ != expected_) {                                                               \
      fprintf(stderr, "%s:%d: %s is %lld, expected %s = %lld\n", __FILE__, __LINE__, #actual, \
              actual_, #expected, expected_);                                                 \
      abort();                                                                                \
    }                                                                                         \
  } while (0)

// The call must fail with -1 and this errno.
#define CHECK_ERRNO(call, expected) \
  do {                              \
    errno = 0;                      \
    CHECK_EQ((call), -1);           \
    CHECK_EQ(errno, (expected));    \
  } while (0)

static inline struct timespec add_ms(struct timespec t, long ms) {
  t.tv_sec += ms / 1000;
  t.tv_nsec += ms % 1000 * 1000000;
  if (t.tv_nsec >= 1000000000) {
    t.tv_nsec -= 1000000000;
    t.tv_sec += 1;
  }
  if (t.tv_nsec < 0) {
    t.tv_nsec += 1000000000;
    t.tv_sec -= 1;
  }
  return t;
}

static inline struct timespec time_on(clockid_t clock) {
  struct timespec t;
  CHECK_EQ(clock_gettime(clock, &t), 0);
  return t;
}

static inline struct timespec deadline_on(clockid_t clock, long ms) {
  return add_ms(time_on(clock), ms);
}

static inline long long ms_between(struct timespec from, struct timespec to) {
  return (to.tv_sec - from.tv_sec) * 1000LL + (to.tv_nsec - from.tv_nsec) / 1000000;
}

// Waits long enough for every other thread to block, if that is what it does next.
static inline void settle(void) {
  struct timespec t = {0, 100 * 1000000};
  while (nanosleep(&t, &t) != 0) {
  }
}

static inline pthread_t start(void* (*routine)(void*), void* argument) {
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, routine, argument), 0);
  return thread;
}

static inline void* join(pthread_t thread) {
  void* result = NULL;
  CHECK_EQ(pthread_join(thread, &result), 0);
  return result;
}
