// main OPERATIONS OPERATIONS: two threads, each with its list. What was reached in the end is a
// failure of its own, because each final state ends the process in another function.
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#include "hidden.hpp"

static std::mutex mutex;
static int last[2];

static void run(int thread, const char* operations) {
  for (; *operations != 0; ++operations) {
    const int variable =
        *operations == 'l' || *operations == 's' || *operations == 'i' || *operations == 'a' ? 0
                                                                                             : 1;
    switch (*operations | 32) {
      case 'l':
        last[thread] = load(variable);
        break;
      case 's':
        store(variable, 5 + thread);
        break;
      case 'i':
        increment(variable);
        break;
      case 'a':
        add_two(variable);
        break;
      case 'g':
        guarded();
        break;
      case 'm': {
        const std::lock_guard<std::mutex> lock(mutex);
        increment(1);
        break;
      }
      default:
        break;
    }
  }
}

constexpr int kStates = 251;

template <int State>
[[gnu::noinline]] void reached() {
  std::exit(1);
}

template <std::size_t... States>
void end_in(int state, std::index_sequence<States...>) {
  constexpr void (*kEnds[])() = {reached<States>...};
  kEnds[state]();
}

int main(int, char** argv) {
  std::thread other(run, 1, argv[2]);
  run(0, argv[1]);
  other.join();
  end_in(((load(0) * 7 + load(1)) * 7 + last[0] * 3 + last[1]) % kStates,
         std::make_index_sequence<kStates>());
}
