// Two units of work over three variables, as the command line says: two_units UNIT UNIT. A unit is
// a list of operations of three characters:
//   a=5   a becomes 5
//   a+2   a is read, and then becomes 2 more
//   a<b   b is read, and then a becomes it
//   a?b   if a is odd, b becomes 7
// Each read and each write holds the lock, and gives it up. At the end each unit reads everything,
// so that all three variables are used by both. What they leave is printed.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "raddle/annotations.hpp"

namespace {

// Of three types, so that the compiler does not make one instruction of the three accesses.
struct Shared {
  std::mutex mutex;
  long a = 0;
  int b = 0;
  short c = 0;
} shared;

long read(char variable) {
  const std::lock_guard lock(shared.mutex);
  switch (variable) {
    case 'a':
      return shared.a;
    case 'b':
      return shared.b;
    default:
      return shared.c;
  }
}

void write(char variable, long value) {
  const std::lock_guard lock(shared.mutex);
  switch (variable) {
    case 'a':
      shared.a = value;
      return;
    case 'b':
      shared.b = static_cast<int>(value);
      return;
    default:
      shared.c = static_cast<short>(value);
  }
}

void unit(const char* operations) {
  const raddle::unit_of_work work("unit", &shared);
  for (const char* op = operations; op[0] != '\0' && op[1] != '\0' && op[2] != '\0'; op += 3) {
    switch (op[1]) {
      case '=':
        write(op[0], op[2] - '0');
        break;
      case '+':
        write(op[0], read(op[0]) + op[2] - '0');
        break;
      case '<':
        write(op[0], read(op[2]));
        break;
      default:
        if (read(op[0]) % 2 != 0) write(op[2], 7);
    }
  }
  long sum = 0;
  for (const char variable : {'a', 'b', 'c'}) sum += read(variable);
  if (sum == -1) std::puts("never");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  // The variables are known from the beginning.
  for (const char variable : {'a', 'b', 'c'}) write(variable, 0);
  std::thread first(unit, argv[1]);
  std::thread second(unit, argv[2]);
  first.join();
  second.join();
  std::printf("%ld %d %d\n", shared.a, shared.b, shared.c);
  return 0;
}
