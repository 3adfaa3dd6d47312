#include "target/base/forgetting.hpp"

#include "target/base/base.hpp"

// The linker's names for the bounds of the two tables.
extern "C" {
__attribute__((visibility("hidden"))) extern void (*__start_raddle_forgets[])();
__attribute__((visibility("hidden"))) extern void (*__stop_raddle_forgets[])();
__attribute__((visibility("hidden"))) extern void (*__start_raddle_releases[])();
__attribute__((visibility("hidden"))) extern void (*__stop_raddle_releases[])();
}

namespace raddle {
namespace {

void call_all(void (**begin)(), void (**end)()) {
  for (; begin != end; ++begin) (*begin)();
}

}  // namespace

void forget_execution() {
  call_all(__start_raddle_forgets, __stop_raddle_forgets);
  rewind_arena();
}

void release_abandoned() { call_all(__start_raddle_releases, __stop_raddle_releases); }

}  // namespace raddle
