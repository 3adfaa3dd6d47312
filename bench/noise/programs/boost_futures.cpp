// library: Boost.Thread
// package: libboost-thread-dev
// link: -lboost_thread -lboost_chrono
// Futures that continue, and a synchronized bounded queue that is closed when the work is over.
#define BOOST_THREAD_VERSION 4
#include <boost/thread.hpp>
#include <boost/thread/concurrent_queues/sync_bounded_queue.hpp>
#include <boost/thread/future.hpp>
#include <cassert>

int main() {
  boost::sync_bounded_queue<int> queue(2);
  boost::future<int> sum = boost::async(boost::launch::async, [&] {
    int total = 0, item;
    while (queue.wait_pull_front(item) == boost::queue_op_status::success) total += item;
    return total;
  });
  boost::thread producer([&] {
    for (int i = 1; i <= 5; ++i) queue.push_back(i);
    queue.close();
  });
  boost::future<int> twice =
      sum.then(boost::launch::async, [](boost::future<int> done) { return 2 * done.get(); });
  assert(twice.get() == 30);
  producer.join();
}
