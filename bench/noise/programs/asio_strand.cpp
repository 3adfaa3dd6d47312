// library: Boost.Asio
// package: libboost-dev
// headers only
// Handlers of a strand never run at the same time: they share plain data without a lock.
#include <boost/asio.hpp>
#include <cassert>
#include <thread>
#include <vector>

namespace asio = boost::asio;

int main() {
  asio::io_context context;
  asio::strand<asio::io_context::executor_type> strand(context.get_executor());
  std::vector<int> seen;
  bool inside = false;

  for (int i = 0; i < 4; ++i) {
    asio::post(strand, [&, i] {
      assert(!inside);
      inside = true;
      seen.push_back(i);
      asio::dispatch(strand, [&] { assert(inside); });  // runs at once: it is on the strand
      inside = false;
      if (i < 2) asio::post(strand, [&, i] { seen.push_back(10 + i); });
    });
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { context.run(); });
  for (std::thread& thread : threads) thread.join();
  assert((seen == std::vector<int>{0, 1, 2, 3, 10, 11}));
}
