// A detached thread looks up prices in a static table; main() returns, and the table ends. What a
// table of the C++ library has on the heap cannot be owned by anybody else.
// cause: use-after-free
// object: prices or a block of the heap
// causes: 1
// nowhere: first
// says: after main had returned
// seen: let T1 end before main returns
// never: std::shared_ptr
#include <cassert>
#include <map>
#include <thread>

std::map<int, int> prices = {{1, 10}, {2, 20}, {3, 30}};

void look_up() {
  for (int article = 1; article <= 3; ++article) {
    const auto found = prices.find(article);                         // [last]
    assert(found == prices.end() || found->second == article * 10);  // [last]
  }
}

int main() {
  std::thread clerk(look_up);
#ifdef FIXED
  clerk.join();
#else
  clerk.detach();
#endif
}
