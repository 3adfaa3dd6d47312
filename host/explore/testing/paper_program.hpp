// Programs on paper for the tests of explorers: threads that execute short lists of operations on
// variables, locks, condition variables and semaphores, run by an executor that knows the rules of
// the runtime and has no threads. Not part of the library.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "host/explore/executor.hpp"

namespace raddle::paper {

enum class Code : std::uint8_t {
  kLock,        // a: mutex
  kUnlock,      // a: mutex
  kTryLock,     // a: mutex, b: how many instructions to skip when it is taken
  kLoad,        // register = variable a
  kStore,       // variable a = b
  kStoreSum,    // variable a = register + b
  kAdd,         // variable a += b, in one step; register = the old value
  kSkipUnless,  // no step: skips b instructions unless register == a
  kSkipIf,      // no step: skips b instructions if register == a
  kFailIf,      // no step: fails if register == a
  kWait,        // a: condition variable, b: mutex
  kSignal,      // a: condition variable
  kBroadcast,   // a: condition variable
  kPost,        // a: semaphore
  kDown,        // a: semaphore
  kYield,
  kAwait,      // tries until variable a == b
  kLook,       // looks until variable a != 0, b times at most; register = the last value
  kReadLock,   // a: reader-writer lock
  kWriteLock,  // a: reader-writer lock
  kRwUnlock,   // a: reader-writer lock
  kExit,       // ends the program, whatever the others still want to do
  kFree,       // a: block, with variable a, mutex a and, if it is 0, all other objects
};

struct Instruction {
  Code code;
  int a = 0;
  int b = 0;
};

using Body = std::vector<Instruction>;

struct Program {
  std::vector<Body> threads;
  std::vector<int> semaphores;  // initial values; others begin at 0
  // Some threads free blocks. Who uses an object of a block that is gone fails, and so does who
  // frees it again. An access to its variable fails, or else finds something there.
  bool frees = false;
  bool accesses_fail = false;
};

class PaperExecutor final : public Executor {
 public:
  explicit PaperExecutor(Program program) : program_(std::move(program)) {}

  const Explored* execute(const ExecutionRequest& request) override;
  std::string_view error() const override { return ""; }

  // Variables and registers at the end of the last execution.
  const std::string& final_state() const { return final_state_; }

 private:
  struct Thread {
    std::size_t at = 0;
    int phase = 0;  // of a wait: 0 announce, 1 wake, 2 lock again; await, look: tries so far
    int reg = 0;
    bool signalled = false;
    int seen = 0;  // await, look: the value of the last try
  };
  struct State;

  Program program_;
  std::vector<StepRecord> log_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> first_;
  std::vector<StepValue> values_;
  std::vector<std::uint8_t> bytes_;
  std::string group_;
  std::string final_state_;
  Explored explored_;
};

// Of a program that went wrong: a line for each thread.
inline std::string to_text(const Program& program) {
  constexpr const char* kNames[] = {"lock",      "unlock", "trylock",     "load",      "store",
                                    "store-sum", "add",    "skip-unless", "skip-if",   "fail-if",
                                    "wait",      "signal", "broadcast",   "post",      "down",
                                    "yield",     "await",  "look",        "read-lock", "write-lock",
                                    "rw-unlock", "exit",   "free"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Code::kFree) + 1);
  std::string text = "semaphores:";
  for (const int initial : program.semaphores) text += " " + std::to_string(initial);
  for (const Body& body : program.threads) {
    text += "\n ";
    for (const Instruction& i : body)
      text += std::string(" ") + kNames[static_cast<std::size_t>(i.code)] + "(" +
              std::to_string(i.a) + "," + std::to_string(i.b) + ")";
  }
  return text;
}

}  // namespace raddle::paper
