// expect: passed
// seeds: 20
// outside: its children end when they end
// A program that reads the time-stamp counter starts others in every way there is: none of them,
// nor a thread that libc makes for itself, dies because the program's counter is not the real one.
#include <aio.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <x86intrin.h>

#include "check.h"

extern char** environ;

static int read_counter(void) {
  unsigned long long last = __rdtsc();
  for (int i = 0; i < 100; ++i) {
    unsigned long long now = __rdtsc();
    if (now < last) return 1;
    last = now;
  }
  return 0;
}

static void ends_well(pid_t child) {
  int status = -1;
  CHECK(child > 0);
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
}

// Again as the program that the loader starts, which reads the counter itself.
static char* again[] = {"/proc/self/exe", "child", NULL};

static void by_fork(int way) {
  pid_t child = way == 2 ? vfork() : fork();
  if (child == 0) {
    if (way == 0) _exit(read_counter());
    if (way == 1 && read_counter() != 0) _exit(2);
    if (way == 3) syscall(SYS_execve, again[0], again, environ);
    execv(again[0], again);
    _exit(127);
  }
  ends_well(child);
}

static int in_clone(void* argument) {
  execv(again[0], (char**)argument);
  _exit(127);
}

static void by_libc(void) {
  pid_t child = 0;
  CHECK_EQ(posix_spawn(&child, "/proc/self/exe", NULL, NULL, again, environ), 0);
  ends_well(child);
  CHECK_EQ(system("true"), 0);
  FILE* pipe = popen("echo well", "r");
  char text[16] = "";
  CHECK(fgets(text, sizeof(text), pipe) != NULL);
  CHECK_EQ(strcmp(text, "well\n"), 0);
  CHECK_EQ(pclose(pipe), 0);
  static char stack[65536];
  ends_well(clone(in_clone, stack + sizeof(stack), SIGCHLD, again));
}

static void threads_of_libc(void) {
  int file = open("/proc/self/exe", O_RDONLY);
  char byte = 0;
  struct aiocb request = {.aio_fildes = file, .aio_buf = &byte, .aio_nbytes = 1};
  CHECK_EQ(aio_read(&request), 0);
  const struct aiocb* all[] = {&request};
  CHECK_EQ(aio_suspend(all, 1, NULL), 0);
  CHECK_EQ(byte, 0x7f);
  close(file);
}

int main(int count, char** arguments) {
  (void)arguments;
  if (count > 1) return read_counter();
  CHECK_EQ(read_counter(), 0);
  for (int way = 0; way < 4; ++way) by_fork(way);
  by_libc();
  threads_of_libc();
  CHECK_EQ(read_counter(), 0);
  execv(again[0], again);
  return 127;
}
