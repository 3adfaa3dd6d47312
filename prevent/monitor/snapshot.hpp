// All threads of the process at one moment, and what that means for the monitors: whether something
// can still go on. Taken by the watch, under the gate's lock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "prevent/monitor/gate.hpp"
#include "prevent/monitor/kernel_view.hpp"

namespace raddle::monitor {

enum class Verdict {
  moves,    // no thread is held, and some thread can go on; or there is nobody to look at
  waits,    // threads are held, and another one runs, sleeps, or waits for something outside
  stuck,    // threads are held, and all others wait for a thread: nothing can go on
  deadlock  // no thread is held, and all wait for a thread
};

struct ThreadState {
  pid_t id;
  std::shared_ptr<Thread> known;  // null: it had neither event nor name
  bool held;
  KernelView view;
  std::int64_t ran = 0;    // nanoseconds on a processor,
  std::int64_t since = 0;  // and when it was first seen there after that
};

struct Snapshot {
  std::vector<ThreadState> threads;
  std::uint64_t progress = 0;
  Verdict verdict = Verdict::moves;
};

// Without the thread `except`. `before` is the last one.
Snapshot take_snapshot(Gate& gate, pid_t except, const Snapshot& before);

// Nothing happened between the two: no event, and no thread has moved.
bool same(const Snapshot& a, const Snapshot& b);

// With Verdict::waits: a thread that may go on, and what it does.
std::string who_moves(const Gate& gate, const Snapshot& snapshot);

// A paragraph for each thread: where it is, what it waits for, its stack. `disturb` takes the
// stacks of threads in rare system calls too, which may end early because of it.
std::string describe(const Gate& gate, const Snapshot& snapshot, bool disturb);

}  // namespace raddle::monitor
