// Threads number the seats of a row, by a counter that the loop which starts them counts on: two
// take one seat, and another one keeps what it was filled with.
// cause: came-too-early
// object: seat
// causes: 2
// never: no write of it was seen
#include <array>
#include <cstdlib>
#include <thread>
#include <vector>

[[gnu::noinline]] void next(unsigned& seat) { ++seat; }  // [first]

class Row {
 public:
  Row() { numbers_.fill(-1); }
  void number() {
    std::vector<std::thread> threads;
    for (unsigned seat = 0; seat < 2;) {
#ifdef FIXED
      threads.emplace_back([this, seat] { numbers_[seat] = 7; });
#else
      threads.emplace_back([this, &seat] { numbers_[seat] = 7; });  // [last]
#endif
      next(seat);
    }
    for (std::thread& thread : threads) thread.join();
  }
  int at(unsigned seat) const { return numbers_[seat]; }

 private:
  std::array<int, 3> numbers_;
};

int main() {
  Row row;
  row.number();
  for (unsigned seat = 0; seat < 2; ++seat)
    if (row.at(seat) != 7) std::abort();
}
