// How the queue scales: items that sleep instead of computing go through a broker to many workers,
// and their results into a store, as `raddle suite --queue` does it. bench/queue/run starts it.
//   queue_scale URL suite ITEMS MILLISECONDS FOLDER     prints seconds and its own CPU seconds
//   queue_scale URL workers COUNT                       each a thread with a connection of its own
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <thread>

#include "host/campaign/queue/nats_queue.hpp"
#include "host/campaign/queue/worker_loop.hpp"
#include "host/campaign/store/suite_store.hpp"

namespace raddle {
namespace {

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

int fails(const std::string& why) {
  fmt::print(stderr, "queue_scale: {}\n", why);
  return 2;
}

int run_suite(const std::string& url, std::uint64_t count, std::uint64_t sleep,
              const std::string& folder) {
  Result<std::unique_ptr<Store>> store =
      Store::open(folder + "/" + kStoreName, Store::Existing::kMadeIfMissing);
  if (!store) return fails(store.error());
  SuiteStore suite = SuiteStore::begin(**store, "", "");
  suite.set_build("sleeps", {"sleeps", {"sleeps"}, "/"}, {"/sleeps", "0", 0});
  Result<std::unique_ptr<NatsQueue>> queue =
      NatsQueue::open({.broker = {.url = url, .name = "bench"}, .token = "bench", .files = {}});
  if (!queue) return fails(queue.error());
  std::vector<Item> items;
  std::map<std::string, Item> open;
  for (std::uint64_t i = 0; i < count; ++i) {
    Item item;
    item.id = fmt::format("0.s{}", i);
    item.kind = ItemKind::kSearch;
    item.test.name = "sleeps";
    item.from = 16 * i;
    item.to = 16 * i + 16;
    item.timeout_ms = sleep;
    items.push_back(item);
    open.emplace(item.id, item);
  }
  const double cpu_before = cpu_seconds();
  const auto began = std::chrono::steady_clock::now();
  suite.plan(0, items);
  if (const auto published = (*queue)->publish(items); !published) return fails(published.error());
  while (!open.empty()) {
    Result<std::optional<ItemResult>> result = (*queue)->next(std::chrono::milliseconds(100));
    if (!result) return fails(result.error());
    if (!*result) continue;
    const auto item = open.find((*result)->id);
    if (item != open.end()) {
      suite.add(item->second, **result, {});
      open.erase(item);
    }
    (*queue)->stored();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  fmt::print("{} {}\n", seconds.count(), cpu_seconds() - cpu_before);
  return (*store)->ok() ? 0 : fails((*store)->error());
}

int run_workers(const std::string& url, std::uint64_t count) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (std::uint64_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const std::string name = fmt::format("w{}", i);
      WorkerLoopOptions options{
          .broker = {.url = url, .name = name},
          .name = name,
          .until_idle = std::chrono::seconds(3600),
          .execute =
              [](const Item& item, const auto&) {
                std::this_thread::sleep_for(std::chrono::milliseconds(item.timeout_ms));
                ItemResult result;
                result.id = item.id;
                result.plans.resize(item.to - item.from);
                return std::optional<ItemResult>(std::move(result));
              },
          .say = {}};
      if (!work_for(options)) ++failures;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures == 0 ? 0 : 2;
}

}  // namespace
}  // namespace raddle

int main(int argc, char** argv) {
  const std::string kind = argc > 2 ? argv[2] : "";
  if (kind == "suite" && argc == 6)
    return raddle::run_suite(argv[1], std::strtoull(argv[3], nullptr, 10),
                             std::strtoull(argv[4], nullptr, 10), argv[5]);
  if (kind == "workers" && argc == 4)
    return raddle::run_workers(argv[1], std::strtoull(argv[3], nullptr, 10));
  return raddle::fails(
      "usage: queue_scale URL suite ITEMS MILLISECONDS FOLDER | URL workers COUNT");
}
