// expect: passed
// std::thread: arguments, move, swap, ids, detach, joinable, errors as exceptions.
#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "check.h"

namespace {

void append(std::string& to, std::string what, std::unique_ptr<int> number) {
  to += what + std::to_string(*number);
}

struct Worker {
  int value = 0;
  void run(int add) { value += add; }
};

}  // namespace

int main() {
  std::string text = "a";
  std::thread first(append, std::ref(text), "b", std::make_unique<int>(7));
  CHECK(first.joinable());
  CHECK(first.get_id() != std::this_thread::get_id());
  first.join();
  CHECK(!first.joinable());
  CHECK(first.get_id() == std::thread::id());
  CHECK(text == "ab7");

  Worker worker;
  std::thread member(&Worker::run, &worker, 5);
  std::thread moved = std::move(member);
  CHECK(!member.joinable());
  moved.join();
  CHECK_EQ(worker.value, 5);

  std::vector<std::thread> threads;
  std::vector<std::thread::id> ids(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&ids, i] { ids[i] = std::this_thread::get_id(); });
  }
  std::set<std::thread::id> distinct;
  for (auto& thread : threads) distinct.insert(thread.get_id());
  CHECK_EQ(distinct.size(), 4);
  for (int i = 0; i < 4; ++i) {
    std::thread::id id = threads[i].get_id();
    threads[i].join();
    CHECK(ids[i] == id);
  }

  std::atomic<bool> done{false};
  std::thread([&done] { done = true; }).detach();
  while (!done) std::this_thread::yield();

  bool refused = false;
  try {
    std::thread().join();
  } catch (const std::system_error& error) {
    refused = error.code() == std::errc::invalid_argument;
  }
  CHECK(refused);
  CHECK(std::thread::hardware_concurrency() >= 1);
}
