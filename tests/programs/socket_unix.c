// expect: passed
// AF_UNIX: a server thread accepts two clients of the same process and echoes.
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "check.h"

static int listener;
static struct sockaddr_un address;
static socklen_t length;

static void* serve(void* argument) {
  for (int i = 0; i < 2; ++i) {
    int client =
        i == 0 ? accept(listener, NULL, NULL) : accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    CHECK(client >= 0);
    char bytes[16];
    ssize_t n;
    while ((n = read(client, bytes, sizeof bytes)) > 0)
      CHECK_EQ(write(client, bytes, (size_t)n), n);
    CHECK_EQ(n, 0);
    CHECK_EQ(close(client), 0);
  }
  return argument;
}

static void* ask(void* argument) {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(fd >= 0);
  CHECK_EQ(connect(fd, (struct sockaddr*)&address, length), 0);
  for (int i = 0; i < 3; ++i) {
    char bytes[4] = {0};
    CHECK_EQ(write(fd, argument, 3), 3);
    CHECK_EQ(recv(fd, bytes, 3, MSG_WAITALL), 3);
    CHECK(memcmp(bytes, argument, 3) == 0);
  }
  CHECK_EQ(close(fd), 0);
  return NULL;
}

int main(void) {
  listener = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(listener >= 0);
  address.sun_family = AF_UNIX;
  // An abstract name: nothing to remove afterwards.
  int n =
      snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "raddle-test-%d", (int)getpid());
  length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
  CHECK_EQ(bind(listener, (struct sockaddr*)&address, length), 0);
  CHECK_EQ(listen(listener, 4), 0);
  pthread_t server = start(serve, NULL);
  pthread_t clients[2] = {start(ask, "abc"), start(ask, "xyz")};
  for (int i = 0; i < 2; ++i) join(clients[i]);
  join(server);

  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK_EQ(close(listener), 0);
  CHECK_ERRNO(connect(fd, (struct sockaddr*)&address, length), ECONNREFUSED);
  return 0;
}
