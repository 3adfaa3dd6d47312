#include "prevent/monitor/gate.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "prevent/monitor/control.hpp"
#include "prevent/monitor/spinning.hpp"
#include "prevent/monitor/termination.hpp"
#include "prevent/monitor/wait.hpp"
#include "prevent/monitor/watch.hpp"

// The number of active monitors. Every event reads it, and most find 0.
extern "C" int raddle_schedules_active;
int raddle_schedules_active = 0;

namespace raddle::monitor {
namespace {

constexpr std::size_t kMostStrangers = 100;

constexpr std::int64_t kSpin = 100'000;   // nanoseconds without an event, before a thread sleeps
constexpr std::int64_t kLookPause = 500;  // between two looks at another thread
constexpr std::int64_t kAskRuntime = 20'000;  // before the kernel, if Raddle's runtime is there
constexpr int kLockTurns = 100;               // the lock is never held for long
constexpr int kMostTurns = 10'000;            // the clock stands still where time is virtual

void lock_spinning(std::unique_lock<std::mutex>& lock) {
  if (lock.try_lock()) return;
  for (int turn = 0; turn < kLockTurns && spin_turn(); ++turn)
    if (lock.try_lock()) return;
  lock.lock();
}

// Short pauses are as short as they say: by default the kernel adds 50 us.
class ExactTimers {
 public:
  ExactTimers() : before_(prctl(PR_GET_TIMERSLACK)) { prctl(PR_SET_TIMERSLACK, 1UL); }
  ~ExactTimers() {
    if (before_ > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_));
  }
  ExactTimers(const ExactTimers&) = delete;
  ExactTimers& operator=(const ExactTimers&) = delete;

 private:
  int before_;
};

// The thread's own record, made when it is first needed; the gate hears when the thread exits.
struct Own {
  std::shared_ptr<Thread> thread;
  ~Own() {
    if (thread != nullptr) Gate::get().thread_exits(thread);
  }
};
thread_local Own t_own;

// Why the schedule cannot go on, for Raddle's runtime; the text stays valid.
const char* stuck_text(const char** file, unsigned* line) {
  static std::string& text = *new std::string();
  Gate& gate = Gate::get();
  text.clear();
  for (Monitor* monitor : gate.monitors()) {
    if (text.empty()) {
      *file = monitor->file();
      *line = monitor->line();
    }
    text += (text.empty() ? "" : ", ") + monitor->title();
  }
  text += " is stuck:";
  for (const std::shared_ptr<Thread>& thread : gate.threads()) {
    if (thread->ended || !gate.holds(*thread)) continue;
    text += (text.back() == ':' ? " " : "; ") + thread->title() + " is held at `" +
            thread->held_at + "`" + gate.reasons(*thread);
  }
  return text.c_str();
}

// What a thread waits for in a deadlock, for Raddle's runtime; the text stays valid until the next.
const char* wait_text(unsigned long pthread) {
  static std::string& text = *new std::string();
  Gate& gate = Gate::get();
  for (const std::shared_ptr<Thread>& thread : gate.threads()) {
    if (thread->ended || thread->handle != pthread || thread->held_at == nullptr) continue;
    const Event event{thread->held_at, *thread};
    for (const Monitor* monitor : gate.monitors()) {
      if (!monitor->concerns(event)) continue;
      text = monitor->waits_for(event);
      return text.c_str();
    }
  }
  return nullptr;
}

void count_active(std::size_t count) {
  __atomic_store_n(&raddle_schedules_active, int(count), __ATOMIC_RELAXED);
}

// Before any thread, and without the lock of a static variable, which would be a step of the first
// execution alone.
__attribute__((constructor(101))) void make_gate() { Gate::get(); }

}  // namespace

std::string Thread::title() const {
  if (!name.empty()) return name;
  if (made_monitor) return "main";
  return id != 0 ? "thread " + std::to_string(id) : "thread number " + std::to_string(number);
}

Gate& Gate::get() {
  static Gate* gate;
  if (gate == nullptr) gate = new Gate();
  return *gate;
}

// Under control nobody else runs, and a lock would be a step of the execution.
class Gate::Lock {
 public:
  explicit Lock(Gate& gate) : execution_(execution_under_control()) {
    if (execution_ == 0) {
      lock_ = std::unique_lock<std::mutex>(gate.mutex_, std::defer_lock);
      lock_spinning(lock_);
    }
    gate.enter(execution_);
  }
  bool controlled() const { return execution_ != 0; }
  std::unique_lock<std::mutex>& real() { return lock_; }

 private:
  unsigned long execution_;
  std::unique_lock<std::mutex> lock_;
};

void Gate::enter(unsigned long execution) {
  if (execution == execution_) return;
  execution_ = execution;
  monitors_.clear();
  threads_.clear();
  strangers_.clear();
  count_active(0);
}

Thread& Gate::self() {
  if (t_own.thread == nullptr) {
    t_own.thread = std::make_shared<Thread>();
    t_own.thread->id = execution_under_control() == 0 ? pid_t(syscall(SYS_gettid)) : 0;
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
  if (execution_ == 0) met_natively(*thread);
}

void Gate::forget_ended_threads() {
  const auto ended = [](const std::shared_ptr<Thread>& thread) { return thread->ended; };
  threads_.erase(std::remove_if(threads_.begin(), threads_.end(), ended), threads_.end());
  for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i]->number = std::uint32_t(i);
}

bool Gate::add(Monitor& monitor, const std::function<bool(const std::vector<Monitor*>&)>& accept) {
  self();
  const Lock lock(*this);
  if (monitors_.empty()) {
    threads_.clear();
    strangers_.clear();
  }
  register_thread(t_own.thread);
  t_own.thread->made_monitor = true;
  if (!accept(monitors_)) return false;
  activate(monitor, lock.controlled());
  return true;
}

void Gate::activate(Monitor& monitor, bool controlled) {
  monitors_.push_back(&monitor);
  count_active(monitors_.size());
  if (controlled) {
    // What holds a schedule up is a failure of the test; what holds a property up, a deadlock.
    if (!monitor.patient()) explain_under_control(stuck_text);
    return name_waits_under_control(wait_text);
  }
  if (monitors_.size() > 1) return;
  listen_to_waits(true);
  begin_watching();
  begin_explaining_termination();
}

void Gate::remove(Monitor& monitor, const std::function<void()>& last) {
  const Lock lock(*this);
  last();
  deactivate(monitor, lock.controlled());
}

void Gate::deactivate(Monitor& monitor, bool controlled) {
  const auto found = std::find(monitors_.begin(), monitors_.end(), &monitor);
  if (found == monitors_.end()) return;  // of another execution
  monitors_.erase(found);
  count_active(monitors_.size());
  if (controlled) return changed_under_control();
  if (monitors_.empty()) {
    listen_to_waits(false);
    end_watching();
    end_explaining_termination();
  }
  wake_all();
}

void Gate::wake_all() {
  if (waiting_ == 0) return;
  for (const std::shared_ptr<Thread>& thread : threads_)
    if (thread->asleep) thread->woken.notify_one();
}

// Whether a thread has to ask for itself: for an answer without a look at other threads the gate
// needs its detail.
bool Gate::asks_itself(Thread& thread) const {
  if (thread.detail == nullptr) return true;
  const Event event{thread.held_at, thread};
  return std::any_of(monitors_.begin(), monitors_.end(), [&](const Monitor* monitor) {
    return monitor->concerns(event) && monitor->asks(event);
  });
}

void Gate::wake_ready() {
  if (waiting_ == 0) return;
  if (wakes_all_) return wake_all();
  const std::size_t from = turn_;
  bool called = false;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = *threads_[(from + i) % threads_.size()];
    if (!thread.asleep || thread.called) continue;
    if (!asks_itself(thread)) {
      if (called || ask({thread.held_at, thread}) == Answer::wait) continue;
      called = thread.called = true;
      turn_ = (from + i + 1) % threads_.size();
    }
    thread.woken.notify_one();
  }
}

void Gate::changed() {
  const Lock lock(*this);
  ++progress_;
  if (lock.controlled()) return changed_under_control();
  wake_ready();
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

void Gate::wait(const Event& event, std::unique_lock<std::mutex>& lock) {
  Wait wait(progress_);
  event.thread.called = false;
  for (;;) {
    asking_ = &wait;
    const Answer answer = ask(event);
    asking_ = nullptr;
    switch (answer) {
      case Answer::go:
        return;
      case Answer::gave_up:
        wake_all();
        break;
      case Answer::wait:
      case Answer::poll:
        event.thread.held_at = event.name.data();
        if (std::exchange(event.thread.called, false)) wake_ready();
        pause(event.thread, wait, answer == Answer::poll, lock);
        break;
    }
  }
}

void Gate::pause(Thread& thread, Wait& wait, bool polls, std::unique_lock<std::mutex>& lock) {
  const std::uint64_t seen = progress_;
  const std::int64_t waited = wait.waited(seen);
  const std::int64_t left = kSpin - waited;
  bool again = false;
  if (left > 0 || polls) {
    const std::vector<pid_t> held = polls ? held_threads() : std::vector<pid_t>{};
    lock.unlock();
    if (sees_waits() && waited < kAskRuntime) {
      // Whether the thread waits will be known without a look.
    } else if (polls) {
      again = wait.look(held, mutex_.native_handle());
    } else {
      wait.prepare();
    }
    again = again || (left > 0 && spin(seen, polls ? std::min(left, kLookPause) : left));
    lock_spinning(lock);
  }
  if (again || progress_ != seen) return;
  ++waiting_;
  thread.asleep = true;
  if (polls) {
    const ExactTimers exact;
    thread.woken.wait_for(lock, std::chrono::microseconds(wait.pause()));
  } else {
    thread.woken.wait(lock);
  }
  thread.asleep = false;
  --waiting_;
}

bool Gate::spin(std::uint64_t seen, std::int64_t nanoseconds) const {
  const std::int64_t until = now_ns() + nanoseconds;
  for (int turn = 0; turn < kMostTurns && now_ns() < until; ++turn) {
    if (progress_.load(std::memory_order_relaxed) != seen) return true;
    if (!spin_turn()) return false;
  }
  return true;
}

void Gate::wait_controlled(const Event& event, const void* site) {
  struct Asked {
    Gate& gate;
    const Event& event;
  } asked{*this, event};
  const auto ready = [](void* data) {
    const Asked& asking = *static_cast<Asked*>(data);
    const Answer answer = asking.gate.ask(asking.event);
    return answer == Answer::go || answer == Answer::gave_up ? 1 : 0;
  };
  const bool asks = std::any_of(monitors_.begin(), monitors_.end(),
                                [&](const Monitor* monitor) { return monitor->asks(event); });
  event.thread.held_at = event.name.data();
  do {
    wait_under_control(ready, &asked, asks, site);
  } while (ask(event) != Answer::go);
}

void Gate::pass(const Event& event, Lock& lock, const void* site) {
  if (!concerned(event)) return note_stranger(event.name);
  if (lock.controlled()) {
    wait_controlled(event, site);
  } else {
    wait(event, lock.real());
  }
  event.thread.held_at = nullptr;
  commit(event);
  if (lock.controlled()) return changed_under_control();
  wake_ready();
}

bool Gate::concerned(const Event& event) const {
  return std::any_of(monitors_.begin(), monitors_.end(),
                     [&](const Monitor* monitor) { return monitor->concerns(event); });
}

void Gate::commit(const Event& event) {
  for (Monitor* monitor : monitors_)
    if (monitor->concerns(event)) monitor->commit(event);
  ++progress_;
}

void Gate::note_stranger(std::string_view name) {
  if (name == "start" || name == "end" || strangers_.size() >= kMostStrangers) return;
  if (std::find(strangers_.begin(), strangers_.end(), name) == strangers_.end())
    strangers_.emplace_back(name);
}

void Gate::pass(const char* name, const void* site) {
  Thread& thread = self();
  Lock lock(*this);
  if (monitors_.empty()) return;
  register_thread(t_own.thread);
  pass({name, thread}, lock, site);
  thread.last_event = name;
}

void Gate::pass(Monitor& monitor, const char* name, const char* last, void* detail,
                const void* site) {
  Thread& thread = self();
  Lock lock(*this);
  if (monitors_.empty()) forget_ended_threads();
  if (std::find(monitors_.begin(), monitors_.end(), &monitor) == monitors_.end()) {
    monitor.passing = 0;  // an execution may have been left in the middle
    activate(monitor, lock.controlled());
  }
  register_thread(t_own.thread);
  ++monitor.passing;
  if (last != nullptr) thread.last_event = last;
  thread.detail = detail;
  pass({name, thread}, lock, site);
  thread.detail = nullptr;
  thread.last_event = name;
  if (--monitor.passing == 0 && !lock.controlled()) deactivate(monitor, false);
}

void Gate::adopt_name() {
  Thread& thread = self();
  const Lock lock(*this);
  if (!thread.name.empty()) return;
  char name[16] = "";
  if (pid_t(syscall(SYS_gettid)) == getpid()) {
    thread.name = "main";
  } else if (pthread_getname_np(pthread_self(), name, sizeof(name)) == 0) {
    thread.name = name;
  }
}

void Gate::name_thread(const char* name, const void* site) {
  Thread& thread = self();
  Lock lock(*this);
  thread.name = name;
  if (monitors_.empty() && lock.controlled()) return;  // no execution leaves its memory to the next
  if (monitors_.empty()) forget_ended_threads();
  register_thread(t_own.thread);
  if (monitors_.empty()) return;
  pass({"start", thread}, lock, site);
}

void Gate::thread_exits(const std::shared_ptr<Thread>& thread) {
  Lock lock(*this);
  if (!monitors_.empty()) {
    register_thread(thread);
    pass({"end", *thread}, lock, nullptr);
  }
  thread->ended = true;
  ++progress_;
  if (!lock.controlled()) return wake_all();
  if (!monitors_.empty()) changed_under_control();
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
  if (execution_ != 0) return blocked_under_control(thread);
  if (waits_natively(thread)) return true;
  if (asking_ != nullptr) return asking_->still_blocked(threads_[number]);
  return blocked_now(thread.id, held_threads(), mutex_.native_handle());
}

std::vector<pid_t> Gate::held_threads() const {
  std::vector<pid_t> held{pid_t(syscall(SYS_gettid))};
  for (const std::shared_ptr<Thread>& thread : threads_)
    if (thread->held_at != nullptr) held.push_back(thread->id);
  return held;
}

}  // namespace raddle::monitor
