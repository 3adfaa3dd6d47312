// expect: livelock/inconclusive
// seeds: 2
// native: no
// replays: 2
// options: --timeout 2
// One thread, no synchronisation, no end.
int main(void) {
  for (volatile unsigned i = 0;; ++i) {
  }
}
