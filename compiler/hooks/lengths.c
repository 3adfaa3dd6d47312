/* Computes how many bytes the string functions of libc look at. */
#include "compiler/hooks/hooks.h"

typedef const volatile unsigned char Byte;

HOOK uint64_t __raddle_length(const char* text, uint64_t limit) {
  Byte* at = (Byte*)text;
  uint64_t n = 0;
  while (n < limit && at[n]) ++n;
  return n;
}

HOOK uint64_t __raddle_length_common(const void* left, const void* right, uint64_t limit,
                                     uint32_t text) {
  Byte* a = left;
  Byte* b = right;
  for (uint64_t n = 0; n < limit; ++n) {
    if (a[n] != b[n] || (text && a[n] == 0)) return n + 1;
  }
  return limit;
}

HOOK uint64_t __raddle_length_until(const void* start, int byte, uint64_t limit, uint32_t text) {
  Byte* at = start;
  for (uint64_t n = 0; n < limit; ++n) {
    if (at[n] == (unsigned char)byte || (text && at[n] == 0)) return n + 1;
  }
  return limit;
}

HOOK uint64_t __raddle_length_wide(const void* wchars) {
  const volatile uint32_t* at = wchars;
  uint64_t n = 0;
  while (at[n]) ++n;
  return n * 4;
}
