// Functions that the program fetches by name: dlsym() and dlvsym() hand out what Raddle intercepts
// wherever they would hand out the C library's own. Allocators and profilers make their threads
// that way.
#include <dlfcn.h>
#include <pthread.h>

#include "target/base/base.hpp"
#include "target/base/symbols.hpp"
#include "target/control/control.hpp"
#include "target/intercept/threads/thread.hpp"
#include "target/sched/scheduler.hpp"

namespace raddle {
namespace {

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using Dlsym = void* (*)(void*, const char*);
using Dlvsym = void* (*)(void*, const char*, const char*);

const void* here() { return reinterpret_cast<const void*>(&raddle::next_symbol); }

Create g_c_library_create;

// For a library that has a pthread_create() of its own in front of the C library's (jemalloc). The
// interceptor calls the library's when there is no control, so the library must not get the
// interceptor itself: they would call each other for ever.
int create_from_behind(pthread_t* handle, const pthread_attr_t* attributes, void* (*start)(void*),
                       void* argument) {
  take_control();
  if (!controlled()) return g_c_library_create(handle, attributes, start, argument);
  RuntimeScope scope;
  return create_thread(handle, attributes, start, argument, RADDLE_SITE);
}

// What an object that defines `name` itself gets; null: what it would get without us. The threads
// of a sanitizer are not the program's.
void* for_interposer(const void* caller, const char* name, void* real) {
  if (!same_text(name, "pthread_create")) return nullptr;
  if (symbol_in(caller, "__sanitizer_set_report_path").address != nullptr) return nullptr;
  g_c_library_create = reinterpret_cast<Create>(real);
  return reinterpret_cast<void*>(&create_from_behind);
}

void* intercepted(void* handle, const char* name, const char* version, const void* caller) {
  void* own = symbol_in(here(), name).address;
  if (own == nullptr) return nullptr;
  if (handle == RTLD_DEFAULT) {
    // Without a version the loader finds the interceptor itself, or what stands in front of it.
    if (version == nullptr) return nullptr;
    return is_c_library(symbol_behind(here(), name, version).object) ? own : nullptr;
  }
  void* real = nullptr;
  if (handle == RTLD_NEXT) {
    real = symbol_behind(caller, name, version).address;
  } else {
    real = version != nullptr ? RADDLE_REAL(dlvsym)(handle, name, version)
                              : RADDLE_REAL(dlsym)(handle, name);
  }
  if (real == nullptr || !is_in_c_library(real)) return nullptr;
  const bool interposes = symbol_in(caller, name).address != nullptr &&
                          symbol_behind(caller, name, nullptr).address != own;
  return interposes ? for_interposer(caller, name, real) : own;
}

}  // namespace

struct DynamicSymbol {
  void* answer;  // or null, and
  void* real;    // the function to go on with
};

extern "C" __attribute__((used, visibility("hidden"))) DynamicSymbol
raddle_dynamic_symbol(void* handle, const char* name, const char* version, const void* caller) {
  void* answer = name != nullptr ? intercepted(handle, name, version, caller) : nullptr;
  if (answer != nullptr) return {answer, nullptr};
  return {nullptr, version != nullptr ? reinterpret_cast<void*>(RADDLE_REAL(dlvsym))
                                      : reinterpret_cast<void*>(RADDLE_REAL(dlsym))};
}

}  // namespace raddle
