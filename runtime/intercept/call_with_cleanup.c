#include "runtime/intercept/call_with_cleanup.h"

struct Call {
  void (*cleanup)(void*);
  void* data;
};

static void finish(struct Call* call) { call->cleanup(call->data); }

void raddle_call_with_cleanup(void (*function)(void), int* finished, void (*cleanup)(void*), void* data) {
  struct Call call __attribute__((cleanup(finish), unused)) = {cleanup, data};
  function();
  *finished = 1;
}
