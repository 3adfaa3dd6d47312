// N threads take a ticket each. The last one created must not be the last to start: nobody is left
// to answer it.
#include "rare.hpp"

static std::atomic<int> g_tickets{0};

int main() {
  std::vector<std::thread> threads = start(N, [](int i) {
    for (int pause = 0; pause < 5; ++pause) g_tickets.load();
    const int ticket = g_tickets++;
    if (!kFixed && i == 0) require(ticket != N - 1, "the first does not come last");
  });
  join(threads);
}
