#include "target/base/forgetting.hpp"

#include <string.h>

#include "target/base/base.hpp"

// The linker's names for the bounds of the two tables and of what is forgotten.
extern "C" {
__attribute__((visibility("hidden"))) extern void (*__start_raddle_forgets[])();
__attribute__((visibility("hidden"))) extern void (*__stop_raddle_forgets[])();
__attribute__((visibility("hidden"))) extern void (*__start_raddle_releases[])();
__attribute__((visibility("hidden"))) extern void (*__stop_raddle_releases[])();
__attribute__((visibility("hidden"))) extern char __start_raddle_forgotten[];
__attribute__((visibility("hidden"))) extern char __stop_raddle_forgotten[];
}

namespace raddle {
namespace {

void call_all(void (**begin)(), void (**end)()) {
  for (; begin != end; ++begin) (*begin)();
}

}  // namespace

void forget_execution() {
  call_all(__start_raddle_forgets, __stop_raddle_forgets);
  memset(__start_raddle_forgotten, 0,
         std::size_t(__stop_raddle_forgotten - __start_raddle_forgotten));
  rewind_arena();
}

void release_abandoned() { call_all(__start_raddle_releases, __stop_raddle_releases); }

}  // namespace raddle
