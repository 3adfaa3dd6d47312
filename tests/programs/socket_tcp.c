// expect: passed
// seeds: 50
// TCP on loopback: accept, connect, recv, send between threads of one process, refused connections.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "check.h"

enum { kLarge = 200 * 1000 };
static int listener;
static struct sockaddr_in address;
static char large[kLarge], back[kLarge];

static void* serve(void* argument) {
  int client = accept(listener, NULL, NULL);
  CHECK(client >= 0);
  static char bytes[5000];
  ssize_t n;
  size_t total = 0;
  while ((n = recv(client, bytes, sizeof bytes, 0)) > 0) {
    total += (size_t)n;
    for (ssize_t done = 0; done < n;) {
      ssize_t m = send(client, bytes + done, (size_t)(n - done), 0);
      CHECK(m > 0);
      done += m;
    }
  }
  CHECK_EQ(n, 0);
  CHECK_EQ(total, kLarge);
  CHECK_EQ(close(client), 0);
  return argument;
}

static void* send_large(void* argument) {
  int fd = *(int*)argument;
  CHECK_EQ(send(fd, large, kLarge, 0), kLarge);
  CHECK_EQ(shutdown(fd, SHUT_WR), 0);
  return NULL;
}

int main(void) {
  for (int i = 0; i < kLarge; ++i) large[i] = (char)(i * 13 + i / 777);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(listener >= 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  CHECK_EQ(bind(listener, (struct sockaddr*)&address, length), 0);
  CHECK_EQ(getsockname(listener, (struct sockaddr*)&address, &length), 0);
  CHECK_EQ(listen(listener, 4), 0);
  pthread_t server = start(serve, NULL);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQ(connect(fd, (struct sockaddr*)&address, sizeof address), 0);
  pthread_t sender = start(send_large, &fd);
  CHECK_EQ(recv(fd, back, kLarge, MSG_WAITALL), kLarge);
  CHECK(memcmp(large, back, kLarge) == 0);
  char byte;
  CHECK_EQ(recv(fd, &byte, 1, 0), 0);
  join(sender);
  join(server);
  CHECK_EQ(close(fd), 0);
  CHECK_EQ(close(listener), 0);
  fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_ERRNO(connect(fd, (struct sockaddr*)&address, sizeof address), ECONNREFUSED);
  return 0;
}
