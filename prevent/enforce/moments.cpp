// startThread(), endThread() and endProgram(). This file is linked into programs only if a property
// has such events: it puts itself before pthread_create().
#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <new>
#include <vector>

#include <raddle/mop.hpp>

namespace raddle::mop {
namespace {

// Filled before main, and constant from then on.
std::vector<void (*)()>& starts() {
  static auto& list = *new std::vector<void (*)()>();
  return list;
}
std::vector<void (*)()>& ends() {
  static auto& list = *new std::vector<void (*)()>();
  return list;
}

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
Create g_create;

// Before any thread: a lookup later would be a step of one execution and not of the next.
__attribute__((constructor(101))) void find_create() {
  g_create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  starts();
  ends();
}

struct Start {
  void* (*function)(void*);
  void* argument;
};

// Also runs if the thread is cancelled or calls pthread_exit().
struct End {
  ~End() {
    for (void (*event)() : ends()) event();
  }
};

void* run(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  std::free(argument);
  for (void (*event)() : starts()) event();
  const End end;
  return start.function(start.argument);
}

int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                  void* argument) {
  if (g_create == nullptr) find_create();
  // Reports call a thread by its function.
  if (starts().empty() && ends().empty()) return g_create(thread, attributes, function, argument);
  void* memory = std::malloc(sizeof(Start));
  if (memory == nullptr) return g_create(thread, attributes, function, argument);
  auto* start = new (memory) Start{function, argument};
  const int result = g_create(thread, attributes, run, start);
  if (result != 0) std::free(memory);
  return result;
}

}  // namespace

void at_thread_start(void (*event)()) { starts().push_back(event); }
void at_thread_end(void (*event)()) { ends().push_back(event); }
void at_program_end(void (*event)()) { std::atexit(event); }

}  // namespace raddle::mop

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*function)(void*), void* argument) {
  return raddle::mop::create_thread(thread, attributes, function, argument);
}
