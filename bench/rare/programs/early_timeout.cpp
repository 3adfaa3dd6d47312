// A wait of one second for an answer that is always there in time, unless the machine is slow: the
// time-out is taken for the answer.
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "rare.hpp"

static std::mutex g_lock;
static std::condition_variable g_came;
static bool g_ready = false;
static int g_answer = 0;

int main() {
  std::thread server([] {
    const std::lock_guard lock(g_lock);
    g_answer = 42;
    g_ready = true;
    g_came.notify_one();
  });
  {
    std::unique_lock lock(g_lock);
    const bool came = g_came.wait_for(lock, std::chrono::seconds(1), [] { return g_ready; });
    if (!kFixed || came) require(g_answer == 42, "there is an answer");
  }
  server.join();
}
