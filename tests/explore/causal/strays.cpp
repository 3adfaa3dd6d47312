// How many may pass the semaphore depends on a file that earlier executions wrote: a schedule that
// follows from one execution is not possible in the next.
#include <semaphore.h>

#include <atomic>
#include <cstdio>
#include <thread>

static sem_t may_write;
static std::atomic<int> value;

static void look() { value.load(); }

static void write() {
  sem_wait(&may_write);
  value = 1;
  sem_post(&may_write);
}

int main(int, char** arguments) {
  std::FILE* file = std::fopen(arguments[1], "a+");
  std::fseek(file, 0, SEEK_END);
  sem_init(&may_write, 0, std::ftell(file) == 0 ? 1 : 0);
  std::fputc('x', file);
  std::fclose(file);
  std::thread reader(look);
  std::thread writer(write);
  reader.join();
  writer.join();
}
