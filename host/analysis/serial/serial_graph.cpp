#include "host/analysis/serial/serial_graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace raddle {

std::uint32_t TransactionGraph::chain_of(ThreadIndex thread) {
  if (thread >= chain_of_.size()) chain_of_.resize(thread + std::size_t{1}, kNoChain);
  std::uint32_t& chain = chain_of_[thread];
  if (chain != kNoChain) return chain;
  if (unused_chains_.empty()) {
    chain = static_cast<std::uint32_t>(chains_.size());
    chains_.emplace_back();
  } else {
    chain = unused_chains_.back();
    unused_chains_.pop_back();
    chains_[chain].ended = false;
  }
  return chain;
}

void TransactionGraph::end_thread(ThreadIndex thread) {
  if (thread >= chain_of_.size() || chain_of_[thread] == kNoChain) return;
  const std::uint32_t number = std::exchange(chain_of_[thread], kNoChain);
  Chain& chain = chains_[number];
  chain.ended = true;
  if (chain.live == 0) unused_chains_.push_back(number);
}

// From the table; its edges are the caller's.
void TransactionGraph::remove(std::uint32_t slot) {
  Transaction& node = nodes_[slot];
  node.live = false;
  if (++node.generation == 0) node.generation = 1;
  free_.push_back(slot);
  --size_;
  Chain& chain = chains_[node.chain];
  if (--chain.live == 0 && chain.ended) unused_chains_.push_back(node.chain);
}

TransactionRef TransactionGraph::add(ThreadIndex thread, TransactionRef previous, bool open,
                                     const Mark& entered) {
  if (size_ >= max_live_) forget();
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  Transaction& node = nodes_[slot];
  node.chain = chain_of(thread);
  ++chains_[node.chain].live;
  node.sequence = ++chains_[node.chain].sequence;
  node.open = open;
  node.live = true;
  node.block = open;
  node.reported = false;
  node.incoming = 0;
  node.entered = entered;
  const TransactionRef ref{slot, node.generation};
  node.entered.transaction = ref;
  node.reach.clear();
  node.reach.set(node.chain, node.sequence);
  peak_ = std::max(peak_, ++size_);
  if (live(previous)) link_slots(previous.slot, Edge{slot, {}, {}});
  return ref;
}

void TransactionGraph::close(TransactionRef ref) {
  if (!live(ref)) return;
  nodes_[ref.slot].open = false;
  if (nodes_[ref.slot].incoming == 0) collect(ref.slot);
}

void TransactionGraph::link(const Mark& source, const Mark& target) {
  link_slots(source.transaction.slot, Edge{target.transaction.slot, source, target});
}

void TransactionGraph::link_slots(std::uint32_t from, Edge edge) {
  const std::uint32_t to = edge.to;
  nodes_[from].out.push_back(edge);
  ++nodes_[to].incoming;
  nodes_[to].reach.join(nodes_[from].reach);
  // What `to` already reaches has to know too. A node whose clock covers the new one passes nothing
  // on: so do all behind it.
  work_.assign(1, to);
  while (!work_.empty()) {
    const std::uint32_t at = work_.back();
    work_.pop_back();
    for (const Edge& next : nodes_[at].out) {
      if (nodes_[at].reach.leq(nodes_[next.to].reach)) continue;
      nodes_[next.to].reach.join(nodes_[at].reach);
      work_.push_back(next.to);
    }
  }
}

void TransactionGraph::collect(std::uint32_t slot) {
  work_.assign(1, slot);
  while (!work_.empty()) {
    const std::uint32_t at = work_.back();
    work_.pop_back();
    Transaction& node = nodes_[at];
    for (const Edge& edge : node.out) {
      Transaction& to = nodes_[edge.to];
      if (--to.incoming == 0 && !to.open) work_.push_back(edge.to);
    }
    node.out.clear();
    remove(at);
  }
}

void TransactionGraph::forget() {
  ++forgotten_;
  for (std::uint32_t slot = 0; slot < nodes_.size(); ++slot) {
    Transaction& node = nodes_[slot];
    if (!node.live) continue;
    node.out.clear();
    node.incoming = 0;
    if (node.open) {
      node.reach.clear();
      node.reach.set(node.chain, node.sequence);
    } else {
      remove(slot);
    }
  }
}

std::vector<TransactionGraph::Edge> TransactionGraph::path(TransactionRef from,
                                                           TransactionRef to) const {
  struct Hop {
    std::uint32_t slot;   // where the edge comes from
    std::uint32_t index;  // which of its edges
  };
  std::unordered_map<std::uint32_t, Hop> reached;
  std::vector<std::uint32_t> queue{from.slot};
  for (std::size_t head = 0; head < queue.size() && !reached.contains(to.slot); ++head) {
    const std::uint32_t at = queue[head];
    const Transaction& node = nodes_[at];
    for (std::uint32_t i = 0; i < node.out.size(); ++i) {
      const std::uint32_t next = node.out[i].to;
      if (next == from.slot || !reached.try_emplace(next, Hop{at, i}).second) continue;
      queue.push_back(next);
    }
  }
  std::vector<Edge> edges;
  for (std::uint32_t at = to.slot; at != from.slot;) {
    const auto hop = reached.find(at);
    if (hop == reached.end()) return {};
    edges.push_back(nodes_[hop->second.slot].out[hop->second.index]);
    at = hop->second.slot;
  }
  std::reverse(edges.begin(), edges.end());
  return edges;
}

}  // namespace raddle
