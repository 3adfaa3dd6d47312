// Atomic operations of every size and order.
#include <atomic>

struct Triple {
  long a, b, c;
};

struct Shared {
  std::atomic<char> one{1};
  std::atomic<short> two{2};
  std::atomic<int> four{4};
  std::atomic<long> eight{8};
  std::atomic<double> real{0.5};
  std::atomic<Shared*> self{nullptr};
  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  _Atomic int c_style = 3;
  long plain = 0;
  std::atomic<Triple> large{};
  std::atomic<__int128> sixteen{0};
};

Shared g_shared;

int main() {
  Shared& s = g_shared;
  s.one.store(5, std::memory_order_relaxed);
  s.two.store(6, std::memory_order_release);
  s.four.store(7);
  long sum = s.one.load(std::memory_order_relaxed) + s.two.load(std::memory_order_acquire) +
             s.four.load() + s.eight.load(std::memory_order_consume);
  s.eight.fetch_add(2, std::memory_order_acq_rel);
  s.eight.fetch_and(14, std::memory_order_acquire);
  s.four.exchange(9, std::memory_order_release);
  s.four.fetch_sub(1, std::memory_order_relaxed);
  int expected = 8;
  bool first = s.four.compare_exchange_strong(expected, 10, std::memory_order_acq_rel,
                                              std::memory_order_acquire);
  bool second = s.four.compare_exchange_weak(expected, 11, std::memory_order_relaxed);
  s.real.store(1.5);
  s.self.store(&s, std::memory_order_release);
  s.self.load(std::memory_order_acquire)->plain = sum;
  s.flag.test_and_set(std::memory_order_acquire);
  s.flag.clear(std::memory_order_release);
  s.c_style += 4;
  s.large.store({5, 6, 7}, std::memory_order_release);
  Triple before = s.large.load(std::memory_order_acquire);
  s.large.compare_exchange_strong(before, {8, 9, 10});
  s.sixteen.exchange(3, std::memory_order_relaxed);
  s.sixteen.store(before.b, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_acquire);
  s.plain = sum + 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return first && !second ? 0 : 1;
}
