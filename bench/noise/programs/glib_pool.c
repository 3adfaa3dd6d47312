// library: GLib
// package: libglib2.0-dev
// pkg-config: glib-2.0
// A GThreadPool squares numbers and returns them through a GAsyncQueue.
#include <glib.h>

static GAsyncQueue* results;

static void square(gpointer data, gpointer user_data) {
  const gint number = GPOINTER_TO_INT(data);
  g_assert(GPOINTER_TO_INT(user_data) == 7);
  g_async_queue_push(results, GINT_TO_POINTER(number * number));
}

int main(void) {
  results = g_async_queue_new();
  GThreadPool* pool = g_thread_pool_new(square, GINT_TO_POINTER(7), 2, TRUE, NULL);
  for (gint i = 1; i <= 5; ++i) g_assert(g_thread_pool_push(pool, GINT_TO_POINTER(i), NULL));
  gint sum = 0;
  for (gint i = 1; i <= 5; ++i) sum += GPOINTER_TO_INT(g_async_queue_pop(results));
  g_assert_cmpint(sum, ==, 55);
  g_assert(g_async_queue_timeout_pop(results, 1000) == NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
  g_async_queue_unref(results);
}
