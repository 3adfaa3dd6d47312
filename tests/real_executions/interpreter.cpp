// raddle-c++ compiles this file, so that atomic operations are decision points.
#include "tests/real_executions/interpreter.hpp"

#include <semaphore.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <thread>
#include <utility>

namespace raddle::real {
namespace {

using paper::Body;
using paper::Code;
using paper::Instruction;

constexpr std::size_t kKinds = 8;  // number of objects of each kind, as on paper
constexpr std::size_t kMostThreads = 8;

struct Objects {
  std::array<std::atomic<int>, kKinds> variables{};
  std::array<std::mutex, kKinds> mutexes;
  std::array<std::condition_variable, kKinds> conditions;
  std::array<std::shared_mutex, kKinds> rwlocks;
  std::array<sem_t, kKinds> semaphores{};
};

struct Progress {
  std::size_t at = 0;
  int reg = 0;
  bool ended = false;
};

paper::Program g_program;
std::array<Progress, kMostThreads> g_progress;
int g_failed;  // number of the thread that failed, plus 1; 0: none

// Each execution constructs the objects anew. Nothing destroys them, because a failing execution
// leaves threads behind that use them.
alignas(Objects) unsigned char g_memory[sizeof(Objects)];

// Each place of a program has code of its own, as in programs that are no interpreters: explorers
// know deadlocks by the code where threads wait.
template <std::size_t kPlace>
[[gnu::noinline]] void execute(Objects& o, std::size_t t, const Instruction& i) {
  Progress& me = g_progress.at(t);
  const auto a = static_cast<std::size_t>(i.a);
  const auto b = static_cast<std::size_t>(i.b);
  switch (i.code) {
    case Code::kLock:
      o.mutexes.at(a).lock();
      break;
    case Code::kUnlock:
      o.mutexes.at(a).unlock();
      break;
    case Code::kTryLock:
      if (!o.mutexes.at(a).try_lock()) me.at += b;
      break;
    case Code::kLoad:
      me.reg = o.variables.at(a).load();
      break;
    case Code::kStore:
      o.variables.at(a).store(i.b);
      break;
    case Code::kStoreSum:
      o.variables.at(a).store(me.reg + i.b);
      break;
    case Code::kAdd:
      me.reg = o.variables.at(a).fetch_add(i.b);
      break;
    case Code::kSkipUnless:
      if (me.reg != i.a) me.at += b;
      break;
    case Code::kSkipIf:
      if (me.reg == i.a) me.at += b;
      break;
    case Code::kFailIf:
      if (me.reg != i.a) break;
      g_failed = static_cast<int>(t) + 1;
      std::abort();
    case Code::kWait: {
      std::unique_lock<std::mutex> lock(o.mutexes.at(b), std::adopt_lock);
      o.conditions.at(a).wait(lock);
      lock.release();
      break;
    }
    case Code::kSignal:
      o.conditions.at(a).notify_one();
      break;
    case Code::kBroadcast:
      o.conditions.at(a).notify_all();
      break;
    case Code::kPost:
      sem_post(&o.semaphores.at(a));
      break;
    case Code::kDown:
      sem_wait(&o.semaphores.at(a));
      break;
    case Code::kYield:
      std::this_thread::yield();
      break;
    case Code::kAwait:
      while (o.variables.at(a).load() != i.b) {
      }
      break;
    case Code::kLook:
      for (int look = 0; look < i.b; ++look) {
        me.reg = o.variables.at(a).load();
        if (me.reg != 0) break;
      }
      break;
    case Code::kReadLock:
      o.rwlocks.at(a).lock_shared();
      break;
    case Code::kWriteLock:
      o.rwlocks.at(a).lock();
      break;
    case Code::kRwUnlock:
      // Releases a read-lock too: both unlocks of shared_mutex call pthread_rwlock_unlock.
      o.rwlocks.at(a).unlock();
      break;
    case Code::kFree:
    case Code::kExit:  // a failure in a process with many executions
      std::exit(0);    // no program that runs here has either
  }
}

constexpr std::size_t kPlaces = 40;  // instructions of a thread
using Execute = void (*)(Objects& o, std::size_t t, const Instruction& i);

template <std::size_t... kPlace>
constexpr std::array<Execute, sizeof...(kPlace)> for_places(std::index_sequence<kPlace...>) {
  return {execute<kPlace>...};
}

void run(Objects& o, std::size_t t) {
  static constexpr std::array<Execute, kPlaces> kExecute =
      for_places(std::make_index_sequence<kPlaces>());
  const Body& body = g_program.threads[t];
  Progress& me = g_progress.at(t);
  while (me.at < body.size()) {
    kExecute.at(me.at)(o, t, body[me.at]);
    ++me.at;
  }
  me.ended = true;
}

}  // namespace

void prepare(const paper::Program& program) { g_program = program; }

void interpret(void*) {
  auto& o = *new (g_memory) Objects;
  for (std::size_t i = 0; i < kKinds; ++i) {
    const bool given = i < g_program.semaphores.size();
    sem_init(&o.semaphores.at(i), 0, given ? static_cast<unsigned>(g_program.semaphores[i]) : 0);
  }
  g_progress = {};
  g_failed = 0;
  std::array<std::thread, kMostThreads> threads;
  for (std::size_t t = 1; t < g_program.threads.size(); ++t)
    threads.at(t) = std::thread([&o, t] { run(o, t); });
  run(o, 0);
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
}

std::string final_state() {
  std::string text;
  const auto& o = *std::launder(reinterpret_cast<const Objects*>(g_memory));
  for (const std::atomic<int>& variable : o.variables) text += std::to_string(variable) + " ";
  for (std::size_t t = 0; t < g_program.threads.size(); ++t)
    text += "r" + std::to_string(g_progress.at(t).reg) + " ";
  return text;
}

std::uint64_t place_of(std::size_t thread) {
  const Progress& progress = g_progress.at(thread);
  if (progress.ended) return 0;
  return 0x100 * static_cast<std::uint64_t>(thread + 1) + progress.at;
}

std::string failure() {
  if (g_failed == 0) return "";
  const auto thread = static_cast<std::size_t>(g_failed - 1);
  return "assertion " + std::to_string(thread) + "." + std::to_string(g_progress.at(thread).at);
}

}  // namespace raddle::real
