// expect: passed
// seeds: 30
// outside: its children end when they end
// A thread forks a child that execs another program; another one uses system() and posix_spawn.
#include <spawn.h>
#include <sys/wait.h>

#include "check.h"

extern char** environ;

static void* run_true(void* argument) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(127);
  }
  int status = -1;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
  return argument;
}

static void* spawn(void* argument) {
  char* arguments[] = {"sh", "-c", "exit 9", NULL};
  pid_t child = 0;
  CHECK_EQ(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ), 0);
  int status = -1;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(WEXITSTATUS(status), 9);
  return argument;
}

int main(void) {
  pthread_t threads[2] = {start(run_true, NULL), start(spawn, NULL)};
  for (int i = 0; i < 2; ++i) join(threads[i]);
  int status = system("exit 6");
  CHECK_EQ(WEXITSTATUS(status), 6);
  return 0;
}
