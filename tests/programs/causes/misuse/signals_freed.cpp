// The caller finds the reply there, without waiting for it, and frees the request that the other is
// about to signal: nobody has used the condition before it is destroyed.
// cause: use-after-destruction
// object: Request::answered or condition variable
// level: misuse
#include <pthread.h>

struct Request {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
  bool done = false;
};

static void* answer(void* argument) {
  auto* request = static_cast<Request*>(argument);
  pthread_mutex_lock(&request->mutex);
  request->done = true;
#ifdef FIXED
  pthread_cond_signal(&request->answered);
  pthread_mutex_unlock(&request->mutex);
#else
  pthread_mutex_unlock(&request->mutex);
  pthread_cond_signal(&request->answered);  // [last]
#endif
  return nullptr;
}

int main() {
  auto* request = new Request;
  pthread_t server;
  pthread_create(&server, nullptr, answer, request);
  pthread_mutex_lock(&request->mutex);
  const bool done = request->done;
  pthread_mutex_unlock(&request->mutex);
  if (!done) pthread_join(server, nullptr);
  pthread_cond_destroy(&request->answered);  // [first]
  delete request;
  if (done) pthread_join(server, nullptr);
}
