// A lock whose loop is in the assembly: nobody sees what it orders, so the race that is seen is not
// certain.
#include <pthread.h>
#include <cstddef>

static int taken;
static int balance;

static void lock() {
  __asm__ __volatile__("1: movl $1, %%eax\n\txchgl %%eax, %0\n\ttestl %%eax, %%eax\n\tjnz 1b"
                       : "+m"(taken)
                       :
                       : "eax", "memory", "cc");
}
static void unlock() { __asm__ __volatile__("movl $0, %0" : "=m"(taken) : : "memory"); }

static void* deposit(void* unused) {
  lock();
  balance += 10;
  unlock();
  return unused;
}

int main() {
  pthread_t threads[2];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, deposit, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return balance == 20 ? 0 : 1;
}
