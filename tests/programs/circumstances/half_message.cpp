// Two threads and a socket pair. The reader takes for granted that a message comes in one piece;
// -DFIXED: it reads until it has all of it. A pipe beside it gives a small message at once, always.
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], tube[2];

static void* send_messages(void*) {
  const char text[] = "message";
  if (write(tube[1], text, sizeof text) != sizeof text) abort();
  if (write(ends[1], text, sizeof text) != sizeof text) abort();
  return nullptr;
}

int main() {
  pthread_t sender;
  char text[8];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || pipe(tube) != 0) return 2;
  pthread_create(&sender, nullptr, send_messages, nullptr);
  if (read(tube[0], text, sizeof text) != sizeof text) return 3;
  size_t have = 0;
  do {
    const ssize_t more = read(ends[0], text + have, sizeof text - have);
    if (more <= 0) return 4;
    have += (size_t)more;
#ifdef FIXED
  } while (have < sizeof text);
#else
  } while (0);
#endif
  pthread_join(sender, nullptr);
  return have == sizeof text ? 0 : 1;
}
