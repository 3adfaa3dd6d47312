#include "prevent/monitor/gate.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "prevent/monitor/termination.hpp"
#include "prevent/monitor/watch.hpp"

// The number of active monitors. Every event reads it, and most find 0.
extern "C" int raddle_schedules_active;
int raddle_schedules_active = 0;

namespace raddle::monitor {
namespace {

constexpr std::size_t kMostStrangers = 100;

// Who is waited for is probably on the way. To keep the processor for that long costs less than to
// give it away and to be woken, which takes tens of microseconds each time.
constexpr std::int64_t kSpin = 100'000;     // nanoseconds without an event
constexpr std::int64_t kLookPause = 2'000;  // between two looks at another thread
constexpr std::int64_t kLockSpin = 20'000;  // the lock is never held for long
constexpr int kMostTurns = 10'000;          // the clock stands still where time is virtual

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// At least one processor is left for those that are waited for.
unsigned most_spinners() {
  cpu_set_t set;
  static const int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
  return unsigned(count - 1);
}

void lock_spinning(std::unique_lock<std::mutex>& lock) {
  if (lock.try_lock()) return;
  const std::int64_t until = most_spinners() > 0 ? now_ns() + kLockSpin : 0;
  for (int turn = 0; turn < kMostTurns && now_ns() < until; ++turn) {
    relax();
    if (lock.try_lock()) return;
  }
  lock.lock();
}

// The thread's own record, made when it is first needed; the gate hears when the thread exits.
struct Own {
  std::shared_ptr<Thread> thread;
  ~Own() {
    if (thread != nullptr) Gate::get().thread_exits(*thread);
  }
};
thread_local Own t_own;

void count_active(std::size_t count) {
  __atomic_store_n(&raddle_schedules_active, int(count), __ATOMIC_RELAXED);
}

}  // namespace

std::string Thread::title() const {
  if (!name.empty()) return name;
  return made_monitor ? "main" : "thread " + std::to_string(id);
}

Gate& Gate::get() {
  static Gate& gate = *new Gate();
  return gate;
}

Thread& Gate::self() {
  if (t_own.thread == nullptr) {
    t_own.thread = std::make_shared<Thread>();
    t_own.thread->id = pid_t(syscall(SYS_gettid));
    t_own.thread->handle = pthread_self();
  }
  return *t_own.thread;
}

void Gate::register_thread(const std::shared_ptr<Thread>& thread) {
  if (std::find(threads_.begin(), threads_.end(), thread) != threads_.end()) return;
  thread->number = std::uint32_t(threads_.size());
  thread->made_monitor = false;
  thread->last_event.clear();
  threads_.push_back(thread);
}

bool Gate::add(Monitor& monitor, const std::function<bool(const std::vector<Monitor*>&)>& accept) {
  self();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (monitors_.empty()) {
    threads_.clear();
    strangers_.clear();
  }
  register_thread(t_own.thread);
  t_own.thread->made_monitor = true;
  if (!accept(monitors_)) return false;
  monitors_.push_back(&monitor);
  count_active(monitors_.size());
  if (monitors_.size() == 1) {
    begin_watching();
    begin_explaining_termination();
  }
  return true;
}

void Gate::remove(Monitor& monitor, const std::function<void()>& last) {
  const std::lock_guard<std::mutex> lock(mutex_);
  last();
  monitors_.erase(std::find(monitors_.begin(), monitors_.end(), &monitor));
  count_active(monitors_.size());
  if (monitors_.empty()) {
    end_watching();
    end_explaining_termination();
  }
  wake_all();
}

Answer Gate::ask(const Event& event) {
  Answer answer = Answer::go;
  for (Monitor* monitor : monitors_) {
    if (!monitor->concerns(event)) continue;
    const Answer one = monitor->ask(event);
    if (one == Answer::wait || one == Answer::gave_up) return one;
    if (one == Answer::poll) answer = one;
  }
  return answer;
}

void Gate::wait(std::unique_lock<std::mutex>& lock, Answer answer, Wait& wait) {
  const std::int64_t now = now_ns();
  if (wait.progress != progress_) wait = {now, progress_, 0};
  if (now - wait.since < kSpin && spinners_ < most_spinners())
    return spin(lock, answer == Answer::wait ? wait.since + kSpin : now + kLookPause);
  ++waiting_;
  if (answer == Answer::wait) {
    changed_.wait(lock);
  } else {
    const auto pause = std::chrono::microseconds(
        wait.rounds < 20 ? 10 : std::min(20U << (wait.rounds / 20), 1000U));
    ++wait.rounds;
    changed_.wait_for(lock, pause);
  }
  --waiting_;
}

void Gate::spin(std::unique_lock<std::mutex>& lock, std::int64_t until) {
  const std::uint64_t seen = progress_;
  ++spinners_;
  lock.unlock();
  for (int turn = 0; turn < kMostTurns && now_ns() < until; ++turn) {
    if (progress_.load(std::memory_order_relaxed) != seen) break;
    relax();
  }
  lock_spinning(lock);
  --spinners_;
}

void Gate::pass(const Event& event, std::unique_lock<std::mutex>& lock) {
  Thread& thread = event.thread;
  Wait waited{now_ns(), progress_, 0};
  for (Answer answer = ask(event); answer != Answer::go; answer = ask(event)) {
    if (answer == Answer::gave_up) {
      wake_all();
      continue;
    }
    thread.held_at = event.name.data();
    wait(lock, answer, waited);
  }
  thread.held_at = nullptr;
  commit(event);
}

void Gate::commit(const Event& event) {
  bool known = false;
  for (Monitor* monitor : monitors_) {
    if (!monitor->concerns(event)) continue;
    monitor->commit(event);
    known = true;
  }
  ++progress_;
  if (!known) return note_stranger(event.name);
  if (waiting_ > 0) wake_all();
}

void Gate::note_stranger(std::string_view name) {
  if (name == "start" || name == "end" || strangers_.size() >= kMostStrangers) return;
  if (std::find(strangers_.begin(), strangers_.end(), name) == strangers_.end())
    strangers_.emplace_back(name);
}

void Gate::pass(const char* name) {
  Thread& thread = self();
  std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
  lock_spinning(lock);
  if (monitors_.empty()) return;
  register_thread(t_own.thread);
  pass({name, thread}, lock);
  thread.last_event = name;
  thread.check = BlockedCheck();
}

void Gate::name_thread(const char* name) {
  Thread& thread = self();
  std::unique_lock<std::mutex> lock(mutex_);
  thread.name = name;
  if (monitors_.empty()) return;
  register_thread(t_own.thread);
  pass({"start", thread}, lock);
}

void Gate::thread_exits(Thread& thread) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!monitors_.empty()) pass({"end", thread}, lock);
  thread.ended = true;
  ++progress_;
  wake_all();
}

bool Gate::holds(Thread& thread) {
  if (thread.held_at == nullptr) return false;
  const Answer answer = ask({thread.held_at, thread});
  return answer == Answer::wait || answer == Answer::poll;
}

std::string Gate::reasons(Thread& thread) const {
  std::string out;
  for (Monitor* monitor : monitors_) {
    const Event event{thread.held_at, thread};
    const std::string reason = monitor->concerns(event) ? monitor->reason(event) : "";
    if (!reason.empty()) out += ", which " + reason;
  }
  return out;
}

bool Gate::blocked(std::uint32_t number) {
  Thread& thread = *threads_[number];
  if (thread.ended || thread.held_at != nullptr) return false;
  std::vector<pid_t> held{pid_t(syscall(SYS_gettid))};
  for (const std::shared_ptr<Thread>& other : threads_)
    if (other->held_at != nullptr) held.push_back(other->id);
  return thread.check.blocked(thread.id, held, mutex_.native_handle());
}

}  // namespace raddle::monitor
