// A link that is closed while it connects is connected after that: nobody looked again.
// cause: came-between
// object: state
// says: Then T2 writes state = 3
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> state{0};  // 1: connecting, 2: connected, 3: closed

void connect() {
#ifdef FIXED
  int idle = 0;
  if (!state.compare_exchange_strong(idle, 1)) return;
#else
  if (state.load() != 0) return;  // [first]
  state.store(1);
#endif
  std::this_thread::yield();
#ifdef FIXED
  int connecting = 1;
  state.compare_exchange_strong(connecting, 2);
#else
  state.store(2);  // [last]
#endif
}

int main() {
  std::thread opener(connect);
  std::thread closer([] { state.store(3); });
  opener.join();
  closer.join();
  assert(state.load() == 3);
}
