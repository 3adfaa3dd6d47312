// expect: passed
// Promises, futures, shared futures, packaged tasks and std::async, with values and exceptions.
#include <chrono>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

using namespace std::chrono_literals;

namespace {

int square(int x) { return x * x; }

void promises() {
  std::promise<std::string> promise;
  std::future<std::string> future = promise.get_future();
  CHECK(future.wait_for(0ms) == std::future_status::timeout);
  auto before = std::chrono::steady_clock::now();
  CHECK(future.wait_for(20ms) == std::future_status::timeout);
  CHECK(std::chrono::steady_clock::now() - before >= 20ms);
  std::thread setter([&promise] { promise.set_value("here"); });
  CHECK(future.get() == "here");
  CHECK(!future.valid());
  setter.join();

  std::promise<int> broken_later;
  std::future<int> failing = broken_later.get_future();
  std::thread thrower([&broken_later] {
    broken_later.set_exception(std::make_exception_ptr(std::out_of_range("no")));
  });
  bool caught = false;
  try {
    failing.get();
  } catch (const std::out_of_range&) {
    caught = true;
  }
  CHECK(caught);
  thrower.join();

  std::future<int> orphan = std::promise<int>().get_future();
  caught = false;
  try {
    orphan.get();
  } catch (const std::future_error& error) {
    caught = error.code() == std::future_errc::broken_promise;
  }
  CHECK(caught);
}

void shared() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) readers.emplace_back([future] { CHECK_EQ(future.get(), 42); });
  promise.set_value(42);
  for (auto& reader : readers) reader.join();
}

void tasks() {
  std::packaged_task<int(int)> task(square);
  std::future<int> result = task.get_future();
  std::thread runner(std::move(task), 9);
  CHECK(result.wait_for(60s) == std::future_status::ready);
  CHECK_EQ(result.get(), 81);
  runner.join();
}

void asyncs() {
  std::vector<std::future<int>> results;
  for (int i = 0; i < 4; ++i) results.push_back(std::async(std::launch::async, square, i));
  int sum = 0;
  for (auto& result : results) sum += result.get();
  CHECK_EQ(sum, 14);
  auto deferred = std::async(std::launch::deferred, square, 5);
  CHECK(deferred.wait_for(0ms) == std::future_status::deferred);
  CHECK_EQ(deferred.get(), 25);
  auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("bad"); });
  std::string what;
  try {
    failing.get();
  } catch (const std::runtime_error& error) {
    what = error.what();
  }
  CHECK(what == "bad");
}

}  // namespace

int main() {
  promises();
  shared();
  tasks();
  asyncs();
}
