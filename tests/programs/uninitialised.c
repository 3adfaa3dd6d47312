// expect: passed
// seeds: 3
// native: no
// What main() has not initialised is the same in every execution, whatever plan it has: what the
// runtime leaves on the stack must not decide where a program goes that reads it.
#include <stdio.h>

int main(void) {
  volatile unsigned char left[20000];
  volatile unsigned char* at = left;
  __asm__("" : "+r"(at));  // the compiler would warn, rightly
  unsigned long sum = 0;
  for (unsigned i = 0; i < sizeof(left); ++i) sum = sum * 31 + at[i];
  printf("%lx\n", sum);
  return sum != 0;
}
