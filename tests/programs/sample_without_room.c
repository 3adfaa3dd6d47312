// expect: passed
// seeds: 5
// native: no
// The host samples a thread that has only a few hundred bytes of its stack left: no room for the
// frame of the signal. The program is correct.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static char* bottom;

static int deeper(volatile char* above) {
  volatile char here[256];
  here[0] = above[0];
  if ((char*)here - bottom > 1024) return deeper(here) + here[0];
  const int sample = 63;
  long thread;
  __asm__ volatile("syscall" : "=a"(thread) : "a"(SYS_gettid) : "rcx", "r11", "memory");
  for (int i = 0; i < 3; ++i) {
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_tkill), "D"(thread), "S"(sample)
                     : "rcx", "r11", "memory");
  }
  return 0;
}

static void* body(void* argument) {
  pthread_attr_t attributes;
  void* low;
  size_t bytes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &bytes);
  bottom = low;
  volatile char top[1] = {0};
  return deeper(top) == 0 ? argument : NULL;
}

int main(void) {
  pthread_t thread;
  void* result;
  pthread_create(&thread, NULL, body, &bottom);
  pthread_join(thread, &result);
  return result == &bottom ? 0 : 1;
}
