// What the handlers of the specifications call: the program ends with the name of the property.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void violated(const char* property, const char* place) {
  std::printf("%s violated at %s\n", property, place);
  std::fflush(stdout);
  std::_Exit(1);
}
