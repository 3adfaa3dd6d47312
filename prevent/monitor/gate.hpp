// Where the threads of the program meet the active monitors. A thread calls pass() at each of its
// events; it returns when no monitor objects. Asking and advancing are one critical section. After
// an event the gate asks for those that wait, and wakes who may go on.
//
// Under Raddle's control (control.hpp) one thread runs at a time, so the gate takes no lock, and
// who has to wait does so in the scheduler. Executions that follow each other in one process know
// nothing of each other; the last one may have been left in the middle.
//
// One gate for the process, never destroyed: threads may end after static objects are gone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "prevent/monitor/monitor.hpp"

namespace raddle::monitor {

class Wait;

class Gate {
 public:
  static Gate& get();

  // The monitor is asked from now on, if `accept` says so, which gets those that are active.
  bool add(Monitor& monitor, const std::function<bool(const std::vector<Monitor*>&)>& accept);
  // The monitor is asked no more; who waited for it goes on. `last` runs before that.
  void remove(Monitor& monitor, const std::function<void()>& last);

  // `site` is the place in the program.
  void pass(const char* name, const void* site);
  // An event of a monitor that comes to the gate only with events for which a thread may have to
  // wait. The monitor is active while it has threads here. It finds `detail` in the thread. `last`
  // is what the thread passed without coming here; null: nothing.
  void pass(Monitor& monitor, const char* name, const char* last, void* detail, const void* site);
  // Something changed that is no event: whoever may go on now does.
  void changed();
  void name_thread(const char* name, const void* site);
  // The calling thread is called what the system calls it, unless it has a name here.
  void adopt_name();
  void thread_exits(const std::shared_ptr<Thread>& thread);

  // The calling thread, known to the gate from now on.
  Thread& self();

  // For those that hold the lock: monitors, and the watch.
  const std::vector<std::shared_ptr<Thread>>& threads() const { return threads_; }
  const std::vector<Monitor*>& monitors() const { return monitors_; }
  bool blocked(std::uint32_t thread);
  // The thread is at an event that it may not pass. One that may, and was woken, is not held.
  bool holds(Thread& thread);
  // Why a held thread is: ", which waits for ...".
  std::string reasons(Thread& thread) const;
  void wake_all();
  // Changes with every event that happens and every thread that ends.
  std::uint64_t progress() const { return progress_; }
  // Names of events that no monitor wanted to hear of, for those that were misspelt.
  const std::vector<std::string>& strangers() const { return strangers_; }
  // The execution that is under Raddle's control, 0 if none is.
  unsigned long execution() const { return execution_; }

  std::mutex& mutex() { return mutex_; }

  // Every event wakes all that sleep here, as figure 3.10 of the dissertation has it, and they ask
  // for themselves. What that costs is what bench/waking.cpp measures; nobody else calls this.
  void wake_all_always(bool always) { wakes_all_ = always; }

 private:
  class Lock;

  Gate() = default;
  void enter(unsigned long execution);
  void activate(Monitor& monitor, bool controlled);
  void deactivate(Monitor& monitor, bool controlled);
  // Wakes those that ask for themselves, and one of the others that may go: it wakes the next when
  // its event has happened, or if it may not go any more. To wake all that may go would let most of
  // them sleep again, where one event shuts the others out.
  void wake_ready();
  bool asks_itself(Thread& thread) const;
  void pass(const Event& event, Lock& lock, const void* site);
  void wait(const Event& event, std::unique_lock<std::mutex>& lock);
  void pause(Thread& thread, Wait& wait, bool polls, std::unique_lock<std::mutex>& lock);
  bool spin(std::uint64_t seen, std::int64_t nanoseconds) const;
  void wait_controlled(const Event& event, const void* site);
  Answer ask(const Event& event);
  bool concerned(const Event& event) const;
  void register_thread(const std::shared_ptr<Thread>& thread);
  // While no monitor is active. A property asks for threads by name that passed it long ago, so
  // those that live stay.
  void forget_ended_threads();
  void commit(const Event& event);
  void note_stranger(std::string_view name);
  std::vector<pid_t> held_threads() const;

  std::mutex mutex_;
  std::vector<Monitor*> monitors_;
  std::vector<std::shared_ptr<Thread>> threads_;
  std::vector<std::string> strangers_;
  std::atomic<std::uint64_t> progress_{0};
  Wait* asking_ = nullptr;  // whose question the monitors answer
  unsigned waiting_ = 0;    // threads that are asleep
  std::size_t turn_ = 0;    // of threads_: who is the first to be asked
  bool wakes_all_ = false;
  unsigned long execution_ = 0;
};

}  // namespace raddle::monitor
