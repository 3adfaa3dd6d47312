// The graph of transactions of one execution, as far as it can still matter: nodes are
// transactions, an edge a -> b means that something of a came before something of b that conflicts
// with it, or that both are of one thread. A cycle means that no serial execution is equivalent.
//
// Reachability is answered by vector clocks, in the manner of AeroDrome (Mathur and Viswanathan):
// the transactions of one thread form a chain, so "everything that reaches n" is one number per
// chain. When a thread has ended and all its transactions are gone, another one's continue its
// chain: clocks are as long as there are threads at a time. A new edge a -> b closes a cycle
// exactly if b reaches a: one comparison. Unlike AeroDrome's, the clocks belong to transactions,
// and edges are kept, so that a cycle can be named; a clock that grows is passed on along them.
//
// Only an open transaction gets incoming edges. One that has ended and has none can never be on a
// cycle, and goes, with its outgoing edges (Velodrome's collection); so in a program whose
// transactions do not overlap the graph is all but empty. References to what is gone are noticed by
// their generation and mean: no edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/vector_clock.hpp"

namespace raddle {

struct TransactionRef {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  // 0: no transaction
  bool operator==(const TransactionRef&) const = default;
};

// An event of a transaction, remembered.
struct Mark {
  TransactionRef transaction;
  PointId point{};
  bool counts = false;  // an access that commutes with others that do
  std::uint64_t object = 0;
  std::uint64_t step = 0;
  std::uint64_t time = 0;  // ExecutionState::events()
};

class TransactionGraph {
 public:
  struct Edge {
    std::uint32_t to = 0;  // slot
    Mark source, target;   // both empty for the order of one thread
  };
  struct Transaction {
    std::uint32_t generation = 1;
    // Of its thread. Live transactions of one chain are of one thread.
    std::uint32_t chain = 0;
    ThreadTime sequence = 0;  // counts the transactions of its chain, from 1
    bool open = false;
    bool live = false;
    bool block = false;     // else: events outside any block
    bool reported = false;  // one cycle per transaction
    std::uint32_t incoming = 0;
    Mark entered;       // its first event; of a block, the one that began it
    VectorClock reach;  // for each chain, its last transaction that reaches this one
    std::vector<Edge> out;
  };

  explicit TransactionGraph(std::size_t max_live) : max_live_(max_live) {}

  // A transaction of `thread`, ordered after `previous`, if that is still there. Not open: it gets
  // its incoming edges with link() right away, then close().
  TransactionRef add(ThreadIndex thread, TransactionRef previous, bool open, const Mark& entered);
  // Ends an open one, or one that got its edges. It may be gone after this.
  void close(TransactionRef ref);
  // The thread begins no transactions any more.
  void end_thread(ThreadIndex thread);

  bool live(TransactionRef ref) const {
    return ref.generation != 0 && nodes_[ref.slot].generation == ref.generation;
  }
  const Transaction& operator[](TransactionRef ref) const { return nodes_[ref.slot]; }
  Transaction& operator[](TransactionRef ref) { return nodes_[ref.slot]; }
  const Transaction& at(std::uint32_t slot) const { return nodes_[slot]; }  // of an Edge
  // Both live.
  bool reaches(TransactionRef a, TransactionRef b) const {
    const Transaction& from = nodes_[a.slot];
    return from.sequence <= nodes_[b.slot].reach.get(from.chain);
  }
  // source.transaction -> target.transaction, which do not reach each other.
  void link(const Mark& source, const Mark& target);
  // A shortest path of edges; empty if there is none (only after forget()).
  std::vector<Edge> path(TransactionRef from, TransactionRef to) const;

  std::size_t size() const { return size_; }
  std::size_t chains() const { return chains_.size(); }
  std::size_t peak() const { return peak_; }
  // Times that the bound was hit: then everything that has ended was forgotten, and cycles through
  // it are missed.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  struct Chain {
    ThreadTime sequence = 0;
    std::uint32_t live = 0;
    bool ended = false;  // its thread is
  };
  static constexpr std::uint32_t kNoChain = ~std::uint32_t{0};

  std::uint32_t chain_of(ThreadIndex thread);
  void remove(std::uint32_t slot);
  void link_slots(std::uint32_t from, Edge edge);
  void collect(std::uint32_t slot);
  void forget();

  std::size_t max_live_;
  std::vector<Transaction> nodes_;
  std::vector<std::uint32_t> free_;
  std::vector<Chain> chains_;
  std::vector<std::uint32_t> unused_chains_;
  std::vector<std::uint32_t> chain_of_;  // by thread
  std::vector<std::uint32_t> work_;      // of collect() and link()
  std::size_t size_ = 0;
  std::size_t peak_ = 0;
  std::uint64_t forgotten_ = 0;
};

}  // namespace raddle
