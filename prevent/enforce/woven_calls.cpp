// Small functions that generated and woven code calls.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <raddle/mop.hpp>

#include "prevent/monitor/gate.hpp"

namespace raddle::mop {

bool thread_is(const char* name) {
  if (monitor::Gate::get().self().name == name) return true;
  char own[16] = "";  // the kernel's limit
  return pthread_getname_np(pthread_self(), own, sizeof(own)) == 0 &&
         std::strncmp(own, name, sizeof(own) - 1) == 0;
}

void threw(const char* where, const char* location, const char* what) {
  std::fprintf(stderr,
               "raddle: %s threw an exception%s%s%s%s\n"
               "raddle: the program ends: a property's code must not throw\n",
               where, *location != 0 ? " at " : "", location, *what != 0 ? ": " : "", what);
  std::abort();
}

}  // namespace raddle::mop

extern "C" void raddle_mop_objects(void (*tell)(const void* object), const void* memory,
                                   std::uint64_t bytes, std::uint64_t size) {
  const char* at = static_cast<const char*>(memory);
  for (std::uint64_t i = 0; at != nullptr && size > 0 && i + size <= bytes; i += size) tell(at + i);
}
