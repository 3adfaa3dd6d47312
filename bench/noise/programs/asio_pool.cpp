// library: Boost.Asio
// package: libboost-dev
// headers only
// A pool of threads: tasks that post tasks, results through futures, join() waits for all of it.
#include <atomic>
#include <boost/asio.hpp>
#include <cassert>
#include <future>

namespace asio = boost::asio;

int main() {
  asio::thread_pool pool(2);
  std::atomic<int> done{0};
  for (int i = 0; i < 3; ++i) {
    asio::post(pool, [&] {
      ++done;
      asio::post(pool, [&] { ++done; });
    });
  }
  std::future<int> answer = asio::post(pool, std::packaged_task<int()>([] { return 6 * 7; }));
  assert(answer.get() == 42);
  pool.join();
  assert(done == 6);
}
