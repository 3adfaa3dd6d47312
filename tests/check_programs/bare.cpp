// Functions for raddle::check, one for each name. `bare NAME [STRATEGY [EXECUTIONS]]` checks the
// function in a bare main and prints the result.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <raddle/check.hpp>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

void both(void (*f)()) {
  std::thread a(f);
  std::thread b(f);
  a.join();
  b.join();
}

std::mutex g_mutex;
int g_count;

// ---- right ones

void pairs() {
  both([] {
    for (int i = 0; i < 6; ++i) std::lock_guard lock(g_mutex);
  });
}

// Which lock a thread takes depends on what it is called and where its variables are.
std::mutex g_shards[7];
thread_local int t_place;

void in_shard(std::size_t number) { std::lock_guard lock(g_shards[number % 7]); }

void shards_by_thread() {
  const auto work = [] {
    int local = 0;
    in_shard(std::hash<std::thread::id>()(std::this_thread::get_id()));
    in_shard(reinterpret_cast<std::size_t>(&local) / 4096);
    in_shard(reinterpret_cast<std::size_t>(&t_place) / 4096);
    in_shard(pthread_self() / 4096);
  };
  std::thread first(work);
  first.join();
  std::thread threads[] = {std::thread(work), std::thread(work), std::thread(work)};
  for (std::thread& thread : threads) thread.join();
}

// Which lock a thread takes depends on where its objects lie in the heap. What is freed, in which
// order and by which thread, is a matter of the schedule.
void shards_by_address() {
  std::mutex mutex;
  std::vector<std::unique_ptr<std::string>> shared;
  const auto work = [&](std::size_t bytes) {
    for (int round = 0; round < 2; ++round) {
      auto mine = std::make_unique<std::string>(bytes, 'x');
      in_shard(reinterpret_cast<std::size_t>(mine.get()) / 16);
      in_shard(reinterpret_cast<std::size_t>(mine->data()) / 16);
      std::unique_ptr<std::string> other;
      std::lock_guard lock(mutex);
      shared.push_back(std::move(mine));
      if (shared.size() > 2) other = std::move(shared.front()), shared.erase(shared.begin());
    }
  };
  std::thread threads[] = {std::thread(work, 20), std::thread(work, 60), std::thread(work, 30'000)};
  for (std::thread& thread : threads) thread.join();
}

// What stays allocated when the function has returned is there in the next execution.
void keeps_memory() {
  static std::map<int, std::string> table;
  static int executions = 0;
  if (executions++ < 100) table[executions] = std::string(100, char('a' + executions % 26));
  for (const auto& [key, text] : table) assert(text == std::string(100, char('a' + key % 26)));
  shards_by_address();
}

// Two threads break an invariant if they are in different shards, which their ids decide.
void fails_in_a_shard() {
  int inside = 0;
  const auto work = [&] {
    const std::size_t shard = std::hash<std::thread::id>()(std::this_thread::get_id()) % 7;
    std::lock_guard lock(g_shards[shard]);
    const int before = ++inside;
    std::this_thread::yield();
    assert(inside == before);
    --inside;
  };
  std::thread a(work);
  std::thread b(work);
  a.join();
  b.join();
}

// A bounded queue: among its schedules are many in which dpor comes to where it has been.
void queue() {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> items;
  const auto put = [&](int item) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return items.empty(); });
    items.push_back(item);
    changed.notify_all();
  };
  int sum = 0;
  const auto take = [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !items.empty(); });
    sum += items.back();
    items.pop_back();
    changed.notify_all();
  };
  std::thread threads[] = {std::thread([&] { put(1), put(2); }), std::thread([&] { put(3); }),
                           std::thread([&] { take(), take(); }), std::thread(take)};
  for (std::thread& thread : threads) thread.join();
  assert(sum == 6 && items.empty());
}

void nothing() {}

struct Counted {
  inline static int alive = 0;
  int value = 5;
  Counted() { ++alive; }
  ~Counted() { --alive; }
};
thread_local int t_plain = 7;
thread_local Counted t_object;

void fresh_thread_locals() {
  const auto look = [] {
    if (t_plain != 7 || t_object.value != 5) throw std::runtime_error("not fresh");
    t_plain = 8;
    t_object.value = 6;
    if (errno != 0) throw std::runtime_error("errno is not fresh");
    errno = 5;
  };
  look();
  both(look);
  if (Counted::alive != 1) throw std::runtime_error("a thread_local object was not destroyed");
}

void condition_variable() {
  struct Box {
    std::mutex mutex;
    std::condition_variable changed;
    int full = 0;
  } box;
  int sum = 0;
  std::thread producer([&] {
    for (int i = 1; i <= 3; ++i) {
      std::unique_lock lock(box.mutex);
      box.changed.wait(lock, [&] { return box.full == 0; });
      box.full = i;
      box.changed.notify_one();
    }
  });
  std::thread consumer([&] {
    for (int i = 1; i <= 3; ++i) {
      std::unique_lock lock(box.mutex);
      box.changed.wait(lock, [&] { return box.full != 0; });
      sum += box.full;
      box.full = 0;
      box.changed.notify_one();
    }
  });
  producer.join();
  consumer.join();
  assert(sum == 6);
}

void latch() {
  std::latch ready(2);
  std::atomic<int> arrived{0};
  const auto arrive = [&] {
    ++arrived;
    ready.arrive_and_wait();
    assert(arrived == 2);
  };
  std::thread a(arrive);
  std::thread b(arrive);
  a.join();
  b.join();
}

void barrier() {
  std::barrier meet(2);
  std::atomic<int> rounds{0};
  const auto run = [&] {
    for (int i = 1; i <= 3; ++i) {
      ++rounds;
      meet.arrive_and_wait();
      assert(rounds >= 2 * i);
      meet.arrive_and_wait();
    }
  };
  std::thread a(run);
  std::thread b(run);
  a.join();
  b.join();
}

void semaphore() {
  std::counting_semaphore<8> items(0);
  std::atomic<int> made{0};
  std::thread maker([&] {
    for (int i = 0; i < 3; ++i) {
      ++made;
      items.release();
    }
  });
  for (int i = 1; i <= 3; ++i) {
    items.acquire();
    assert(made >= i);
  }
  maker.join();
}

void async() {
  std::future<int> a = std::async(std::launch::async, [] { return 20; });
  std::future<int> b = std::async(std::launch::async, [] { return 22; });
  assert(a.get() + b.get() == 42);
}

// Sleeps for an hour of virtual time, which costs nothing.
void sleeps() {
  const auto begin = std::chrono::steady_clock::now();
  both([] { std::this_thread::sleep_for(1h); });
  assert(std::chrono::steady_clock::now() - begin >= 1h);
}

void time_out() {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  assert(never.wait_for(lock, 5min) == std::cv_status::timeout);
}

void readers() {
  static std::shared_mutex lock;
  g_count = 0;
  both([] {
    {
      std::shared_lock read(lock);
      assert(g_count <= 2);
    }
    std::unique_lock write(lock);
    ++g_count;
  });
  assert(g_count == 2);
}

void once() {
  std::once_flag flag;
  std::atomic<int> times{0};
  const auto call = [&] { std::call_once(flag, [&] { ++times; }); };
  std::thread a(call);
  std::thread b(call);
  a.join();
  b.join();
  assert(times == 1);
}

void stop_token() {
  std::jthread runner([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
}

void many_threads() {
  std::thread threads[40];
  for (std::thread& thread : threads) thread = std::thread([] { std::lock_guard lock(g_mutex); });
  for (std::thread& thread : threads) thread.join();
}

void keys() {
  static pthread_key_t key[64];
  static bool made = false;
  static int destroyed;
  if (!made) {
    for (pthread_key_t& k : key) pthread_key_create(&k, [](void*) { ++destroyed; });
    made = true;
  }
  destroyed = 0;
  std::thread([] {
    assert(pthread_getspecific(key[0]) == nullptr && pthread_getspecific(key[63]) == nullptr);
    pthread_setspecific(key[0], &destroyed);
    pthread_setspecific(key[63], &destroyed);
  }).join();
  assert(destroyed == 2);
}

// ---- wrong ones

struct Account {
  std::mutex mutex;
  int balance = 100;
  bool covers(int amount) {
    std::lock_guard lock(mutex);
    return balance >= amount;
  }
  void withdraw(int amount) {
    if (!covers(amount)) return;
    std::lock_guard lock(mutex);
    balance -= amount;
    assert(balance >= 0);
  }
};

void account() {
  Account account;
  std::thread a([&] { account.withdraw(100); });
  std::thread b([&] { account.withdraw(100); });
  a.join();
  b.join();
}

void throws() { throw std::runtime_error("from the function"); }
void throws_in_thread() {
  std::thread([] { throw std::runtime_error("from a thread"); }).join();
}
void terminates() { std::terminate(); }
void aborts() { std::abort(); }
void exits() { std::exit(0); }

void deadlock() {
  std::mutex a;
  std::mutex b;
  std::thread x([&] {
    std::lock_guard first(a);
    std::lock_guard second(b);
  });
  std::thread y([&] {
    std::lock_guard first(b);
    std::lock_guard second(a);
  });
  x.join();
  y.join();
}

// Runs twice: an abandoned thread of the first failure must not hold a global mutex for ever.
void deadlock_of_globals() {
  static std::mutex other;
  std::thread x([] {
    std::lock_guard first(g_mutex);
    std::lock_guard second(other);
  });
  std::thread y([] {
    std::lock_guard first(other);
    std::lock_guard second(g_mutex);
  });
  x.join();
  y.join();
}

void lost_wakeup() {
  std::mutex mutex;
  std::condition_variable ready;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    ready.wait(lock);
  });
  ready.notify_one();
  waiter.join();
}

void livelock() {
  for (;;) std::this_thread::yield();
}

void leaks_thread() {
  std::thread([] { std::lock_guard lock(g_mutex); }).detach();
}

void endless_steps() {
  for (;;) std::lock_guard lock(g_mutex);
}

void endless_computing() {
  for (volatile unsigned i = 0;;) i = i + 1;
}

// A system call that Raddle does not intercept.
void blocks_in_kernel() {
  int fds[2];
  if (pipe(fds) != 0) return;
  char byte;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "0"(SYS_read), "D"(fds[0]), "S"(&byte), "d"(1)
               : "rcx", "r11", "memory");
}

void crashes() {
  std::thread([] { *reinterpret_cast<volatile int*>(8) = 1; }).join();
}

int descend(const volatile char* above, long depth) {
  volatile char here[4096];
  here[0] = *above;
  return depth == 0 ? 0 : descend(here, depth - 1) + here[0];
}

void overflows_stack() {
  char none = 0;
  std::thread([&] { g_count = descend(&none, 1'000'000'000); }).join();
}

void frees_twice() {
  std::thread([] {
    auto* volatile block = static_cast<char*>(std::malloc(100));
    std::free(block);
    std::free(block);
  }).join();
}

void divides_by_zero() {
  volatile int zero = 0;
  g_count = 100 / zero;
}

// Every other execution has one more step.
void remembers() {
  static int times = 0;
  if (++times % 2 == 0) std::lock_guard lock(g_mutex);
  both([] { std::lock_guard lock(g_mutex); });
}

void checks_inside() {
  raddle::check([] {});
}

const std::map<std::string, void (*)()> kFunctions = {
    {"pairs", pairs},
    {"shards_by_thread", shards_by_thread},
    {"shards_by_address", shards_by_address},
    {"keeps_memory", keeps_memory},
    {"queue", queue},
    {"fails_in_a_shard", fails_in_a_shard},
    {"nothing", nothing},
    {"fresh_thread_locals", fresh_thread_locals},
    {"condition_variable", condition_variable},
    {"latch", latch},
    {"barrier", barrier},
    {"semaphore", semaphore},
    {"async", async},
    {"sleeps", sleeps},
    {"time_out", time_out},
    {"readers", readers},
    {"once", once},
    {"stop_token", stop_token},
    {"many_threads", many_threads},
    {"keys", keys},
    {"account", account},
    {"throws", throws},
    {"throws_in_thread", throws_in_thread},
    {"terminates", terminates},
    {"aborts", aborts},
    {"exits", exits},
    {"deadlock", deadlock},
    {"deadlock_of_globals", deadlock_of_globals},
    {"lost_wakeup", lost_wakeup},
    {"livelock", livelock},
    {"leaks_thread", leaks_thread},
    {"endless_steps", endless_steps},
    {"endless_computing", endless_computing},
    {"blocks_in_kernel", blocks_in_kernel},
    {"crashes", crashes},
    {"overflows_stack", overflows_stack},
    {"frees_twice", frees_twice},
    {"divides_by_zero", divides_by_zero},
    {"remembers", remembers},
    {"checks_inside", checks_inside},
};

long resident_kilobytes() {
  long pages = 0;
  long resident = 0;
  FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) std::exit(2);
  std::fclose(file);
  return resident * 4;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (kFunctions.count(name) == 0) return 2;
  void (*function)() = kFunctions.at(name);
  raddle::Options options;
  if (argc > 2) options.strategy = argv[2];
  if (argc > 3) options.executions = std::strtoull(argv[3], nullptr, 10);
  if (const char* timeout = std::getenv("TIMEOUT")) options.timeout = std::atof(timeout);
  if (const char* seed = std::getenv("SEED")) options.seed = std::strtoull(seed, nullptr, 10);
  try {
    const bool measured = std::getenv("MEASURE_MEMORY") != nullptr;
    if (measured) raddle::check(function);
    const long before = resident_kilobytes();
    const raddle::Coverage coverage = raddle::check(options, function);
    if (measured) std::printf("grown by %ld kB\n", resident_kilobytes() - before);
    std::printf("passed %llu executions, %s\n",
                static_cast<unsigned long long>(coverage.executions),
                coverage.complete    ? "complete"
                : coverage.exhausted ? "exhausted"
                                     : "incomplete");
    if (coverage.unseen != nullptr) std::printf("unseen: %s\n", coverage.unseen);
    return 0;
  } catch (const raddle::CheckFailed& failure) {
    std::printf("%s", failure.what());
    // The process is in order again: locks are free, time is real, threads are the kernel's.
    std::lock_guard lock(g_mutex);
    std::thread([] { std::puts("and goes on"); }).join();
    return 1;
  }
}
