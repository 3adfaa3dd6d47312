// Atomic operations in inline assembly, as libraries wrote them before C11.
#pragma once

static inline long exchange(long* at, long value) {
  __asm__ __volatile__("xchgq %0, %1" : "+r"(value), "+m"(*at) : : "memory");
  return value;
}
static inline int fetch_add(int* at, int value) {
  __asm__ __volatile__("lock; xaddl %0, (%1)" : "+r"(value) : "r"(at) : "memory", "cc");
  return value;
}
static inline void* compare_exchange(void** at, void* expected, void* desired) {
  __asm__ __volatile__("lock; cmpxchgq %2, %1"
                       : "+a"(expected), "+m"(*at)
                       : "r"(desired)
                       : "memory", "cc");
  return expected;
}
#define LOAD(x) (*(volatile __typeof__(x)*)&(x))
#define STORE(x, value) (*(volatile __typeof__(x)*)&(x) = (value))
