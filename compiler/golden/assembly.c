// Inline assembly: what the pass reads of it is shown as the same operation in C would be.
struct Shared {
  long word;
  int number;
  char byte;
  unsigned long pair[2] __attribute__((aligned(16)));
};

struct Shared g_shared = {1, 2, 3, {4, 5}};

static long exchange(long* at, long value) {
  __asm__ __volatile__("xchgq %0, %1" : "+r"(value), "+m"(*at) : : "memory");
  return value;
}

static int fetch_add(int* at, int value) {
  __asm__ __volatile__("lock; xaddl %0, (%1)" : "+r"(value) : "r"(at) : "memory", "cc");
  return value;
}

static char compare(char* at, char expected, char desired) {
  __asm__ __volatile__("lock\n\tcmpxchgb %2, %1"
                       : "+a"(expected), "+m"(*at)
                       : "q"(desired)
                       : "memory");
  return expected;
}

static int decrement(int* at) {
  unsigned char zero;
  __asm__ __volatile__("lock; decl %0; sete %1" : "+m"(*at), "=qm"(zero) : : "memory", "cc");
  return zero;
}

static int compare_pair(unsigned long* at, unsigned long low, unsigned long high) {
  unsigned char done;
  __asm__ __volatile__("lock cmpxchg16b %1\n\tsetz %0"
                       : "=q"(done), "+m"(*(unsigned long(*)[2])at), "+a"(low), "+d"(high)
                       : "b"(8UL), "c"(9UL)
                       : "memory", "cc");
  return done;
}

static void set(char* at, char value) {
  __asm__ __volatile__("movb %1, %0" : "=m"(*at) : "qi"(value) : "memory");
}

static long get(const long* at) {
  long value;
  __asm__ __volatile__("movq %1, %0" : "=r"(value) : "m"(*at) : "memory");
  return value;
}

static void count(int* at) { __asm__ __volatile__("incl %0" : "+m"(*at) : : "cc"); }

int main(void) {
  struct Shared* s = &g_shared;
  __asm__ __volatile__("" ::: "memory");
  __asm__ __volatile__("rep; nop" ::: "memory");
  long before = exchange(&s->word, 7);
  before += fetch_add(&s->number, 5);
  before += compare(&s->byte, 3, 6);
  before += compare(&s->byte, 3, 9);
  before += decrement(&s->number);
  before += compare_pair(s->pair, 4, 5);
  before += compare_pair(s->pair, 4, 5);
  set(&s->byte, 1);
  before += get(&s->word);
  count(&s->number);
  __asm__ __volatile__("mfence" ::: "memory");
  __asm__ __volatile__("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
  unsigned low, high;
  __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
  return before == 1 + 2 + 3 + 6 + 0 + 1 + 0 + 7 && low != high ? 0 : 1;
}
