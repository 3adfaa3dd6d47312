#include "host/analysis/serial/serial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "host/analysis/shadow/extent.hpp"

namespace raddle {

SerialDetector::SerialDetector(ExecutionState& state, SerialOptions options)
    : state_(state), options_(options), graph_(options.max_transactions) {}

SerialDetector::Thread& SerialDetector::thread(ThreadIndex index) {
  if (index >= threads_.size()) threads_.resize(index + 1);
  return threads_[index];
}

void SerialDetector::Signals::put(const TransactionGraph& graph, const Mark& mark) {
  if (!graph.live(mark.transaction)) return;
  Mark* gone = nullptr;
  for (Mark& other : marks) {
    if (!graph.live(other.transaction)) {
      gone = &other;
    } else if (graph[other.transaction].chain == graph[mark.transaction].chain) {
      other = mark;
      return;
    }
  }
  if (gone != nullptr)
    *gone = mark;
  else
    marks.push_back(mark);
}

void SerialDetector::require(const Mark& mark) {
  if (graph_.live(mark.transaction)) before_.push_back(mark);
}

void SerialDetector::require(const Signals& signals, std::uint64_t since) {
  for (const Mark& mark : signals.marks)
    if (mark.time > since) require(mark);
}

SerialDetector::Effect SerialDetector::effect(const Event& event) const {
  const EventKind kind = event.kind;
  if (counts_by_one(event)) return Effect::kCount;
  if (kind == EventKind::atomic_load && state_.counts_references(event.site)) return Effect::kCount;
  const bool stores = kind == EventKind::atomic_store || kind == EventKind::atomic_update ||
                      (kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0);
  return stores || writes(kind) ? Effect::kWrite : Effect::kRead;
}

// What a thread may do between an acquire and its release without having used the lock.
bool SerialDetector::leaves_pending(const Event& event) const {
  const bool about_locks = event.kind == EventKind::acquire || event.kind == EventKind::release;
  const bool about_functions = event.kind == EventKind::enter || event.kind == EventKind::exit;
  return about_locks || about_functions || event.kind == EventKind::decision ||
         event.kind == EventKind::local || (is_access(event.kind) && state_.in_library(event.site));
}

void SerialDetector::on_event(const Event& event) {
  before_.clear();
  const ThreadIndex index = state_.index(event.thread);
  Thread& self = thread(index);
  if (self.forked.transaction.generation != 0) [[unlikely]] {
    require(std::exchange(self.forked, Mark{}));
    happen(event);
    before_.clear();
  }
  if (!self.pending.empty() && !leaves_pending(event)) settle(self);
  switch (event.kind) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
      return access(event, event.object, event.size, effect(event));
    case EventKind::read_range:
    case EventKind::write_range:
      return access(event, event.object, std::min(event.value, options_.max_range), effect(event));
    case EventKind::acquire:
      self.pending.acquired();
      if (state_.outermost()) acquire(event);
      return;
    case EventKind::release:
      if (state_.outermost()) release(event);
      return;
    case EventKind::fork: {
      const Mark mark = happen(event);
      if (event.value >= raw(kNoThread)) return;
      const ThreadIndex child = state_.index(ThreadId{static_cast<std::uint16_t>(event.value)});
      if (child != index) thread(child).forked = mark;
      return;
    }
    case EventKind::join: {
      if (event.value >= raw(kNoThread)) return;
      const ThreadIndex child = state_.index(ThreadId{static_cast<std::uint16_t>(event.value)});
      if (child == index) return;
      const Thread& joined = thread(child);
      Mark last = joined.ended;
      if (graph_.live(joined.last) && last.transaction != joined.last) {
        last = graph_[joined.last].entered;  // its end is not in the trace
        last.transaction = joined.last;
      }
      require(last);
      happen(event);
      return;
    }
    case EventKind::thread_end: {
      if (self.in_block) {
        self.in_block = false;
        graph_.close(self.last);
      }
      const Mark mark = happen(event);
      thread(index).ended = mark;
      graph_.end_thread(index);
      return;
    }
    case EventKind::wait:
      self.waits_since = state_.events();
      return;
    case EventKind::wake:
      if (event.value != 0) return;  // by time-out: nobody came before
      if (const Signals* notified = signals_.find(event.object))
        require(*notified, self.waits_since);
      happen(event);
      return;
    case EventKind::await:
      if (const Signals* signalled = signals_.find(event.object)) require(*signalled);
      happen(event);
      return;
    case EventKind::notify:
    case EventKind::signal: {
      const Mark mark = happen(event);
      if (graph_.live(mark.transaction)) signals_[event.object].put(graph_, mark);
      return;
    }
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
      shadow_.forget(event.object, event.value);
      return;
    case EventKind::destroy:
      locks_.erase(event.object);
      signals_.erase(event.object);
      return;
    case EventKind::decision:
      self.pending.decision(event);
      return;
    case EventKind::none:
    case EventKind::thread_begin:
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::user:
      return;
  }
}

void SerialDetector::on_block_begin(const AtomicBlock& block) {
  Thread& self = thread(state_.index(block.thread));
  if (self.in_block) return;
  self.in_block = true;
  self.pending.clear();
  self.block = block.number;
  const Mark entered{{},
                     state_.point(block.entered),
                     false,
                     block.entered.object,
                     block.entered.step,
                     state_.events()};
  self.last = graph_.add(state_.index(block.thread), self.last, true, entered);
}

void SerialDetector::on_block_end(const AtomicBlock& block) {
  Thread& self = thread(state_.index(block.thread));
  if (!self.in_block || self.block != block.number) return;
  settle(self);
  self.in_block = false;
  graph_.close(self.last);
  shadow_.sweep(graph_);
}

void SerialDetector::access(const Event& event, std::uint64_t address, std::uint64_t bytes,
                            Effect effect) {
  if (bytes == 0) return;
  const bool writes = effect == Effect::kWrite, counts = effect == Effect::kCount;
  const std::uint64_t last = address + std::min(bytes - 1, ~address);
  const auto mask = [&](std::uint64_t word) {
    const unsigned from = word == address >> 3 ? address & 7 : 0;
    const unsigned to = word == last >> 3 ? last & 7 : 7;
    return static_cast<std::uint8_t>((0xffu >> (7 - to)) & (0xffu << from));
  };
  const Thread& self = threads_[state_.index(event.thread)];
  // Outside of everything in the graph only what is already there can matter.
  const bool known_only = !self.in_block && !graph_.live(self.last);
  const TransactionRef current = self.last;
  const auto gather = [&](SerialShadow::Group& group) {
    if (group.writer.transaction != current) require(group.writer);
    const auto conflicts = [&](const Mark& mark) { return writes || mark.counts != counts; };
    if (group.reader.transaction != current && conflicts(group.reader)) require(group.reader);
    for (const Mark& mark : group.readers)
      if (conflicts(mark)) require(mark);
  };
  const auto keep = [&](SerialShadow::Group& group, Mark mark) {
    mark.counts = counts;
    if (writes) {
      group.writer = mark;
      group.reader = Mark{};
      group.readers.clear();
      group.counted = false;
      return;
    }
    if (mark.transaction.generation == 0 || group.writer.transaction == mark.transaction) return;
    group.counted = group.counted || counts;
    const auto replaceable = [&](const Mark& other) {
      return !graph_.live(other.transaction) ||
             (other.counts == counts &&
              graph_[other.transaction].chain == graph_[mark.transaction].chain);
    };
    if (replaceable(group.reader)) {
      group.reader = mark;
      return;
    }
    for (Mark& other : group.readers) {
      if (!replaceable(other)) continue;
      other = mark;
      return;
    }
    group.readers.push_back(mark);
  };

  if (address >> 3 == last >> 3) [[likely]] {
    const std::uint64_t word = address >> 3;
    if (known_only && !shadow_.contains(word)) return;
    std::array<SerialShadow::Group*, 8> groups{};
    std::size_t count = 0;
    bool own = true;  // the transaction did it before: nothing new
    shadow_.visit(word, mask(word), [&](SerialShadow::Group& group) {
      groups[count++] = &group;
      const bool wrote = group.writer.transaction == current;
      const bool mine = group.reader.transaction == current;
      const bool alone = group.reader.transaction.generation == 0 && group.readers.empty();
      own = own && current.generation != 0 &&
            (writes   ? wrote && alone
             : counts ? mine && group.reader.counts && group.readers.empty()
                      : !group.counted && (wrote || mine));
    });
    if (own) return;
    for (std::size_t i = 0; i < count; ++i) gather(*groups[i]);
    const Mark mark = happen(event);
    for (std::size_t i = 0; i < count; ++i) keep(*groups[i], mark);
    return;
  }
  for (std::uint64_t word = address >> 3; word <= last >> 3; ++word)
    if (!known_only || shadow_.contains(word)) shadow_.visit(word, mask(word), gather);
  const Mark mark = happen(event);
  const bool nothing = mark.transaction.generation == 0;
  for (std::uint64_t word = address >> 3; word <= last >> 3; ++word)
    if (!nothing || shadow_.contains(word))
      shadow_.visit(word, mask(word), [&](SerialShadow::Group& group) { keep(group, mark); });
}

void SerialDetector::acquire(const Event& event) {
  if (Lock* lock = locks_.find(event.object)) {
    require(lock->exclusive);
    if ((event.flags & kShared) == 0) require(lock->shared);
  }
  Thread& self = threads_[state_.index(event.thread)];
  if (!self.in_block || (event.flags & kByWait) != 0) {
    happen(event);
    return;
  }
  const Mark mark{self.last, state_.point(event), false, event.object, event.step, state_.events()};
  self.pending.hold_back({event.object, mark, before_});
}

// The acquires of the open block that were held back.
void SerialDetector::settle(Thread& self) {
  for (const Acquired& acquire : self.pending.settle())
    for (const Mark& source : acquire.before)
      if (graph_.live(source.transaction) && graph_.live(acquire.mark.transaction))
        order(source, acquire.mark);
}

void SerialDetector::release(const Event& event) {
  Thread& self = threads_[state_.index(event.thread)];
  if (self.pending.takes_back(event.object)) return;
  settle(self);
  const Mark mark = happen(event);
  const bool matters = graph_.live(mark.transaction);
  if (!matters && locks_.find(event.object) == nullptr) return;
  Lock& lock = locks_[event.object];
  if ((event.flags & kShared) != 0) {
    lock.shared.put(graph_, mark);
  } else {
    lock.exclusive = mark;
    lock.shared.marks.clear();  // they came before its acquire
  }
}

// The current event, after `before_`, as a mark of its transaction: of the open block; else of the
// thread's last transaction, if the event brings no new order; else of a new one. No transaction if
// nothing in the graph comes before it.
Mark SerialDetector::happen(const Event& event) {
  const ThreadIndex index = state_.index(event.thread);
  Thread& self = thread(index);
  bool fresh = false;
  const bool known = graph_.live(self.last);
  if (!self.in_block) {
    for (const Mark& mark : before_)
      fresh = fresh || !known || !graph_.reaches(mark.transaction, self.last);
    if (!fresh && !known) return {};
  }
  Mark mark{self.last, state_.point(event), false, event.object, event.step, state_.events()};
  if (fresh) {
    mark.transaction = self.last = graph_.add(index, self.last, false, mark);
    for (const Mark& source : before_)  // unless the bound was hit in between
      if (graph_.live(source.transaction) && !graph_.reaches(source.transaction, self.last))
        graph_.link(source, mark);
    graph_.close(self.last);
  } else if (self.in_block) {
    for (const Mark& source : before_) order(source, mark);
  }
  return mark;
}

// An edge to an open block.
void SerialDetector::order(const Mark& source, const Mark& target) {
  if (graph_.reaches(source.transaction, target.transaction)) return;
  if (!graph_.reaches(target.transaction, source.transaction)) {
    graph_.link(source, target);
    return;
  }
  TransactionGraph::Transaction& block = graph_[target.transaction];
  if (std::exchange(block.reported, true)) return;
  report(source, target);
}

void SerialDetector::finish() {
  for (Thread& thread : threads_) settle(thread);
  if (incomplete())
    state_.note(
        fmt::format("serial: the bound of {} transactions was hit: violations may be missing",
                    options_.max_transactions));
}

std::vector<Finding> SerialDetector::take_findings() { return findings_.take(); }

std::unique_ptr<Detector> make_serial_detector(ExecutionState& state, const AnalysisOptions&) {
  return std::make_unique<SerialDetector>(state);
}

}  // namespace raddle
