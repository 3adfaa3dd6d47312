// `plain NAME [STRATEGY [EXECUTIONS]]`: functions whose threads access plain variables, by
// raddle::check in a bare main. To be built with raddle-c++. The environment: RACES=0 lets races
// be.
// `plain random SEED STRATEGY EVERY` explores a program made from the seed, prints the state in
// which each execution ended, and how many there were.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <raddle/check.hpp>
#include <random>
#include <thread>

struct Message {
  int text = 0;
};

// Visible outside: else the compiler knows all that they can be.
Message g_message;
template <class Pointer>
Pointer g_published;

namespace {

void both(void (*f)()) {
  std::thread a(f);
  std::thread b(f);
  a.join();
  b.join();
}

int g_count;
std::mutex g_mutex;

void lost_update() {
  g_count = 0;
  both([] {
    const int seen = g_count;  // reads here
    g_count = seen + 1;        // writes here
  });
  assert(g_count == 2);
}

void lost_update_fixed() {
  g_count = 0;
  both([] {
    std::lock_guard<std::mutex> lock(g_mutex);
    const int seen = g_count;
    g_count = seen + 1;
  });
  assert(g_count == 2);
}

// The other thread sees a pointer, and what it points to by luck.
template <class Pointer>
void publication() {
  g_message.text = 0;
  g_published<Pointer> = nullptr;
  std::thread writer([] {
    g_message.text = 42;
    g_published<Pointer> = &g_message;
  });
  Message* seen = g_published<Pointer>;
  if (seen != nullptr) {
    const int text = seen->text;
    assert(text == 42);
  }
  writer.join();
}

template <class Pointer>
void double_checked() {
  g_published<Pointer> = nullptr;
  g_message.text = 0;
  both([] {
    if (g_published<Pointer> == nullptr) {
      std::lock_guard<std::mutex> lock(g_mutex);
      if (g_published<Pointer> == nullptr) {
        g_message.text = 42;
        g_published<Pointer> = &g_message;
      }
    }
    Message* seen = g_published<Pointer>;
    assert(seen->text == 42);
  });
}

struct Entry {
  const char* name;
  void (*function)();
};
constexpr Entry kEntries[] = {
    {"lost_update", lost_update},
    {"lost_update_fixed", lost_update_fixed},
    {"publication", publication<Message*>},
    {"publication_fixed", publication<std::atomic<Message*>>},
    {"double_checked", double_checked<Message*>},
    {"double_checked_fixed", double_checked<std::atomic<Message*>>},
};

// Two or three threads of a few operations each, on two variables. Nothing else is accessed in
// memory: a thread's operations are its argument, three bits each, and what it read is its result.
enum class Kind { kEnd, kRead, kWrite, kAdd, kLocked, kAtomic };
constexpr unsigned kBits = 4;  // three for the kind, one for the variable

int g_first;
int g_second;
std::atomic<int> g_atomic;
int g_threads;
std::uint64_t g_operations[3];

void make_program(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return unsigned(random() % n); };
  g_threads = int(2 + below(2));
  for (int i = 0; i < g_threads; ++i) {
    const unsigned length = g_threads == 2 ? 1 + below(3) : 1;
    bool locks = g_threads > 2;  // already: a lock has as many steps as all the rest
    for (unsigned k = 0; k < length; ++k) {
      auto kind = Kind(1 + below(5));
      if (kind == Kind::kLocked && locks) kind = Kind::kAdd;
      locks |= kind == Kind::kLocked;
      g_operations[i] |= std::uint64_t(unsigned(kind) | below(2) << 3) << (kBits * k);
    }
    g_operations[i] |= std::uint64_t(i + 1) << 32;
  }
}

template <class Result>
Result operate(Kind kind, int& variable, int thread, Result result) {
  switch (kind) {
    case Kind::kEnd:
      break;
    case Kind::kRead:
      return result * 16 + Result(variable);
    case Kind::kWrite:
      variable = thread;
      break;
    case Kind::kAdd:
      variable = variable + 1;
      break;
    case Kind::kLocked:
      pthread_mutex_lock(g_mutex.native_handle());
      variable = variable * 2 + 1;
      pthread_mutex_unlock(g_mutex.native_handle());
      break;
    case Kind::kAtomic:
      return result * 16 + Result(g_atomic.fetch_add(1));
  }
  return result;
}

void* execute(void* argument) {
  auto operations = reinterpret_cast<std::uint64_t>(argument);
  const int thread = int(operations >> 32);
  std::uint64_t result = 0;
  for (; (operations & 7) != 0; operations >>= kBits) {
    const auto kind = Kind(operations & 7);
    result = (operations & 8) != 0 ? operate(kind, g_first, thread, result)
                                   : operate(kind, g_second, thread, result);
  }
  return reinterpret_cast<void*>(result);
}

// The main thread is one of them: what it does besides costs no orders.
void run_program() {
  g_first = g_second = 0;
  g_atomic = 0;
  const auto mine = reinterpret_cast<void*>(g_operations[0]);
  const auto second = reinterpret_cast<void*>(g_operations[1]);
  const auto third = reinterpret_cast<void*>(g_operations[2]);
  const bool three = g_threads == 3;
  pthread_t one;
  pthread_t two;
  pthread_create(&one, nullptr, execute, second);
  if (three) pthread_create(&two, nullptr, execute, third);
  void* results[3] = {execute(mine), nullptr, nullptr};
  pthread_join(one, &results[1]);
  if (three) pthread_join(two, &results[2]);
  char line[128];
  const int size = std::snprintf(line, sizeof line, "%d %d %p %p %p\n", g_first, g_second,
                                 results[0], results[1], results[2]);
  if (write(1, line, std::size_t(size)) != size) std::abort();
}

int explore_random(char** arguments) {
  make_program(unsigned(std::atoi(arguments[0])));
  raddle::Options options;
  options.strategy = arguments[1];
  options.every_access = std::atoi(arguments[2]) != 0;
  options.races = false;
  options.executions = 400'000;
  const raddle::Coverage coverage = raddle::check(options, run_program);
  std::fprintf(stderr, "%llu %s\n", static_cast<unsigned long long>(coverage.executions),
               coverage.exhausted ? "exhausted" : "incomplete");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "random") == 0) return explore_random(argv + 2);
  raddle::Options options;
  if (argc > 2) options.strategy = argv[2];
  if (argc > 3) options.executions = std::strtoull(argv[3], nullptr, 10);
  if (const char* races = std::getenv("RACES")) options.races = *races != '0';
  for (const Entry& entry : kEntries) {
    if (argc < 2 || std::strcmp(entry.name, argv[1]) != 0) continue;
    try {
      const raddle::Coverage coverage = raddle::check(options, entry.function);
      std::printf("passed %llu executions\n", static_cast<unsigned long long>(coverage.executions));
      return 0;
    } catch (const raddle::CheckFailed& failure) {
      std::printf("%s\n", failure.what());
      return 1;
    }
  }
  return 2;
}
