// The scanf family: the wait comes before the call. A conversion that needs more than the
// descriptor had then really waits, inside libc.
#include <stdarg.h>
#include <stdio.h>

#include "target/base/base.hpp"
#include "target/intercept/io/stdio.hpp"

using namespace raddle;

// glibc has two of each: GNU's own and those of C99, which differ in %a.
extern "C" {
int __isoc99_vfscanf(FILE* stream, const char* format, va_list arguments);
int __isoc99_fscanf(FILE* stream, const char* format, ...);
int __isoc99_vscanf(const char* format, va_list arguments);
int __isoc99_scanf(const char* format, ...);
}

// The header maps the plain names to the C99 ones; these are the old symbols themselves.
extern "C" int raddle_vfscanf(FILE* stream, const char* format, va_list arguments) asm("vfscanf");
extern "C" int raddle_fscanf(FILE* stream, const char* format, ...) asm("fscanf");
extern "C" int raddle_vscanf(const char* format, va_list arguments) asm("vscanf");
extern "C" int raddle_scanf(const char* format, ...) asm("scanf");

namespace {

using Scan = int (*)(FILE*, const char*, va_list);

int old_scan(FILE* stream, const char* format, va_list arguments) {
  static Scan real;
  if (real == nullptr) real = reinterpret_cast<Scan>(next_symbol("vfscanf"));
  return real(stream, format, arguments);
}

int new_scan(FILE* stream, const char* format, va_list arguments) {
  static Scan real;
  if (real == nullptr) real = reinterpret_cast<Scan>(next_symbol("__isoc99_vfscanf"));
  return real(stream, format, arguments);
}

}  // namespace

RADDLE_EXPORT int raddle_vfscanf(FILE* stream, const char* format, va_list arguments) {
  await_input(stream, RADDLE_SITE);
  return old_scan(stream, format, arguments);
}
RADDLE_EXPORT int raddle_fscanf(FILE* stream, const char* format, ...) {
  await_input(stream, RADDLE_SITE);
  va_list arguments;
  va_start(arguments, format);
  int result = old_scan(stream, format, arguments);
  va_end(arguments);
  return result;
}
RADDLE_EXPORT int raddle_vscanf(const char* format, va_list arguments) {
  await_input(stdin, RADDLE_SITE);
  return old_scan(stdin, format, arguments);
}
RADDLE_EXPORT int raddle_scanf(const char* format, ...) {
  await_input(stdin, RADDLE_SITE);
  va_list arguments;
  va_start(arguments, format);
  int result = old_scan(stdin, format, arguments);
  va_end(arguments);
  return result;
}

RADDLE_EXPORT int __isoc99_vfscanf(FILE* stream, const char* format, va_list arguments) {
  await_input(stream, RADDLE_SITE);
  return new_scan(stream, format, arguments);
}
RADDLE_EXPORT int __isoc99_fscanf(FILE* stream, const char* format, ...) {
  await_input(stream, RADDLE_SITE);
  va_list arguments;
  va_start(arguments, format);
  int result = new_scan(stream, format, arguments);
  va_end(arguments);
  return result;
}
RADDLE_EXPORT int __isoc99_vscanf(const char* format, va_list arguments) {
  await_input(stdin, RADDLE_SITE);
  return new_scan(stdin, format, arguments);
}
RADDLE_EXPORT int __isoc99_scanf(const char* format, ...) {
  await_input(stdin, RADDLE_SITE);
  va_list arguments;
  va_start(arguments, format);
  int result = new_scan(stdin, format, arguments);
  va_end(arguments);
  return result;
}
