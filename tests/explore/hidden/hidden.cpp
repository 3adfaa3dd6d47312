#include "hidden.hpp"

#ifdef ASSEMBLY

#ifdef OPAQUE  // nothing that a compiler would recognise
#define HIDDEN "jmp 1f\n1:\t"
#else
#define HIDDEN
#endif

static int variables[2];
static int lock;

int load(int v) {
  int value;
  asm volatile(HIDDEN "movl %1, %0" : "=r"(value) : "m"(variables[v]) : "memory");
  return value;
}
void store(int v, int value) {
  asm volatile(HIDDEN "xchgl %0, %1" : "+r"(value), "+m"(variables[v])::"memory");
}
void add_two(int v) { asm volatile(HIDDEN "lock addl $2, %0" : "+m"(variables[v])::"memory"); }

static bool try_lock() {
  int value = 1;
  asm volatile(HIDDEN "xchgl %0, %1" : "+r"(value), "+m"(lock)::"memory");
  return value == 0;
}
static void unlock() { asm volatile(HIDDEN "movl $0, %0" : "=m"(lock)::"memory"); }

#else

#include <atomic>

static std::atomic<int> variables[2];
static std::atomic<int> lock;

int load(int v) { return variables[v]; }
void store(int v, int value) { variables[v] = value; }
void add_two(int v) { variables[v] += 2; }

static bool try_lock() { return lock.exchange(1) == 0; }
static void unlock() { lock = 0; }

#endif

void increment(int v) { store(v, load(v) + 1); }

void guarded() {
  if (!try_lock()) {
    add_two(1);
    add_two(1);
    return;
  }
  store(0, load(0) * 2);
  unlock();
}
