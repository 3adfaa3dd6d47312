// library: Boost.Asio
// package: libboost-dev
// headers only
// Timers on a context that two threads run: they expire in order, and a cancelled one says so.
#include <boost/asio.hpp>
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using std::chrono::milliseconds;

int main() {
  asio::io_context context;
  std::mutex mutex;
  std::vector<int> expired;
  int cancelled = 0;

  asio::steady_timer late(context, std::chrono::hours(1));
  late.async_wait([&](const boost::system::error_code& error) {
    std::lock_guard<std::mutex> hold(mutex);
    cancelled += error == asio::error::operation_aborted;
  });
  asio::steady_timer first(context, milliseconds(2));
  asio::steady_timer second(context, milliseconds(4));
  first.async_wait([&](const boost::system::error_code& error) {
    assert(!error);
    std::lock_guard<std::mutex> hold(mutex);
    expired.push_back(1);
  });
  second.async_wait([&](const boost::system::error_code& error) {
    assert(!error);
    {
      std::lock_guard<std::mutex> hold(mutex);
      expired.push_back(2);
    }
    late.cancel();  // nobody else uses this timer now
  });

  std::thread one([&] { context.run(); });
  std::thread two([&] { context.run(); });
  one.join();
  two.join();
  assert(expired.size() == 2);  // their order is up to the machine: two threads run the handlers
  assert(cancelled == 1);
}
