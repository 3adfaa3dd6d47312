// expect: passed
// A program that reads the time-stamp counter and has an action of its own for SIGSEGV: it is
// called for the program's faults, on whichever thread, and for nothing else. After a fault that it
// repaired the counter still counts, in threads that were there before, too.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <x86intrin.h>

#include "check.h"

static volatile char* page;
static volatile int faults;
static __thread sigjmp_buf out;
static pthread_barrier_t repaired;

static void repair(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  CHECK(info->si_addr == page);
  ++faults;
  CHECK_EQ(mprotect((void*)page, 4096, PROT_READ | PROT_WRITE), 0);
}

static void leave(int signal) {
  (void)signal;
  siglongjmp(out, 1);
}

static void read_counter(void) {
  unsigned cpu;
  unsigned long long last = __rdtsc();
  for (int i = 0; i < 100; ++i) {
    unsigned long long now = __rdtscp(&cpu);
    CHECK(now >= last);
    last = now;
  }
}

static void* other(void* argument) {
  read_counter();
  pthread_barrier_wait(&repaired);
  read_counter();
  return argument;
}

int main(void) {
  page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  pthread_barrier_init(&repaired, NULL, 2);
  pthread_t thread = start(other, NULL);

  struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO}, seen;
  sigfillset(&action.sa_mask);
  CHECK_EQ(sigaction(SIGSEGV, &action, NULL), 0);
  read_counter();
  CHECK_EQ(faults, 0);
  CHECK_EQ(sigaction(SIGSEGV, NULL, &seen), 0);
  CHECK(seen.sa_sigaction == repair);
  page[0] = 1;
  CHECK_EQ(faults, 1);
  CHECK_EQ(page[0], 1);
  read_counter();
  pthread_barrier_wait(&repaired);
  read_counter();

  CHECK(signal(SIGSEGV, leave) != SIG_ERR);
  if (sigsetjmp(out, 1) == 0) {
    *(volatile int*)8 = 1;
    CHECK(0);
  }
  read_counter();
  CHECK(signal(SIGSEGV, leave) != SIG_ERR);
  if (sigsetjmp(out, 1) == 0) {
    raise(SIGSEGV);
    CHECK(0);
  }
  CHECK_EQ(faults, 1);
  join(thread);
  return 0;
}
