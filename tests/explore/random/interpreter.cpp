// A small random program, by its seed: 2 or 3 threads with locks, atomics, a semaphore and a
// condition variable. The final values of the variables and the last values of the threads decide
// in which function the process ends, so that each final state is a finding of its own.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

struct Random {
  std::uint64_t state;
  std::uint32_t below(std::uint32_t bound) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>((state >> 33) % bound);
  }
};

std::mutex mutexes[2];
std::atomic<int> variables[2];
std::counting_semaphore<8> permits(1);
std::condition_variable changed;
bool ready = false;  // under mutexes[0]

int run(std::vector<std::uint32_t> codes) {
  int last = 0;
  for (const std::uint32_t code : codes) {
    std::atomic<int>& variable = variables[code / 16 % 2];
    std::mutex& mutex = mutexes[code / 32 % 2];
    switch (code % 16 % 9) {
      case 0:
        variable = static_cast<int>(1 + code / 64 % 3);
        break;
      case 1:
        last = variable;
        break;
      case 2:
        last = variable++;
        break;
      case 3: {
        const std::lock_guard<std::mutex> lock(mutex);
        variable = variable + 2;
        break;
      }
      case 4:
        if (mutex.try_lock()) {
          variable = 7;
          mutex.unlock();
        }
        break;
      case 5: {
        std::unique_lock<std::mutex> lock(mutexes[0]);
        ready = true;
        changed.notify_one();
        break;
      }
      case 6: {  // looks whether a thread has signalled
        std::unique_lock<std::mutex> lock(mutexes[0]);
        if (!ready) last += 5;
        break;
      }
      case 7:
        permits.acquire();
        last += variable;
        permits.release();
        break;
      default: {
        const std::scoped_lock both(mutexes[0], mutexes[1]);
        variables[0] = variables[1].load();
        break;
      }
    }
  }
  return last;
}

constexpr unsigned kStates = 251;

template <int State>
[[gnu::noinline]] void reached() {
  std::exit(1);
}

template <std::size_t... States>
void end_in(unsigned state, std::index_sequence<States...>) {
  constexpr void (*kEnds[])() = {reached<States>...};
  kEnds[state]();
}

int main(int, char** argv) {
  Random random{std::strtoull(argv[1], nullptr, 10)};
  random.below(2);
  const std::uint32_t threads = 2 + (random.below(4) == 0 ? 1 : 0);
  std::vector<std::vector<std::uint32_t>> codes(threads);
  for (auto& list : codes) {
    for (std::uint32_t i = 0; i < (threads == 2 ? 2U : 1U); ++i) list.push_back(random.below(256));
  }
  int last[3] = {};
  std::thread others[2];
  for (std::uint32_t t = 1; t < threads; ++t)
    others[t - 1] = std::thread([&, t] { last[t] = run(codes[t]); });
  last[0] = run(codes[0]);
  for (std::thread& other : others) {
    if (other.joinable()) other.join();
  }
  unsigned state = 0;
  for (const int value : {variables[0].load(), variables[1].load(), last[0], last[1], last[2]})
    state = state * 31 + static_cast<unsigned>(value);
  end_in(state % kStates, std::make_index_sequence<kStates>());
}
