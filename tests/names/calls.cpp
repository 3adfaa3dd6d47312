// Two threads change a variable, three calls deep. The lines of the calls are marked.
#include <thread>

struct Counter {
  __attribute__((noinline)) void add(int amount) {
    const int seen = total;  // [access]
    total = seen + amount;
  }
  int total = 0;
  int calls = 0;
};

__attribute__((noinline)) void step(Counter& counter) {
  ++counter.calls;

  counter.add(1);  // [step]
  ++counter.calls;
}

inline __attribute__((always_inline)) void twice(Counter& counter) {
  int calls = counter.calls;
  step(counter);  // [twice]
  counter.calls += calls;
}

__attribute__((noinline)) void work(Counter& counter) {
  counter.calls = 1;

  twice(counter);  // [work]
  counter.calls = 2;
}

int main() {
  Counter counter;
  std::thread other([&] { work(counter); });  // [thread]
  other.join();
  std::thread one([&] { work(counter); }), two([&] { work(counter); });
  one.join();
  two.join();
}
