// expect: passed
// seeds: 30
// outside: its children end when they end
// Waiting for children does not stop the other threads; the children run on their own.
#include <sys/wait.h>

#include "check.h"

static int ends[2], reply[2];

static void* answer(void* argument) {
  char byte;
  CHECK_EQ(read(ends[0], &byte, 1), 1);  // from the child
  CHECK_EQ(write(reply[1], &byte, 1), 1);
  return argument;
}

static pid_t child_exits(int status) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    usleep(1000);
    _exit(status);
  }
  return child;
}

int main(void) {
  CHECK_EQ(pipe(ends), 0);
  CHECK_EQ(pipe(reply), 0);
  pthread_t thread = start(answer, NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    char byte = 'q';
    if (write(ends[1], &byte, 1) != 1 || read(reply[0], &byte, 1) != 1) _exit(1);
    _exit(byte == 'q' ? 17 : 1);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);  // meanwhile the other thread must answer
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 17);
  join(thread);

  child = child_exits(3);
  CHECK_EQ(wait(&status), child);
  CHECK_EQ(WEXITSTATUS(status), 3);
  child = child_exits(4);
  siginfo_t info;
  CHECK_EQ(waitid(P_PID, (id_t)child, &info, WEXITED), 0);
  CHECK_EQ(info.si_pid, child);
  CHECK_EQ(info.si_status, 4);
  child = child_exits(5);
  while (waitpid(-1, &status, WNOHANG) == 0) usleep(1000);
  CHECK_EQ(WEXITSTATUS(status), 5);
  CHECK_ERRNO(waitpid(-1, &status, 0), ECHILD);
  return 0;
}
