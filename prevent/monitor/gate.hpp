// Where the threads of the program meet the active monitors. A thread calls pass() at each of its
// events; it returns when no monitor objects. Asking and advancing are one critical section, and
// every event that happened lets all that wait ask again.
//
// One gate for the process, never destroyed: threads may end after static objects are gone.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "prevent/monitor/monitor.hpp"

namespace raddle::monitor {

class Gate {
 public:
  static Gate& get();

  // From now on the monitor is asked. `refuse` runs under the lock before that; with false nothing
  // is added.
  bool add(Monitor& monitor, const std::function<bool(const std::vector<Monitor*>&)>& accept);
  // The monitor is asked no more; who waited for it goes on. `last` runs under the lock.
  void remove(Monitor& monitor, const std::function<void()>& last);

  void pass(const char* name);
  void name_thread(const char* name);
  void thread_exits(Thread& thread);

  // The calling thread, known to the gate from now on.
  Thread& self();

  // For monitors, under the lock.
  const std::vector<std::shared_ptr<Thread>>& threads() const { return threads_; }
  bool blocked(std::uint32_t thread);
  void wake_all() { changed_.notify_all(); }

  std::mutex& mutex() { return mutex_; }

 private:
  Gate() = default;
  void pass(const Event& event, std::unique_lock<std::mutex>& lock);
  Answer ask(const Event& event);
  void wait(std::unique_lock<std::mutex>& lock, Answer answer, unsigned round);
  void register_thread(const std::shared_ptr<Thread>& thread);
  bool concerned(const Event& event) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Monitor*> monitors_;
  std::vector<std::shared_ptr<Thread>> threads_;
  unsigned waiting_ = 0;
};

}  // namespace raddle::monitor
