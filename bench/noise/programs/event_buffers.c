// library: libevent
// package: libevent-dev
// link: -levent -levent_pthreads
// A bufferevent on a socket pair: a thread writes into it, the loop echoes, another thread reads.
#include <assert.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/thread.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void echo(struct bufferevent* buffers, void* argument) {
  (void)argument;
  bufferevent_write_buffer(buffers, bufferevent_get_input(buffers));
}

static void closed(struct bufferevent* buffers, short what, void* argument) {
  (void)buffers;
  assert(what & BEV_EVENT_EOF);
  event_base_loopbreak(argument);
}

static void* client(void* argument) {
  const char text[] = "there and back";
  assert(write(ends[1], text, sizeof text) == sizeof text);
  char reply[sizeof text];
  for (size_t have = 0; have < sizeof reply;) {
    const ssize_t got = read(ends[1], reply + have, sizeof reply - have);
    assert(got > 0);
    have += got;
  }
  assert(strcmp(reply, text) == 0);
  assert(close(ends[1]) == 0);
  return argument;
}

int main(void) {
  assert(evthread_use_pthreads() == 0);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  assert(evutil_make_socket_nonblocking(ends[0]) == 0);
  struct event_base* base = event_base_new();
  struct bufferevent* buffers =
      bufferevent_socket_new(base, ends[0], BEV_OPT_CLOSE_ON_FREE | BEV_OPT_THREADSAFE);
  assert(base && buffers);
  bufferevent_setcb(buffers, echo, NULL, closed, base);
  assert(bufferevent_enable(buffers, EV_READ | EV_WRITE) == 0);
  pthread_t thread;
  assert(pthread_create(&thread, NULL, client, NULL) == 0);
  assert(event_base_dispatch(base) == 0);
  pthread_join(thread, NULL);
  bufferevent_free(buffers);
  event_base_free(base);
  libevent_global_shutdown();
}
