// Conflict serializability of atomic blocks, precise for the execution: a finding for each block
// that is on a cycle of the conflict graph when the cycle closes, and if nothing is found, the
// execution is equivalent to one in which every block runs alone.
//
// Transactions are the outermost blocks of each thread (detector.hpp), and each single event
// outside any block. What orders them: the order of each thread; fork before the child's first
// event, join after its last; two accesses to the same byte of which one writes (atomic operations
// count as accesses; two that only count up or down by one, as for references, commute, and so are
// no conflict); the release of a lock before its later acquires (shared ones not among each
// other); a notify before the notified wake-ups of those who waited then; a signal before every
// later await.
//
// Events outside blocks need no transaction of their own unless they bring new order: one that
// comes after nothing that is still in the graph cannot be on a cycle, and one that comes after
// nothing but what its thread's last transaction comes after can be taken for a part of that.
//
// One finding per transaction that closes a cycle; the edge that closes it is not added, so what
// follows is judged as if the cycle were not there.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "host/analysis/model/backing_off.hpp"
#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/finding_set.hpp"
#include "host/analysis/model/options.hpp"
#include "host/analysis/serial/serial_graph.hpp"
#include "host/analysis/serial/serial_shadow.hpp"
#include "host/base/word_map.hpp"

namespace raddle {

struct SerialOptions {
  // Bound on the transactions that are kept. They pile up behind a block that stays open for long
  // while other threads use what it used.
  std::size_t max_transactions = std::size_t{1} << 18;
  // A range access counts by its first so many bytes.
  std::uint64_t max_range = std::uint64_t{1} << 20;
};

class SerialDetector final : public Detector {
 public:
  explicit SerialDetector(ExecutionState& state, SerialOptions options = {});

  void on_event(const Event& event) override;
  EventKinds ignores() const override { return kinds_of({EventKind::enter, EventKind::exit}); }
  void on_block_begin(const AtomicBlock& block) override;
  void on_block_end(const AtomicBlock& block) override;
  void finish() override;
  std::vector<Finding> take_findings() override;

  const TransactionGraph& graph() const { return graph_; }
  // The bound was hit: violations may have been missed.
  bool incomplete() const { return graph_.forgotten() != 0; }

 private:
  struct Acquired {
    std::uint64_t lock = 0;
    Mark mark;
    std::vector<Mark> before;
  };
  struct Thread {
    TransactionRef last;  // its latest transaction
    bool in_block = false;
    std::uint64_t block = 0;  // number of the open block
    Mark forked;              // by its creator; until its first event
    Mark ended;               // its thread_end
    std::uint64_t waits_since = 0;
    BackingOff<Acquired> pending;  // in the open block
  };
  // Those who signalled, notified or released, the last of each thread.
  struct Signals {
    std::vector<Mark> marks;
    void put(const TransactionGraph& graph, const Mark& mark);
  };
  struct Lock {
    Mark exclusive;
    Signals shared;
  };

  Thread& thread(ThreadIndex index);
  enum class Effect : std::uint8_t { kRead, kWrite, kCount };
  Effect effect(const Event& event) const;
  bool leaves_pending(const Event& event) const;
  void access(const Event& event, std::uint64_t address, std::uint64_t bytes, Effect effect);
  void settle(Thread& self);
  void acquire(const Event& event);
  void release(const Event& event);
  void require(const Mark& mark);
  void require(const Signals& signals, std::uint64_t since = 0);
  Mark happen(const Event& event);
  void order(const Mark& source, const Mark& target);
  void report(const Mark& source, const Mark& target);

  ExecutionState& state_;
  SerialOptions options_;
  TransactionGraph graph_;
  SerialShadow shadow_;
  WordMap<Lock> locks_;
  WordMap<Signals> signals_;  // of conditions and of everything else that orders
  std::vector<Thread> threads_;
  std::vector<Mark> before_;  // what the current event comes after
  FindingSet findings_;
};

std::unique_ptr<Detector> make_serial_detector(ExecutionState& state,
                                               const AnalysisOptions& options);

}  // namespace raddle
