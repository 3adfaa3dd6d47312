// The Atomizer (001): is every execution of an atomic block reducible? By Lipton's theory it is if
// its operations are right-movers, then at most one non-mover, then left-movers.
//
//   acquire of a lock                    right-mover   } lock_movers.hpp has the refinements
//   release of a lock                    left-mover    }
//   access to protected data             both-mover    } lockset.hpp: no lock in common, several
//   access to unprotected data           non-mover     } threads, and a write
//   wait on a condition                  a release and an acquire, whatever the lock
//   post of a semaphore                  left-mover    } as Lipton has them; one that is used as
//   wait for a semaphore                 right-mover   } a lock is one (semaphore_locks.hpp)
//   fork                                 left-mover    } the child may be next; it was there
//   join                                 right-mover   } just before
//
// The block *commits* at its first left- or non-mover; a right- or non-mover after that violates
// it. A finding has the paper's three parts: where the block was entered, where it committed, where
// it was violated; once for each dynamic block, counted by static block. Every open block of a
// thread sees each of its events.
//
// Data that is written under a lock and read with and without it: the read under the lock is a
// both-mover, the other read and the write are non-movers. An atomic operation is an access like
// any other: protected by a lock it is a both-mover, else a non-mover. But on a counter that all
// threads only count up and down by one, such as a reference count, they are both-movers: in
// whichever order they come, the outcome is the same. (Who counts to zero may differ, and by the
// program's own design it does not matter who.) What std::shared_ptr reads of its counts belongs to
// that. Signals and awaits that are no semaphore's (barriers, once flags) are both-movers.
//
// Many a function that nobody declared to be atomic creates threads and joins them. A block that is
// merely inferred and is violated only if fork and join count is a finding apart, marked `minor`;
// that is why everything is judged in two readings (lock_movers.hpp).
//
// A lock that is acquired and released again with nothing in between but a trylock that failed
// (std::lock and std::scoped_lock back off like that) is as if it had not been.
//
// An access is judged when it happens, by what is known then. When data loses its protection, its
// earlier accesses turn out to have been non-movers: for blocks that are still open this is made
// good, with the first and the last access of the thread to that data since it entered its
// outermost block. So a block that reads and then writes unprotected data is found the first time
// that the data is shared. Blocks that have ended keep their judgement (another thread's block that
// does the same is found); so do accesses beyond the first 4,096 locations of a block. Of lock
// operations, blocks that have ended are judged again, too (lock_movers.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "host/analysis/atomizer/block_accesses.hpp"
#include "host/analysis/atomizer/lock_movers.hpp"
#include "host/analysis/lockset/lockset.hpp"
#include "host/analysis/model/backing_off.hpp"
#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/finding_set.hpp"
#include "host/analysis/model/options.hpp"

namespace raddle {

class Atomizer final : public Detector {
 public:
  Atomizer(ExecutionState& state, const AnalysisOptions& options);
  void on_event(const Event& event) override;
  EventKinds ignores() const override { return kScopes; }
  void on_block_begin(const AtomicBlock& block) override;
  void on_block_end(const AtomicBlock& block) override;
  void on_block_abandoned(const AtomicBlock& block) override;
  void finish() override;
  std::vector<Finding> take_findings() override;
  std::optional<BlockCounts> block_counts() const override { return counts_; }

  // Tests see every violated dynamic block; not those that only fork and join violate, if nobody
  // declared them. Of blocks that had ended and did the same, the last one.
  struct Violation {
    std::uint64_t block = 0, place = 0;
    std::uint64_t committed = 0, violated = 0;  // steps
  };
  std::vector<Violation>* all_violations = nullptr;

 private:
  struct Acquired {
    std::uint64_t lock = 0;
    Moment moment;
    LockMovers::Judgement judgement;
    bool moves_right = false;
  };
  struct Open : ReducedBlock {
    std::vector<WatchedLock> watched;  // by which it may turn out to be violated
  };
  // In one reading. The blocks that have committed come first, and of those the ones that were
  // violated: a block that began earlier has seen everything that a later one has. So an event
  // costs nothing for blocks that it does not move on, however deep they nest.
  struct Progress {
    std::size_t committed = 0;
    std::size_t violated = 0;
    Moment last_right;  // right- or non-mover
  };
  struct Thread {
    std::vector<Open> open;  // in the order of their begin
    Progress progress[kReadings];
    std::uint64_t position = 0;
    std::size_t watched = 0;  // by all open blocks
    BlockAccesses touched;    // in the outermost block
    BackingOff<Acquired> pending;
  };

  static constexpr std::uint64_t kMinor = 1;  // makes another place of a block's

  Thread& thread(const Event& event) {
    const ThreadIndex index = state_.index(event.thread);
    if (index >= threads_.size()) threads_.resize(index + std::size_t{1});
    return threads_[index];
  }
  Moment moment(Thread& thread, const Event& event);
  void right_mover(Thread& thread, const Moment& now);
  void left_mover(Thread& thread, const Moment& now);
  void right_mover(Thread& thread, Reading reading, const Moment& now);
  void left_mover(Thread& thread, Reading reading, const Moment& now);
  void late_right_mover(Thread& thread, const Moment& then);
  void late_left_mover(Thread& thread, const Moment& then);
  void operation(const Event& event);
  void acquire(Thread& self, const Event& event);
  void release(Thread& self, const Event& event);
  void settle(Thread& self);
  static bool minds_acquires(const Thread& self, std::size_t block);
  bool minds_its_own_business(const Event& event);
  void watch(Thread& self, const LockMovers::Judgement& judgement, const Moment& now, bool acquire);
  void turn_out(const Event& event, const LockMovers::Judgement& judgement);
  void access(LocksetAnalysis& analysis, const Event& event, LocksetAnalysis::Effect effect);
  LocksetAnalysis::Effect effect(const Event& event) const;
  void turn_out(LocksetAnalysis& analysis, const LocksetAnalysis::Cell& cell, const Event& event,
                std::uint64_t address);
  void late_non_mover(Thread& thread, const Moment& then);
  void violate(ReducedBlock& block, Reading reading, const Moment& now, std::uint64_t times = 1);
  void close(const AtomicBlock& block, bool abandoned);
  std::uint64_t place_of(const AtomicBlock& block) const;
  void remember(Thread& self, std::size_t block);
  std::string block_name(const Event& entered, const FindingStep& step) const;

  ExecutionState& state_;
  LocksetAnalysis lockset_;  // of plain data
  LocksetAnalysis atomics_;
  LockMovers locks_;
  std::vector<Thread> threads_;        // by ThreadIndex
  std::vector<ThreadIndex> in_block_;  // those that are in a block
  FindingSet findings_;
  std::unordered_set<std::uint64_t> entered_;    // places of blocks
  std::unordered_set<std::uint64_t> abandoned_;  // ... that are none
  BlockCounts counts_;
};

std::unique_ptr<Detector> make_atomizer(ExecutionState& state, const AnalysisOptions& options);

}  // namespace raddle
