#include "host/analysis/testing/random_execution.hpp"
#include "protocol/semaphore_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

namespace raddle {
namespace {

constexpr int kSites = 12;
constexpr std::uint64_t kLocks = 0x1000, kVariables = 0x2000, kAtomics = 0x3000,
                        kConditions = 0x4000, kSignals = 0x5000;

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomExecution& options)
      : options_(options), random_(seed) {}

  TestTrace run() {
    const int sites = options_.own_sites ? kSites + 2 * options_.events : kSites;
    for (int i = 0; i < sites; ++i) add_site(i);
    name_objects();
    threads_.resize(static_cast<std::size_t>(options_.threads));
    threads_[0].life = Life::kRunning;
    const int wanted = 1 + below(options_.events);
    for (int tries = 0; tries < wanted * 20 && int(trace_.events.size()) < wanted; ++tries) {
      const int thread = below(options_.threads);
      if (threads_[static_cast<std::size_t>(thread)].life == Life::kRunning) step(thread);
    }
    return std::move(trace_);
  }

 private:
  enum class Life { kNone, kRunning, kWaiting, kEnded, kJoined };
  struct Thread {
    Life life = Life::kNone;
    std::map<int, int> held;     // lock -> depth
    std::map<int, bool> shared;  // lock -> mode
    std::vector<char> scopes;    // 'b'lock, 'f'unction, 'u'nit
    int waits_for = -1;          // condition
    int waits_with = -1;         // lock
    bool notified = false;
  };
  struct Lock {
    int writer = -1;
    int readers = 0;
  };

  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }

  void add_site(int i) {
    Site site;
    // The first four are functions: two units of work, an annotated one, a plain one.
    if (i < 4) site.kind = EventKind::enter;
    if (i < 2) site.flags = kSiteUnit;
    if (i == 2) site.flags = kSiteAtomic;
    site.frames.push_back({fmt::format("f{}", i), "random.cpp", std::uint32_t(10 + i), 1});
    site.stable = stable_hash(site);
    trace_.sites.push_back(site);
  }

  void name_objects() {
    for (int i = 0; i < 8; ++i) {
      const auto at = static_cast<std::uint64_t>(i) * 8;
      trace_.objects[fmt::format("m{}", i)] = kLocks + at;
      trace_.objects[fmt::format("x{}", i)] = kVariables + at;
      trace_.objects[fmt::format("a{}", i)] = kAtomics + at;
      trace_.objects[fmt::format("c{}", i)] = kConditions + at;
      trace_.objects[fmt::format("s{}", i)] = kSignals + at;
    }
  }

  Event& emit(int thread, EventKind kind, std::uint64_t object = 0, std::uint64_t value = 0,
              unsigned flags = 0, int size = 0) {
    Event event{};
    event.kind = kind;
    event.flags = static_cast<std::uint8_t>(flags);
    event.size = static_cast<std::uint16_t>(size);
    event.thread = ThreadId(static_cast<std::uint16_t>(thread));
    event.site = SiteId(static_cast<std::uint32_t>(
        options_.own_sites ? 5 + int(trace_.events.size()) : 5 + below(kSites - 4)));
    event.step = trace_.events.size();
    event.object = object;
    event.value = value;
    trace_.events.push_back(event);
    return trace_.events.back();
  }

  Thread& at(int thread) { return threads_[static_cast<std::size_t>(thread)]; }

  void step(int thread) {
    // With `locking` and `flags`, in terms of the branches below, nearly always one of these.
    static constexpr int kBrief[] = {0, 8, 8, 12};
    static constexpr int kLocking[] = {0, 14, 14, 14, 14, 14, 14, 14, 28, 28, 28, 28, 28, 56};
    static constexpr int kSemaphores[] = {0, 8, 12, 14, 14, 28, 28, 42, 42, 42, 42, 46, 46, 46};
    static constexpr int kFlags[] = {0, 62, 62, 62, 62, 62, 62, 62, 62, 62, 74, 74, 74, 74};
    int choice = below(100);
    if (options_.brief && below(2) == 0) choice = kBrief[below(4)];
    if (options_.locking && below(8) != 0) choice = kLocking[below(14)];
    if (options_.semaphores && below(4) != 0) choice = kSemaphores[below(14)];
    if (options_.allocating && below(3) == 0) choice = 72;
    if (options_.flags && below(16) != 0) choice = kFlags[below(14)];
    if (choice < 8) {
      fork(thread);
    } else if (choice < 12) {
      join(thread);
    } else if (choice < 14) {
      end(thread);
    } else if (choice < 28) {
      acquire(thread, below(options_.locks), 0);
    } else if (choice < 42) {
      release(thread);
    } else if (choice < 46) {
      if (options_.semaphores)
        semaphore(thread);
      else if (options_.order)
        emit(thread, below(2) == 0 ? EventKind::signal : EventKind::await, kSignals);
    } else if (choice < 56) {
      if (options_.blocks) scope(thread);
    } else if (choice < 62) {
      if (options_.waits) condition(thread);
    } else if (choice < 72) {
      if (options_.atomics) atomic(thread);
    } else if (choice < 74) {
      if (options_.memory)
        emit(thread, below(2) == 0 ? EventKind::allocate : EventKind::free,
             kVariables + std::uint64_t(options_.allocating ? 8 * below(options_.variables)
                                                            : below(8 * options_.variables)),
             std::uint64_t{1} + below(12));
    } else {
      access(thread);
    }
  }

  void fork(int thread) {
    for (int child = 1; child < options_.threads; ++child) {
      if (at(child).life != Life::kNone) continue;
      emit(thread, EventKind::fork, 0, std::uint64_t(child));
      emit(child, EventKind::thread_begin);
      at(child).life = Life::kRunning;
      return;
    }
  }

  void join(int thread) {
    const int child = below(options_.threads);
    if (at(child).life != Life::kEnded) return;
    emit(thread, EventKind::join, 0, std::uint64_t(child));
    at(child).life = Life::kJoined;
  }

  void end(int thread) {
    if (thread == 0 || !at(thread).held.empty() || !at(thread).scopes.empty()) return;
    emit(thread, EventKind::thread_end);
    at(thread).life = Life::kEnded;
  }

  bool acquire(int thread, int lock, unsigned flags) {
    Thread& self = at(thread);
    Lock& state = locks_[lock];
    const bool is_rwlock = lock == options_.locks - 1;
    if (self.held.count(lock) != 0) {  // recursion, in the mode it is held
      const int depth = ++self.held[lock];
      emit(thread, EventKind::acquire, address(lock), std::uint64_t(depth),
           flags | (self.shared[lock] ? kShared : 0U));
      return true;
    }
    const bool shared = is_rwlock && flags == 0 && below(2) == 0;
    if (state.writer >= 0 || (!shared && state.readers > 0)) return false;
    if (shared)
      ++state.readers;
    else
      state.writer = thread;
    self.held[lock] = 1;
    self.shared[lock] = shared;
    emit(thread, EventKind::acquire, address(lock), 1, flags | (shared ? kShared : 0U));
    return true;
  }

  static std::uint64_t address(int lock) { return kLocks + 8 * std::uint64_t(lock); }

  void release(int thread) {
    if (!at(thread).held.empty()) {
      auto which = at(thread).held.begin();
      std::advance(which, below(static_cast<int>(at(thread).held.size())));
      release(thread, which->first, 0);
    }
  }

  void release(int thread, int lock, unsigned flags) {
    Thread& self = at(thread);
    const bool shared = self.shared[lock];
    const int depth = --self.held[lock];
    emit(thread, EventKind::release, address(lock), std::uint64_t(depth),
         flags | (shared ? kShared : 0U));
    if (depth > 0) return;
    self.held.erase(lock);
    if (shared)
      --locks_[lock].readers;
    else
      locks_[lock].writer = -1;
  }

  // The first one counts from 1, and is posted by who waited for it; nearly always. The others
  // count from 1 and from 0, and anybody posts them.
  void semaphore(int thread) {
    const int which = below(8) == 0 ? 1 + below(2) : 0;
    Semaphore& semaphore = semaphores_[which];
    if (semaphore.value < 0) semaphore.value = which == 2 ? 0 : 1;
    const std::uint64_t object = kSignals + 8 * std::uint64_t(which);
    const bool own = semaphore.holder == thread;
    if (semaphore.value > 0 && below(8) != 0) {
      --semaphore.value;
      semaphore.holder = thread;
      emit(thread, EventKind::await, object, std::uint64_t(semaphore.value), kSemaphore);
    } else if (which != 0 || own || below(20) == 0) {
      ++semaphore.value;
      semaphore.holder = -1;
      emit(thread, EventKind::signal, object, std::uint64_t(semaphore.value), kSemaphore);
    }
  }

  // A waiter is off the list of running threads; its wake-up is drawn by whoever runs.
  void condition(int thread) {
    Thread& self = at(thread);
    const int choice = below(3);
    if (choice == 0) {
      for (const auto& [lock, depth] : self.held) {
        if (depth != 1 || self.shared[lock]) continue;
        const int condition = below(2);
        self.life = Life::kWaiting;
        self.waits_for = condition;
        self.waits_with = lock;
        self.notified = false;
        emit(thread, EventKind::wait, kConditions + 8 * std::uint64_t(condition), address(lock));
        release(thread, lock, kByWait);
        return;
      }
    } else if (choice == 1) {
      const int condition = below(2);
      int woken = 0;
      for (Thread& other : threads_) {
        if (other.life != Life::kWaiting || other.waits_for != condition || other.notified)
          continue;
        other.notified = true;
        ++woken;
        break;
      }
      emit(thread, EventKind::notify, kConditions + 8 * std::uint64_t(condition),
           std::uint64_t(woken));
    } else {
      for (int other = 0; other < options_.threads; ++other) wake(other);
    }
  }

  void wake(int thread) {
    Thread& self = at(thread);
    if (self.life != Life::kWaiting || locks_[self.waits_with].writer >= 0 ||
        locks_[self.waits_with].readers > 0)
      return;
    if (!self.notified && below(4) != 0) return;
    emit(thread, EventKind::wake, kConditions + 8 * std::uint64_t(self.waits_for),
         self.notified ? 0 : 1 + below(2));
    self.life = Life::kRunning;
    acquire(thread, self.waits_with, kByWait);
  }

  void atomic(int thread) {
    constexpr auto kStrongest = static_cast<unsigned>(MemoryOrder::kSeqCst);
    const auto any = static_cast<unsigned>(below(kStrongest + 2));
    const unsigned order = std::min(any, kStrongest);  // only a read-modify-write may be a barrier
    std::uint64_t where = (below(4) == 0 ? kVariables : kAtomics) + 8 * std::uint64_t(below(2));
    if (options_.flags) where = kAtomics;
    // Now and then one half alone: operations of different sizes meet.
    const bool half = options_.parts && !options_.flags && below(4) == 0;
    const unsigned size = half ? 4 : 8;
    if (half) where += 4 * std::uint64_t(below(2));
    switch (below(6)) {
      case 0:
      case 1:
        emit(thread, EventKind::atomic_load, where, 0, order, size);
        break;
      case 2:
        emit(thread, EventKind::atomic_store, where, 0, order, size);
        break;
      case 3:
        emit(thread, EventKind::atomic_update, where, 0, any, size).value2 = below(3) == 0 ? 0 : 1;
        break;
      case 4:
        emit(thread, EventKind::atomic_compare, where, 0, any | (below(2) == 0 ? kSuccess : 0U),
             size);
        break;
      case 5:
        emit(thread, EventKind::fence, 0, 0, order);
        break;
    }
  }

  void access(int thread) {
    std::uint64_t where = kVariables + 8 * std::uint64_t(below(options_.variables));
    int size = 8;
    const bool range = options_.parts && below(8) == 0;
    if (options_.parts && below(2) == 0) {
      where += std::uint64_t(below(8));
      size = 1 << below(4);
    }
    const bool writes = below(2) == 0;
    if (range)
      emit(thread, writes ? EventKind::write_range : EventKind::read_range, where,
           std::uint64_t(below(20)), 0, 0);
    else
      emit(thread, writes ? EventKind::write : EventKind::read, where, 0, 0, size);
  }

  void scope(int thread) {
    std::vector<char>& scopes = at(thread).scopes;
    if (!scopes.empty() && below(2) == 0) {
      const char kind = scopes.back();
      scopes.pop_back();
      emit(thread, kind == 'b'   ? EventKind::block_exit
                   : kind == 'f' ? EventKind::exit
                                 : EventKind::unit_exit);
      return;
    }
    switch (below(3)) {
      case 0:
        scopes.push_back('b');
        emit(thread, EventKind::block_enter);
        break;
      case 1:
        scopes.push_back('f');
        emit(thread, EventKind::enter).site = SiteId(static_cast<std::uint32_t>(1 + below(4)));
        break;
      case 2:
        scopes.push_back('u');
        emit(thread, EventKind::unit_enter, kVariables);
        break;
    }
  }

  const RandomExecution& options_;
  std::mt19937_64 random_;
  TestTrace trace_;
  std::vector<Thread> threads_;
  std::map<int, Lock> locks_;
  struct Semaphore {
    int value = -1;  // not used yet
    int holder = -1;
  };
  std::map<int, Semaphore> semaphores_;
};

}  // namespace

TestTrace random_execution(std::uint64_t seed, const RandomExecution& options) {
  return Generator(seed, options).run();
}

std::string describe(const TestTrace& trace) {
  std::string text;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    text += fmt::format("{:3} {} value {} flags {:#x} size {} site {}\n", i, trace.text(event),
                        event.value, event.flags, event.size, raw(event.site));
  }
  return text;
}

}  // namespace raddle
