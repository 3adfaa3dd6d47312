// library: libuv
// package: libuv1-dev
// link: -luv
// Work in libuv's pool, finished on the loop, while another thread wakes the loop.
#include <assert.h>
#include <uv.h>

enum { kWorks = 4 };
static uv_async_t async;
static int results[kWorks], after, woken,
    quit;  // the loop's thread reads them; results: each work its own
static uv_mutex_t mutex;

static void work(uv_work_t* request) {
  int* result = request->data;
  *result = *result * *result;
}

static void worked(uv_work_t* request, int status) {
  (void)request;
  assert(status == 0);
  ++after;
}

static void wake(uv_async_t* handle) {
  ++woken;
  uv_mutex_lock(&mutex);
  const int end = quit;
  uv_mutex_unlock(&mutex);
  if (end) uv_close((uv_handle_t*)handle, NULL);
}

static void knock(void* argument) {
  (void)argument;
  uv_async_send(&async);
  uv_mutex_lock(&mutex);
  quit = 1;
  uv_async_send(&async);  // under the lock: the loop closes the handle as soon as it sees quit
  uv_mutex_unlock(&mutex);
}

int main(void) {
  uv_loop_t loop;
  assert(uv_loop_init(&loop) == 0);
  assert(uv_mutex_init(&mutex) == 0);
  assert(uv_async_init(&loop, &async, wake) == 0);
  uv_work_t requests[kWorks];
  for (int i = 0; i < kWorks; ++i) {
    results[i] = i + 1;
    requests[i].data = &results[i];
    assert(uv_queue_work(&loop, &requests[i], work, worked) == 0);
  }
  uv_thread_t thread;
  assert(uv_thread_create(&thread, knock, NULL) == 0);
  assert(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  assert(uv_thread_join(&thread) == 0);
  assert(after == kWorks && (woken == 1 || woken == 2));
  assert(results[0] + results[1] + results[2] + results[3] == 30);
  assert(uv_loop_close(&loop) == 0);
  uv_mutex_destroy(&mutex);
}
