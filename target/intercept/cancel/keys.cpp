// Thread-specific data works unchanged in a fiber; only who calls the destructors differs, so they
// are remembered here when a key is made.
#include "target/intercept/cancel/keys.hpp"

#include <limits.h>
#include <pthread.h>

#include "target/base/base.hpp"

namespace {

using Destructor = void (*)(void*);

Destructor g_destructors[PTHREAD_KEYS_MAX];
pthread_key_t g_keys;  // all keys with a destructor are below

}  // namespace

namespace raddle {

void run_key_destructors() {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool again = false;
    for (pthread_key_t key = 0; key < g_keys; ++key) {
      Destructor destructor = g_destructors[key];
      if (destructor == nullptr) continue;
      void* value = pthread_getspecific(key);
      if (value == nullptr) continue;
      pthread_setspecific(key, nullptr);
      destructor(value);
      again = true;
    }
    if (!again) return;
  }
  // What is left after that many rounds is dropped; a kernel thread's own end must not find it
  // either.
  for (pthread_key_t key = 0; key < g_keys; ++key) {
    if (g_destructors[key] != nullptr) pthread_setspecific(key, nullptr);
  }
}

}  // namespace raddle

RADDLE_EXPORT int pthread_key_create(pthread_key_t* key, Destructor destructor) {
  int error = RADDLE_REAL(pthread_key_create)(key, destructor);
  if (error != 0 || *key >= PTHREAD_KEYS_MAX) return error;
  g_destructors[*key] = destructor;
  if (destructor != nullptr && *key >= g_keys) g_keys = *key + 1;
  return 0;
}

RADDLE_EXPORT int __pthread_key_create(pthread_key_t* key, Destructor destructor) {
  return pthread_key_create(key, destructor);
}

RADDLE_EXPORT int pthread_key_delete(pthread_key_t key) {
  int error = RADDLE_REAL(pthread_key_delete)(key);
  if (error == 0 && key < PTHREAD_KEYS_MAX) g_destructors[key] = nullptr;
  return error;
}
