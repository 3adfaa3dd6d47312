// library: Boost.Thread
// package: libboost-thread-dev
// link: -lboost_thread -lboost_chrono
// A shared_mutex, a barrier that all meet at, and a thread that is interrupted while it waits.
#include <boost/thread.hpp>
#include <boost/thread/barrier.hpp>
#include <cassert>
#include <map>
#include <string>

int main() {
  boost::shared_mutex mutex;
  std::map<int, std::string> table;
  boost::barrier filled(3);

  const auto writer = [&](int key) {
    {
      boost::unique_lock<boost::shared_mutex> hold(mutex);
      table[key] = std::to_string(key);
    }
    filled.wait();
    boost::shared_lock<boost::shared_mutex> hold(mutex);
    assert(table.size() == 2 && table.at(key) == std::to_string(key));
  };
  boost::thread one(writer, 1), two(writer, 2);

  boost::mutex idle_mutex;
  boost::condition_variable idle;
  bool interrupted = false;
  boost::thread waiting([&] {
    boost::unique_lock<boost::mutex> hold(idle_mutex);
    try {
      for (;;) idle.wait(hold);
    } catch (const boost::thread_interrupted&) {
      interrupted = true;
    }
  });
  filled.wait();
  waiting.interrupt();
  waiting.join();
  one.join();
  two.join();
  assert(interrupted);
}
