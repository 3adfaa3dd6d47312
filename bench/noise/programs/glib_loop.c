// library: GLib
// package: libglib2.0-dev
// pkg-config: glib-2.0
// Threads hand work to a main loop in a thread of its own; a timeout ends it.
#include <glib.h>

static GMainContext* context;
static GMainLoop* loop;
static GThread* loop_thread;
static gint called;  // the loop's thread alone writes it

static gboolean count(gpointer data) {
  (void)data;
  g_assert(g_thread_self() == loop_thread);
  ++called;
  return G_SOURCE_REMOVE;
}

static gboolean quit(gpointer data) {
  (void)data;
  g_main_loop_quit(loop);
  return G_SOURCE_REMOVE;
}

static gpointer post(gpointer data) {
  for (gint i = 0; i < 3; ++i) g_main_context_invoke(context, count, NULL);
  return data;
}

static gpointer run(gpointer data) {
  g_main_context_push_thread_default(context);
  g_main_loop_run(loop);
  g_main_context_pop_thread_default(context);
  return data;
}

int main(void) {
  context = g_main_context_new();
  loop = g_main_loop_new(context, FALSE);
  // Nobody calls count() before this thread has its name: the threads that post are made later.
  loop_thread = g_thread_new("loop", run, NULL);
  while (!g_main_loop_is_running(loop)) g_usleep(100);
  GThread* one = g_thread_new("one", post, NULL);
  GThread* two = g_thread_new("two", post, NULL);
  g_thread_join(one);
  g_thread_join(two);
  GSource* end = g_timeout_source_new(2);
  g_source_set_callback(end, quit, NULL, NULL);
  g_source_attach(end, context);
  g_source_unref(end);
  g_thread_join(loop_thread);
  g_assert_cmpint(called, ==, 6);
  g_main_loop_unref(loop);
  g_main_context_unref(context);
}
