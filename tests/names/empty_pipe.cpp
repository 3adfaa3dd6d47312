// A thread reads from a pipe into which nobody writes: a deadlock, at descriptor 40.
#include <unistd.h>

#include <thread>

int main() {
  int ends[2];
  if (pipe(ends) != 0 || dup2(ends[0], 40) != 40) return 2;
  std::thread reader([] {
    char byte;
    if (read(40, &byte, 1) != 1) _exit(3);
  });
  reader.join();
  return 0;
}
