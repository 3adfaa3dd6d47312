// samples PLACE: the thread sends itself, at one place, the signal by which Raddle samples a thread
// that makes no steps for long, as it would come on a busy machine. The execution is the same
// without (PLACE 0), and wherever the signal comes.
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <atomic>

namespace {

constexpr long kSample = 63;
int place;
std::atomic<int> shared;
int plain;
int* volatile nowhere;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Not through libc, in which samples are not looked at.
long call(long number, long a = 0, long b = 0, long c = 0) {
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c)
               : "rcx", "r11", "memory");
  return result;
}

// Signal 0 is none: the program does the same in any case.
__attribute__((noinline)) void sample(int here) {
  const long process = call(SYS_getpid), thread = call(SYS_gettid);
  call(SYS_tgkill, process, thread, here == place ? kSample : 0);
}

void atomics() {
  sample(1);
  shared.fetch_add(1);
  sample(2);
  static_cast<void>(shared.load());
  sample(3);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  sample(4);
  shared.store(3);
  sample(5);
  int seen = shared;
  sample(6);
  shared.compare_exchange_strong(seen, 7);
  sample(7);
  pthread_mutex_lock(&mutex);
  sample(8);
  ++plain;
  pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) bool is_set() { return plain == -1; }

// It looks like one that waits, and counts its rounds in a variable far from its innermost frame.
__attribute__((noinline)) int looks_often() {
  int round;
  [[maybe_unused]] volatile char room[4096];
  room[0] = 0;
  sample(9);
  for (round = 0; round < 100; ++round) {
    if (is_set()) return 1;
  }
  return 0;
}

// The same for code without hooks: samples count when the thread has run for 1 ms in between.
__attribute__((noinline)) void computes() {
  for (int i = 0; i < 2'000'000; ++i) asm volatile("" : : : "memory");
  sample(10);
}

__attribute__((noinline)) void computes_often() {
  int round;
  [[maybe_unused]] volatile char room[4096];
  room[0] = 0;
  for (round = 0; round < 6; ++round) computes();
}

void* work(void*) {
  for (int i = 0; i < 3; ++i) atomics();
  looks_often();
  computes_often();
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  place = argc > 1 ? atoi(argv[1]) : 0;
  pthread_t a, b;
  pthread_create(&a, nullptr, work, nullptr);
  pthread_create(&b, nullptr, work, nullptr);
  pthread_join(a, nullptr);
  pthread_join(b, nullptr);
  if (argc <= 2) return 0;
  sample(11);
  return *nowhere;  // crashes here
}
