// Programs on paper for the tests of the strategies: threads that execute lists of operations, none
// of which blocks. Not part of the library.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "target/strategy/table.hpp"

namespace raddle {

// The memory of the strategies of one test: zero-filled, freed by the next make_strategy().
inline std::vector<std::unique_ptr<char[]>>& memory() {
  static std::vector<std::unique_ptr<char[]>> blocks;
  return blocks;
}

inline void* allocate(std::size_t bytes) {
  memory().push_back(std::make_unique<char[]>(bytes));  // aligned for anything, and zero
  return memory().back().get();
}

inline Plan plan_for(const char* strategy, std::uint64_t seed) {
  Plan plan{};
  std::strcpy(plan.strategy, strategy);
  plan.seed = seed;
  plan.pct_depth = 1;
  plan.pct_steps = 100;
  return plan;
}

// The result is valid until the next call.
inline Strategy& make_strategy(const Plan& plan) {
  memory().clear();
  return *make_strategy(*find_strategy(plan.strategy), plan, allocate);
}

inline Pending operation(int thread, OpKind op, std::uint32_t object) {
  return {static_cast<ThreadId>(thread), op, StepOutcome::kReady, ObjectId{object}, 0};
}

using Body = std::vector<Pending>;  // what one thread executes

// `count` operations, all on `object`.
inline Body repeated(int thread, std::size_t count, std::uint32_t object,
                     OpKind op = OpKind::mutex_lock) {
  return Body(count, operation(thread, op, object));
}

// Runs all threads to their end. Returns the threads in the order of their steps.
inline std::vector<int> run(Strategy& strategy, const std::vector<Body>& threads) {
  std::vector<std::size_t> done(threads.size(), 0);
  for (std::size_t t = 1; t < threads.size(); ++t) strategy.on_create(static_cast<ThreadId>(t));
  std::vector<int> order;
  ThreadId current = kMainThread;
  for (;;) {
    std::vector<const Pending*> enabled;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      if (done[t] < threads[t].size()) enabled.push_back(&threads[t][done[t]]);
    }
    if (enabled.empty()) return order;
    current = enabled.at(strategy.choose({enabled, current, order.size()}))->thread;
    ++done[raw(current)];
    order.push_back(raw(current));
  }
}

inline std::string text_of(const std::vector<int>& order) {
  std::string text;
  for (int thread : order) text += static_cast<char>('0' + thread);
  return text;
}

}  // namespace raddle
