#include "target/outcome/home.hpp"

#include <stdio.h>

#include "target/carrier/fiber_switch.hpp"
#include "target/state/execution.hpp"

namespace raddle {

Thread g_home;
void (*g_dying)(SharedRegion*);

void return_home() {
  if (!g_in_process) return;
  Thread& here = self();
  g_current = &g_home;
  switch_fiber(here, g_home);
  fatal("internal error: an execution that is over goes on");
}

void return_home_from_crash() {
  if (!g_in_process) return;
  bool busy = g_in_heap;
  for (FILE* file : {stdout, stderr}) {
    if (RADDLE_REAL(ftrylockfile)(file) != 0) {
      busy = true;
    } else {
      RADDLE_REAL(funlockfile)(file);
    }
  }
  if (!busy) return_home();
  if (g_dying != nullptr) g_dying(g_region);
}

}  // namespace raddle
