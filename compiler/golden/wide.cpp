// Accesses of sizes without a hook of their own, references to parts of them; thunks, and values
// passed by copy: functions with these keep their hooks where they are.
typedef float Four __attribute__((vector_size(16)));
struct Mixed {
  __int128 huge;
  long double real;
  Four lanes;
  bool flag;
  unsigned _BitInt(24) odd;
  volatile int often;
};
struct Large {
  long parts[10];
};

Mixed g_mixed;
Large g_large;

struct Base {
  virtual long sum(Large by_copy) = 0;
};
struct Other {
  long weight = 2;
  virtual ~Other() {}
};
struct Derived : Other, Base {
  long sum(Large by_copy) override { return by_copy.parts[3] * weight; }
};

static int run(const unsigned char* code) {
  static void* const kTargets[] = {&&increment, &&stop};
  goto* kTargets[*code];
increment:
  g_mixed.often = g_mixed.often + 1;
  goto* kTargets[*++code];
stop:
  return g_mixed.often;
}

int main() {
  g_mixed.huge += 5;
  g_mixed.real *= 2;
  g_mixed.lanes += g_mixed.lanes;
  g_mixed.flag = !g_mixed.flag;
  g_mixed.odd += 1;
  Derived derived;
  Base* volatile base = &derived;
  g_large.parts[3] = base->sum(g_large);
  const unsigned char code[] = {0, 0, 1};
  const unsigned char* volatile start = code;
  return run(start) == 2 ? 0 : 1;
}
