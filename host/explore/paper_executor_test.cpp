#include "host/explore/testing/paper_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "target/strategy/replay.hpp"

namespace raddle::paper {
namespace {

constexpr int kKinds = 8;  // of each kind of object
constexpr int kPoison = 77;

std::vector<std::unique_ptr<char[]>>& memory() {
  static std::vector<std::unique_ptr<char[]>> blocks;
  return blocks;
}
void* allocate(std::size_t bytes) {
  memory().push_back(std::make_unique<char[]>(bytes));
  return memory().back().get();
}

}  // namespace

struct PaperExecutor::State {
  std::vector<Thread> threads;
  std::array<int, kKinds> variables{};
  std::array<int, kKinds> owner{};  // mutexes: thread + 1
  std::array<int, kKinds> writer{};
  std::array<int, kKinds> readers{};
  std::array<int, kKinds> semaphores{};
  std::array<std::vector<std::uint16_t>, kKinds> waiters;
  std::array<bool, kKinds> freed{};  // blocks
  bool failed = false;
  int failed_thread = 0;
  bool exited = false;

  const Program& program;

  explicit State(const Program& p) : threads(p.threads.size()), program(p) {
    for (std::size_t i = 0; i < p.semaphores.size(); ++i) semaphores.at(i) = p.semaphores[i];
    for (std::uint16_t t = 0; t < threads.size(); ++t) run_local(t);
  }

  bool ended(std::uint16_t t) const { return threads[t].at >= program.threads[t].size(); }

  // What takes no step.
  void run_local(std::uint16_t t) {
    Thread& thread = threads[t];
    while (!ended(t)) {
      const Instruction& i = program.threads[t][thread.at];
      if (i.code == Code::kSkipUnless) {
        thread.at += thread.reg == i.a ? 1 : 1 + static_cast<std::size_t>(i.b);
      } else if (i.code == Code::kSkipIf) {
        thread.at += thread.reg != i.a ? 1 : 1 + static_cast<std::size_t>(i.b);
      } else if (i.code == Code::kFailIf) {
        if (thread.reg == i.a) {
          failed = true;
          failed_thread = t;
          return;
        }
        ++thread.at;
      } else {
        return;
      }
    }
  }

  static ObjectId object(int kind, int n) {
    return ObjectId{static_cast<std::uint32_t>(1 + kind * kKinds + n)};
  }
  static ObjectId mutex(int n) { return object(0, n); }
  static ObjectId cond(int n) { return object(1, n); }
  static ObjectId semaphore(int n) { return object(2, n); }
  static ObjectId variable(int n) { return object(3, n); }
  static ObjectId rwlock(int n) { return object(4, n); }

  // Variables lie 8 bytes apart; each at the beginning of its block in a program that frees.
  static constexpr std::uint64_t kBlockBytes = 0x100;
  static std::uint64_t block(int n) { return 0x1000 + kBlockBytes * std::uint64_t(n); }
  std::uint64_t bytes(int n) const {
    return touched_bytes(program.frees ? block(n) : 0x1000 + 8 * std::uint64_t(n), 4);
  }
  // Pending::memory. Kinds of objects lie 16 bytes apart.
  std::uint64_t lies(int kind, int block_number) const {
    if (!program.frees) return 0;
    return touched_bytes(block(block_number) + 0x20 + 0x10 * std::uint64_t(kind), 1);
  }

  // The block that the instruction needs; -1 for none.
  static int block_of(const Instruction& i) {
    switch (i.code) {
      case Code::kLock:
      case Code::kTryLock:
      case Code::kUnlock:
      case Code::kLoad:
      case Code::kAwait:
      case Code::kLook:
      case Code::kStore:
      case Code::kStoreSum:
      case Code::kAdd:
      case Code::kFree:
        return i.a;
      case Code::kWait:
      case Code::kSignal:
      case Code::kBroadcast:
      case Code::kPost:
      case Code::kDown:
      case Code::kReadLock:
      case Code::kWriteLock:
      case Code::kRwUnlock:
        return 0;
      case Code::kYield:
      case Code::kExit:
      case Code::kSkipUnless:
      case Code::kSkipIf:
      case Code::kFailIf:
        return -1;
    }
    return -1;
  }

  // What the thread is about to use is gone, and it notices.
  bool uses_freed(const Thread& thread, const Instruction& i) const {
    const auto gone = [&](int n) { return n >= 0 && freed.at(static_cast<std::size_t>(n)); };
    if (i.code == Code::kWait)
      return gone(thread.phase == 2 ? i.b : 0) || (thread.phase == 0 && gone(i.b));
    const bool silent = is_access(i.code) && !program.accesses_fail;
    return !silent && gone(block_of(i));
  }
  static bool is_access(Code code) {
    return code == Code::kLoad || code == Code::kAwait || code == Code::kLook ||
           code == Code::kStore || code == Code::kStoreSum || code == Code::kAdd;
  }

  Pending pending(std::uint16_t t, bool& enabled) const {
    const Thread& thread = threads[t];
    const Instruction& i = program.threads[t][thread.at];
    Pending p{ThreadId{t},
              OpKind::none,
              StepOutcome::kReady,
              kNoObject,
              0x100 * std::uint64_t(t + 1U) + thread.at,
              0};
    enabled = true;
    const auto a = static_cast<std::size_t>(i.a);
    switch (i.code) {
      case Code::kLock:
        p.op = OpKind::mutex_lock;
        p.object = mutex(i.a);
        p.memory = lies(0, i.a);
        enabled = owner.at(a) == 0;
        break;
      case Code::kTryLock:
        p.op = OpKind::mutex_trylock;
        p.object = mutex(i.a);
        p.memory = lies(0, i.a);
        break;
      case Code::kUnlock:
        p.op = OpKind::mutex_unlock;
        p.object = mutex(i.a);
        p.memory = lies(0, i.a);
        break;
      case Code::kLoad:
        p.op = OpKind::atomic_load;
        p.object = variable(i.a);
        p.extra = bytes(i.a);
        break;
      case Code::kAwait:
      case Code::kLook:
        p.op = thread.phase > 0 && thread.seen == variables.at(a) ? OpKind::atomic_again
                                                                  : OpKind::atomic_load;
        p.object = variable(i.a);
        p.extra = bytes(i.a);
        break;
      case Code::kStore:
      case Code::kStoreSum:
        p.op = OpKind::atomic_store;
        p.object = variable(i.a);
        p.extra = bytes(i.a);
        break;
      case Code::kAdd:
        p.op = OpKind::atomic_update;
        p.object = variable(i.a);
        p.extra = bytes(i.a);
        break;
      case Code::kWait:
        if (thread.phase == 0) {
          p.op = OpKind::cond_wait;
          p.object = cond(i.a);
          p.extra = touched_object(mutex(i.b));
          // From the condition variable to the mutex, or the other way round: here block 0 or more.
          if (program.frees) {
            const std::uint64_t low = lies(0, i.b) >> 16;
            const std::uint64_t high = lies(1, 0) >> 16;
            p.memory =
                touched_bytes(std::min(low, high), std::max(low, high) - std::min(low, high) + 1);
          }
        } else if (thread.phase == 1) {
          p.op = OpKind::cond_wake;
          p.object = cond(i.a);
          p.memory = lies(1, 0);
          enabled = thread.signalled;
        } else {
          p.op = OpKind::mutex_lock;
          p.object = mutex(i.b);
          p.memory = lies(0, i.b);
          enabled = owner.at(static_cast<std::size_t>(i.b)) == 0;
        }
        break;
      case Code::kSignal:
        p.op = OpKind::cond_signal;
        p.object = cond(i.a);
        p.memory = lies(1, 0);
        break;
      case Code::kBroadcast:
        p.op = OpKind::cond_broadcast;
        p.object = cond(i.a);
        p.memory = lies(1, 0);
        break;
      case Code::kPost:
        p.op = OpKind::sem_post;
        p.object = semaphore(i.a);
        p.memory = lies(2, 0);
        break;
      case Code::kDown:
        p.op = OpKind::sem_wait;
        p.object = semaphore(i.a);
        p.memory = lies(2, 0);
        enabled = semaphores.at(a) > 0;
        break;
      case Code::kYield:
        p.op = OpKind::yield;
        break;
      case Code::kReadLock:
        p.op = OpKind::rwlock_read;
        p.object = rwlock(i.a);
        p.memory = lies(3, 0);
        enabled = writer.at(a) == 0;
        break;
      case Code::kWriteLock:
        p.op = OpKind::rwlock_write;
        p.object = rwlock(i.a);
        p.memory = lies(3, 0);
        enabled = writer.at(a) == 0 && readers.at(a) == 0;
        break;
      case Code::kRwUnlock:
        p.op = OpKind::rwlock_unlock;
        p.object = rwlock(i.a);
        p.memory = lies(3, 0);
        p.extra = writer.at(a) != t + 1 ? kUnlocksShare : 0;
        break;
      case Code::kExit:
        p.op = OpKind::process_exit;
        break;
      case Code::kFree:
        p.op = OpKind::memory_free;
        p.object = variable(i.a);
        p.extra = touched_bytes(block(i.a), kBlockBytes, true);
        p.memory = kBlockBytes;
        break;
      case Code::kSkipUnless:
      case Code::kSkipIf:
      case Code::kFailIf:
        break;
    }
    return p;
  }

  // What the step is about to find, or has left.
  template <class T>
  static void put(std::vector<std::uint8_t>& bytes, T value) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
  }

  static bool is_access(const Pending& p) {
    return p.op == OpKind::atomic_load || p.op == OpKind::atomic_again ||
           p.op == OpKind::atomic_store || p.op == OpKind::atomic_update;
  }

  StepValue note(const Pending& p, std::vector<std::uint8_t>& bytes) const {
    const Instruction& i = program.threads[raw(p.thread)][threads[raw(p.thread)].at];
    const auto a = static_cast<std::size_t>(i.a);
    const auto begin = static_cast<std::uint32_t>(bytes.size());
    if (is_access(p)) {
      put(bytes, variables.at(a));
    } else if (p.op == OpKind::mutex_trylock) {
      put(bytes, static_cast<std::uint8_t>(owner.at(a) == 0));
    } else if (p.op == OpKind::sem_post || p.op == OpKind::sem_wait) {
      put(bytes, semaphores.at(a));
    }
    return {begin, static_cast<std::uint32_t>(bytes.size()) - begin};
  }

  // Executes what the thread announced. `choose` decides values.
  template <class Choose>
  void execute(std::uint16_t t, const Choose& choose) {
    Thread& thread = threads[t];
    const Instruction i = program.threads[t][thread.at];
    const auto a = static_cast<std::size_t>(i.a);
    const auto b = static_cast<std::size_t>(i.b);
    std::size_t next = thread.at + 1;
    if (uses_freed(thread, i)) {
      failed = true;
      failed_thread = t;
      return;
    }
    switch (i.code) {
      case Code::kLock:
        owner.at(a) = t + 1;
        break;
      case Code::kTryLock:
        if (owner.at(a) != 0) {
          next += b;
        } else {
          owner.at(a) = t + 1;
        }
        break;
      case Code::kUnlock:
        owner.at(a) = 0;
        break;
      case Code::kLoad:
        thread.reg = variables.at(a);
        break;
      case Code::kAwait:
        thread.seen = variables.at(a);
        ++thread.phase;
        if (thread.seen != i.b) {
          next = thread.at;
        } else {
          thread.phase = 0;
        }
        break;
      case Code::kLook:
        thread.reg = thread.seen = variables.at(a);
        if (++thread.phase < i.b && thread.seen == 0) {
          next = thread.at;
        } else {
          thread.phase = 0;
        }
        break;
      case Code::kStore:
        variables.at(a) = i.b;
        break;
      case Code::kStoreSum:
        variables.at(a) = thread.reg + i.b;
        break;
      case Code::kAdd:
        thread.reg = variables.at(a);
        variables.at(a) += i.b;
        break;
      case Code::kWait:
        next = thread.at;
        if (thread.phase == 0) {
          owner.at(b) = 0;
          thread.signalled = false;
          waiters.at(a).push_back(t);
          thread.phase = 1;
        } else if (thread.phase == 1) {
          std::erase(waiters.at(a), t);
          thread.phase = 2;
        } else {
          owner.at(b) = t + 1;
          thread.phase = 0;
          ++next;
        }
        break;
      case Code::kSignal: {
        std::vector<std::uint16_t> able;
        for (const std::uint16_t w : waiters.at(a)) {
          if (!threads[w].signalled) able.push_back(w);
        }
        if (!able.empty()) {
          const auto count = static_cast<std::uint32_t>(able.size());
          threads[able[count > 1 ? choose(count) : 0]].signalled = true;
        }
        break;
      }
      case Code::kBroadcast:
        for (const std::uint16_t w : waiters.at(a)) threads[w].signalled = true;
        break;
      case Code::kPost:
        ++semaphores.at(a);
        break;
      case Code::kDown:
        --semaphores.at(a);
        break;
      case Code::kReadLock:
        ++readers.at(a);
        break;
      case Code::kWriteLock:
        writer.at(a) = t + 1;
        break;
      case Code::kRwUnlock:
        if (writer.at(a) == t + 1) {
          writer.at(a) = 0;
        } else {
          --readers.at(a);
        }
        break;
      case Code::kExit:
        exited = true;
        return;
      case Code::kFree:
        freed.at(a) = true;
        variables.at(a) = kPoison;
        break;
      case Code::kYield:
      case Code::kSkipUnless:
      case Code::kSkipIf:
      case Code::kFailIf:
        break;
    }
    thread.at = next;
    run_local(t);
  }
};

const Explored* PaperExecutor::execute(const ExecutionRequest& request) {
  log_.clear();
  pending_.clear();
  first_.clear();
  values_.clear();
  bytes_.clear();
  memory().clear();
  explored_ = {};
  Plan plan{};
  plan.asleep = request.asleep;
  plan.looks_on = request.looks_on;
  Replay strategy(request.prefix, request.loose ? ReplayMode::kLoose : ReplayMode::kPrefix,
                  *make_strategy(*find_strategy("systematic"), plan, allocate));
  for (std::uint16_t t = 1; t < program_.threads.size(); ++t) strategy.on_create(ThreadId{t});
  State state(program_);
  ThreadId current = kMainThread;
  const auto choose_value = [&](std::uint32_t count) {
    first_.push_back(static_cast<std::uint32_t>(pending_.size()));
    const std::uint32_t value = strategy.choose_value(current, count);
    values_.push_back({});
    log_.push_back(
        {current, OpKind::value_choice, static_cast<std::uint8_t>(value), ObjectId{count}, 0});
    return value;
  };
  std::vector<Pending> enabled;
  std::vector<Pending> blocked;
  std::size_t idle = 0;
  for (;;) {
    enabled.clear();
    blocked.clear();
    for (std::uint16_t t = 0; t < state.threads.size(); ++t) {
      if (state.ended(t) || (state.failed && t == state.failed_thread)) continue;
      if (state.exited && t == raw(current)) continue;
      bool can_move = false;
      const Pending p = state.pending(t, can_move);
      (can_move ? enabled : blocked).push_back(p);
    }
    if (state.failed || state.exited || enabled.empty()) break;
    first_.push_back(static_cast<std::uint32_t>(pending_.size()));
    std::vector<const Pending*> view;
    for (const Pending& p : enabled) view.push_back(&p);
    const std::size_t chosen = strategy.choose({view, current, log_.size()});
    if (strategy.divergence().happened) {
      explored_.outcome = OutcomeKind::kDiverged;
      explored_.diverged_step = strategy.divergence().step;
      break;
    }
    if (chosen == view.size()) {
      first_.pop_back();
      explored_.redundant = true;
      break;
    }
    pending_.insert(pending_.end(), enabled.begin(), enabled.end());
    current = enabled[chosen].thread;
    log_.push_back(record_of(enabled[chosen]));
    values_.push_back(state.note(enabled[chosen], bytes_));
    const auto variable =
        static_cast<std::size_t>(program_.threads[raw(current)][state.threads[raw(current)].at].a);
    const bool access = State::is_access(enabled[chosen]);
    idle = is_idle_op(enabled[chosen].op) ? idle + 1 : 0;
    // As long as somebody is only held back, nobody is stuck.
    if (idle > 100 && std::all_of(enabled.begin(), enabled.end(),
                                  [](const Pending& p) { return is_idle_op(p.op); })) {
      explored_.outcome = OutcomeKind::kLivelock;
      break;
    }
    state.execute(raw(current), choose_value);
    if (access) State::put(bytes_, state.variables.at(variable));
  }
  first_.push_back(static_cast<std::uint32_t>(pending_.size()));
  pending_.insert(pending_.end(), enabled.begin(), enabled.end());
  pending_.insert(pending_.end(), blocked.begin(), blocked.end());
  first_.push_back(static_cast<std::uint32_t>(pending_.size()));
  explored_.enabled_at_end = static_cast<std::uint32_t>(enabled.size());

  group_.clear();
  if (state.failed) {
    explored_.outcome = OutcomeKind::kAssertion;
    group_ = "assertion " + std::to_string(state.failed_thread) + "." +
             std::to_string(state.threads[static_cast<std::size_t>(state.failed_thread)].at);
  } else if (explored_.outcome == OutcomeKind::kLivelock) {
    group_ = "livelock";
  } else if (!explored_.redundant && explored_.outcome == OutcomeKind::kNone && !state.exited &&
             !blocked.empty()) {
    explored_.outcome = OutcomeKind::kDeadlock;
    group_ = "deadlock";
    for (const Pending& p : blocked) group_ += " " + std::to_string(p.site);
  }
  explored_.failing =
      explored_.outcome != OutcomeKind::kNone && explored_.outcome != OutcomeKind::kDiverged;
  explored_.group = group_;
  explored_.log = log_;
  explored_.pending = pending_;
  explored_.first = first_;
  explored_.values = values_;
  explored_.bytes = bytes_;
  final_state_.clear();
  for (const int v : state.variables) final_state_ += std::to_string(v) + " ";
  for (const Thread& t : state.threads) final_state_ += "r" + std::to_string(t.reg) + " ";
  return &explored_;
}

}  // namespace raddle::paper
