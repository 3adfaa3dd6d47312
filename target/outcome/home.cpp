#include "target/outcome/home.hpp"

#include <stdio.h>

namespace raddle {

Thread g_home;
void (*g_dying)(SharedRegion*);

void return_home() {
  if (g_in_process) switch_home();
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
