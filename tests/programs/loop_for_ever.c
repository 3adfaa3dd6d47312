// expect: livelock/limit
// seeds: 2
// native: no
// options: --timeout 2
// One thread, no synchronisation, no end.
int main(void) {
  for (volatile unsigned i = 0;; ++i) {
  }
}
