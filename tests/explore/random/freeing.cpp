// A small random program, by its seed, as interpreter.cpp; its variables and a lock lie in a block
// that threads free: at once, when they see a value, or as the last of two owners. Nothing keeps
// them from doing it too early or twice.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
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

struct Block {
  std::mutex mutex;
  std::atomic<int> atomic{0};
  long padding[9] = {};
  int plain = 0;
};

Block* block;
std::atomic<int> owners{2};
std::atomic<int> global{0};

int run(std::vector<std::uint32_t> codes) {
  int last = 0;
  for (const std::uint32_t code : codes) {
    switch (code % 9) {
      case 0:
        last = block->atomic;
        break;
      case 1:
        block->atomic = 3;
        break;
      case 2: {
        const std::lock_guard<std::mutex> lock(block->mutex);
        last = ++global;
        break;
      }
      case 3:
        last = block->plain;
        break;
      case 4:
        block->plain = 4;
        break;
      case 5:
        delete block;
        break;
      case 6:
        if (owners.fetch_sub(1) == 1) delete block;
        break;
      case 7:
        if (global.load() != 0) delete block;
        break;
      default:
        global = 1;
        break;
    }
  }
  return last;
}

constexpr unsigned kStates = 61;

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
  block = new Block;
  int last[3] = {};
  std::thread others[2];
  for (std::uint32_t t = 1; t < threads; ++t)
    others[t - 1] = std::thread([&, t] { last[t] = run(codes[t]); });
  last[0] = run(codes[0]);
  for (std::thread& other : others) {
    if (other.joinable()) other.join();
  }
  unsigned state = 0;
  for (const int value : {global.load(), last[0], last[1], last[2]})
    state = state * 31 + static_cast<unsigned>(value);
  end_in(state % kStates, std::make_index_sequence<kStates>());
}
