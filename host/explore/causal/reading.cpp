#include "host/explore/causal/reading.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace raddle {

using causal::Action;
using causal::ActionKind;
using causal::NodeId;
using causal::ThreadIndex;

namespace {

constexpr ThreadIndex kNobody =
    ~ThreadIndex{0};  // created the threads that are there from the start

constexpr std::uint32_t kMostTouched = 0x7fff;  // what touched_bytes() holds

std::optional<ActionKind> kind_of(const Pending& p) {
  if (p.outcome != StepOutcome::kReady) return std::nullopt;
  switch (p.op) {
    case OpKind::thread_begin:
    case OpKind::go_on:
    case OpKind::fence:
    case OpKind::yield:
    case OpKind::spin:
      return ActionKind::kNothing;
    case OpKind::thread_create:
      return ActionKind::kCreate;
    case OpKind::thread_join:
      return p.extra == kJoinWithoutWaiting ? std::nullopt : std::optional(ActionKind::kJoin);
    case OpKind::thread_end:
      return ActionKind::kEnd;
    case OpKind::process_exit:
      return ActionKind::kExit;
    case OpKind::mutex_lock:
    case OpKind::spin_lock:
      return ActionKind::kLock;
    case OpKind::rwlock_write:
      return p.extra == kCallsAsWriter ? std::nullopt : std::optional(ActionKind::kLock);
    case OpKind::mutex_trylock:
    case OpKind::spin_trylock:
    case OpKind::rwlock_trywrite:
      return ActionKind::kTryLock;
    case OpKind::mutex_unlock:
    case OpKind::spin_unlock:
    case OpKind::rwlock_unlock:
      return ActionKind::kUnlock;
    case OpKind::rwlock_read:
      return ActionKind::kShare;
    case OpKind::rwlock_tryread:
      return ActionKind::kTryShare;
    case OpKind::cond_wait:
      return p.extra == 0 ? std::nullopt : std::optional(ActionKind::kWait);
    case OpKind::cond_wake:
      return ActionKind::kWake;
    case OpKind::cond_signal:
      return ActionKind::kSignal;
    case OpKind::cond_broadcast:
      return ActionKind::kBroadcast;
    case OpKind::sem_wait:
      return ActionKind::kDown;
    case OpKind::sem_trywait:
      return ActionKind::kTryDown;
    case OpKind::sem_post:
      return ActionKind::kPost;
    case OpKind::atomic_load:
    case OpKind::memory_read:
    case OpKind::memory_again:
      return ActionKind::kRead;
    case OpKind::atomic_store:
    case OpKind::memory_write:
      return ActionKind::kWrite;
    case OpKind::atomic_update:
      return ActionKind::kUpdate;
    case OpKind::once:
      return p.extra == 0 ? std::nullopt : std::optional(ActionKind::kEnter);
    case OpKind::barrier_wait:
      if (p.extra == kPassesBarrier) return ActionKind::kPass;
      return p.extra == 0 ? std::optional(ActionKind::kUpdate) : std::nullopt;
    case OpKind::atomic_again:
      return may_write(p) ? ActionKind::kUpdate : ActionKind::kRead;
    case OpKind::none:
    case OpKind::memory_free:  // Plan::by_values: no block is used again, and freeing is no step
    case OpKind::init:
    case OpKind::destroy:
    case OpKind::futex_wait:
    case OpKind::futex_wake:
    case OpKind::sleep:
    case OpKind::read:
    case OpKind::write:
    case OpKind::accept:
    case OpKind::connect:
    case OpKind::poll:
    case OpKind::close:
    case OpKind::signal_wait:
    case OpKind::signal_send:
    case OpKind::child_wait:
    case OpKind::cancel:
    case OpKind::value_choice:
    case OpKind::monitor_event:
      return std::nullopt;
  }
  return std::nullopt;
}

bool is_access(ActionKind kind) { return causal::reads(kind) || causal::writes(kind); }

const Pending& executed(const Explored& execution, std::size_t step) {
  const std::span<const Pending> enabled = execution.enabled(step);
  return *std::find_if(enabled.begin(), enabled.end(),
                       [&](const Pending& p) { return p.thread == execution.log[step].thread; });
}

CausalProblem problem(CausalProblem::Kind kind, std::size_t step, const Pending& p) {
  CausalProblem found;
  found.kind = kind;
  found.step = step;
  found.thread = p.thread;
  found.op = p.op;
  found.site = p.site;
  return found;
}

}  // namespace

// Threads of the execution by their numbers. Those that are there from the start have no creator.
void CausalReading::identify(const Explored& execution) {
  index_.clear();
  creations_.clear();
  // An execution that came before the first one that was read does not matter.
  moved_ = (execution.heap & kHeapMoved) != 0 && executions_ > 0;
  const bool creates =
      std::any_of(execution.log.begin(), execution.log.end(),
                  [](const StepRecord& r) { return r.op == OpKind::thread_create; });
  const auto add = [&](ThreadIndex thread) {
    const ThreadId number{static_cast<std::uint16_t>(index_.size())};
    if (first_numbers_.size() <= thread) first_numbers_.resize(thread + 1, kNoThread);
    if (first_numbers_[thread] == kNoThread) first_numbers_[thread] = number;
    moved_ |= first_numbers_[thread] != number;
    index_.push_back(thread);
  };
  for (const Pending& p : execution.pending) {
    if (creates && p.thread != kMainThread) continue;
    while (index_.size() <= raw(p.thread))
      add(identity(kNobody, static_cast<std::uint32_t>(index_.size())));
  }
  existing_ = index_.size();
  for (const StepRecord& r : execution.log) {
    if (r.op != OpKind::thread_create || raw(r.thread) >= index_.size()) continue;
    const ThreadIndex creator = index_[raw(r.thread)];
    add(identity(creator, creations_[creator]++));
  }
}

bool CausalReading::learn_sharing(const Explored& execution) {
  identify(execution);
  bool changed = false;
  const auto touch = [&](const Pending& p) {
    const std::optional<ActionKind> kind = kind_of(p);
    if (kind && is_access(*kind) && p.extra != 0 && raw(p.thread) < index_.size())
      changed |= sharing_.touch(touched_address(p), static_cast<std::uint32_t>(touched_size(p)),
                                index_[raw(p.thread)]);
  };
  for (std::size_t i = 0; i < execution.log.size(); ++i) {
    if (execution.log[i].op != OpKind::value_choice) touch(executed(execution, i));
  }
  for (const Pending& p : execution.at_end()) touch(p);
  return changed;
}

void CausalReading::begin_anew() {
  executions_ = 0;
  for (ThreadIndex t = 0; t < threads_; ++t) histories_.root(t);
}

CausalProblem CausalReading::read(const Explored& execution) {
  at_.clear();
  memory_.clear();
  semaphore_changes_.clear();
  moves_.clear();
  steps_.clear();
  found_news_ = false;
  objects_ = execution.objects;
  identify(execution);
  creations_.clear();
  ++executions_;
  if (execution.uncontrolled > 0)
    return problem(CausalProblem::kUncontrolled, 0, {kMainThread, OpKind::none});
  if ((execution.heap & kHeapFull) != 0)
    return problem(CausalProblem::kMovedMemory, 0, {kMainThread, OpKind::none});
  for (std::size_t i = 0; i < execution.log.size(); ++i) {
    const CausalProblem found = step(execution, i);
    if (found.kind != CausalProblem::kNone) return found;
  }
  return end(execution);
}

ThreadIndex CausalReading::identity(ThreadIndex creator, std::uint32_t ordinal) {
  const auto [it, added] = created_.try_emplace({creator, ordinal}, threads_);
  if (added) {
    histories_.root(threads_);
    ++threads_;
  }
  return it->second;
}

NodeId& CausalReading::position(ThreadId thread) {
  const auto [it, added] = at_.try_emplace(thread, causal::kNoNode);
  if (added) it->second = histories_.root(index_[raw(thread)]);
  return it->second;
}

std::uint64_t CausalReading::object(std::uint64_t id) const {
  return id < objects_.size() ? objects_[id] : id;
}

// It created all other threads, and has joined them: whatever the schedule, nobody else is there.
bool CausalReading::is_alone(ThreadId thread) {
  const ThreadIndex self = index_[raw(thread)];
  std::set<std::uint64_t> joined;
  for (NodeId id = position(thread); !histories_.node(id).is_root();
       id = histories_.node(id).parent) {
    const Action& a = histories_.node(id).event.action;
    if (a.kind == ActionKind::kJoin) joined.insert(a.object);
  }
  const std::span<const ThreadIndex> there = std::span(index_).first(existing_);
  const bool all_joined = std::all_of(
      there.begin(), there.end(), [&](ThreadIndex t) { return t == self || joined.contains(t); });
  const bool created_all = std::all_of(created_.begin(), created_.end(), [&](const auto& entry) {
    return entry.first.first == self || entry.second == self;
  });
  return all_joined && created_all;
}

std::optional<Action> CausalReading::action_of(const Pending& p) {
  if (raw(p.thread) >= index_.size()) return std::nullopt;
  std::optional<ActionKind> kind = kind_of(p);
  // The model has no destruction. When nobody else is there, it does not matter to anybody.
  if (p.op == OpKind::destroy && is_alone(p.thread)) kind = ActionKind::kNothing;
  if (!kind) return std::nullopt;
  Action action{*kind};
  action.site = p.site;
  if (p.op == OpKind::barrier_wait) {
    if (*kind == ActionKind::kPass) {
      action.object = object(raw(p.object));
      action.other = end_of_round(p.thread, action.object);
    } else {
      action.address = object(raw(p.object));
      action.size = sizeof action.address;
    }
    return action;
  }
  if (is_access(*kind)) {
    // Through a null pointer: the thread crashes, whatever the others do.
    if (p.extra == 0) return Action{.kind = ActionKind::kNothing, .site = p.site};
    action.address = touched_address(p);
    action.size = static_cast<std::uint32_t>(touched_size(p));
    // How far a very large access reaches, a pending operation does not say.
    if (action.size == 0 || action.size >= kMostTouched) return std::nullopt;
    if (!sharing_.is_shared(action.address, action.size))
      return Action{.kind = ActionKind::kNothing, .site = p.site};
    // Whether an operation counts as one that is tried again depends on the schedule, and then a
    // store looks like a read-modify-write. It stays what it was first.
    const std::optional<Action>& known = histories_.node(position(p.thread)).next;
    if (causal::writes(*kind) && known && causal::writes(known->kind)) action.kind = known->kind;
    return action;
  }
  const ThreadIndex self = index_[raw(p.thread)];
  if (*kind == ActionKind::kCreate) {
    action.object = identity(self, creations_[self]);
  } else if (*kind == ActionKind::kJoin) {
    const std::uint64_t thread = object(raw(p.object));
    if (thread >= index_.size()) return std::nullopt;
    action.object = index_[thread];
  } else if (*kind != ActionKind::kNothing && *kind != ActionKind::kEnd) {
    action.object = object(raw(p.object));
    if (*kind == ActionKind::kWait) action.other = object(p.extra);
  }
  return action;
}

// The number of arrivals that ends the round in which the thread arrived at the barrier.
std::uint64_t CausalReading::end_of_round(ThreadId thread, std::uint64_t barrier) {
  const std::uint64_t count = std::max<std::uint64_t>(barrier_counts_[barrier], 1);
  for (NodeId id = position(thread); !histories_.node(id).is_root();
       id = histories_.node(id).parent) {
    const causal::Event& e = histories_.node(id).event;
    if (e.action.kind != ActionKind::kUpdate || e.action.address != barrier) continue;
    std::uint64_t before = 0;
    std::memcpy(&before, e.seen.data(), sizeof before);
    return (before / count + 1) * count;
  }
  return 0;
}

// What the step found, as bytes; false where the executor should have said it and did not.
bool CausalReading::values_of(const Explored& execution, std::size_t step, causal::Event& event) {
  const ActionKind kind = event.action.kind;
  if (kind == ActionKind::kNothing) return true;
  const StepValue value = step < execution.values.size() ? execution.values[step] : StepValue{0, 0};
  const bool twice = is_access(kind) && execution.log[step].op != OpKind::barrier_wait;
  const std::uint64_t end = std::uint64_t{value.offset} + (twice ? 2 : 1) * value.size;
  if (end > execution.bytes.size()) return false;
  const std::uint8_t* bytes = execution.bytes.data() + value.offset;
  if (execution.log[step].op == OpKind::barrier_wait) {
    std::uint64_t numbers[2];
    if (kind == ActionKind::kPass) return true;
    if (value.size != sizeof numbers) return false;
    std::memcpy(numbers, bytes, sizeof numbers);
    barrier_counts_[event.action.address] = numbers[1];
    before_.assign(bytes, bytes + sizeof numbers[0]);
    event.seen.assign(before_.begin(), before_.end());
    ++numbers[0];
    event.written.assign(reinterpret_cast<const char*>(numbers), sizeof numbers[0]);
    return true;
  }
  if (is_access(kind)) {
    if (value.size != event.action.size) return false;
    before_.assign(bytes, bytes + value.size);
    if (causal::reads(kind)) event.seen.assign(before_.begin(), before_.end());
    if (causal::writes(kind)) event.written.assign(bytes + value.size, bytes + 2 * value.size);
    return true;
  }
  if (kind == ActionKind::kTryLock || kind == ActionKind::kTryShare) {
    if (value.size != 1 || bytes[0] == kOwnLock) return false;
    event.success = bytes[0] != 0;
  }
  if (kind == ActionKind::kPost || kind == ActionKind::kDown || kind == ActionKind::kTryDown) {
    std::int32_t count = 0;
    if (value.size != sizeof count) return false;
    std::memcpy(&count, bytes, sizeof count);
    event.success = kind == ActionKind::kPost || count > 0;
    std::int64_t& change = semaphore_changes_[event.action.object];
    histories_.semaphore_begins_with(event.action.object,
                                     static_cast<std::uint32_t>(count - change));
    change += kind == ActionKind::kPost ? 1 : event.success ? -1 : 0;
  }
  return true;
}

// The event is about memory that has no fixed place, or about a pointer to such memory.
bool CausalReading::has_moved(const causal::Event& event) const {
  const auto is_movable = [](std::uint64_t address) {
    return address >= kSeparateStacks && address < kSeparateHeaps + kSeparateHeapsSize;
  };
  const auto holds_pointer = [&](const std::string& bytes) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i + sizeof word <= bytes.size(); i += sizeof word) {
      std::memcpy(&word, bytes.data() + i, sizeof word);
      if (is_movable(word)) return true;
    }
    return false;
  };
  return is_access(event.action.kind) &&
         (is_movable(event.action.address) || holds_pointer(event.seen) ||
          holds_pointer(event.written));
}

// False: a read found something that no access has left there.
bool CausalReading::note_memory(const causal::Event& event) {
  const Action& a = event.action;
  for (std::uint32_t i = 0; i < a.size; ++i) {
    const auto [it, first] = memory_.try_emplace(a.address + i, before_[i]);
    if (first) histories_.begins_with(a.address + i, before_[i]);
    if (causal::reads(a.kind) && it->second != before_[i]) return false;
    it->second = causal::writes(a.kind) ? static_cast<std::uint8_t>(event.written[i]) : before_[i];
  }
  return true;
}

CausalProblem CausalReading::announce(const Pending& p, bool could_move, std::size_t step) {
  if (raw(p.thread) >= index_.size()) return {};
  const std::optional<Action> action = action_of(p);
  if (!action) return problem(CausalProblem::kUnknownOperation, step, p);
  if (const auto wrong = histories_.announce(position(p.thread), *action, could_move)) {
    CausalProblem found = problem(contradiction(), step, p);
    found.difference = *wrong;
    return found;
  }
  if (is_idle_op(p.op)) histories_.idles(position(p.thread));
  if (action->kind == ActionKind::kDown && !semaphore_changes_.contains(action->object))
    histories_.semaphore_begins_with(action->object, could_move ? 1 : 0, could_move);
  return {};
}

CausalProblem CausalReading::step(const Explored& execution, std::size_t at) {
  if (execution.log[at].op == OpKind::value_choice) {
    const bool of_a_signal = at > 0 && execution.log[at - 1].op == OpKind::cond_signal &&
                             execution.log[at - 1].thread == execution.log[at].thread;
    const StepRecord& r = execution.log[at];
    if (of_a_signal) {
      moves_.back().woken = r.outcome;
      moves_.back().could_wake = raw(r.object);
      return {};
    }
    return problem(CausalProblem::kUnknownOperation, at,
                   {r.thread, r.op, StepOutcome::kReady, r.object, r.site});
  }
  for (const Pending& p : execution.enabled(at)) {
    const CausalProblem found = announce(p, true, at);
    if (found.kind != CausalProblem::kNone) return found;
  }
  const Pending& p = executed(execution, at);
  causal::Event event{*action_of(p)};
  if (is_access(event.action.kind) && at < execution.values.size() &&
      execution.values[at].size == kNotKnown)
    return problem(CausalProblem::kManyPlaces, at, p);
  if (!values_of(execution, at, event)) return problem(CausalProblem::kNoValues, at, p);
  if (moved_ && has_moved(event)) return problem(CausalProblem::kMovedMemory, at, p);
  if (is_access(event.action.kind) && !note_memory(event))
    return problem(CausalProblem::kUnseenWrite, at, p);
  const std::uint32_t known = histories_.size();
  NodeId& position_of = position(p.thread);
  steps_.push_back({index_[raw(p.thread)], position_of, p, at});
  if (const auto wrong = histories_.advance(position_of, event, &position_of)) {
    CausalProblem found = problem(contradiction(), at, p);
    found.difference = *wrong;
    return found;
  }
  found_news_ |= histories_.size() > known;
  if (event.action.kind == ActionKind::kCreate) {
    ++creations_[index_[raw(p.thread)]];
    ++existing_;
  }
  if (event.action.kind == ActionKind::kEnd) histories_.ended(position_of);
  moves_.push_back({index_[raw(p.thread)]});
  return {};
}

// Who has not ended says what it would have done. Who is not there any more has ended, unless it
// failed.
CausalProblem CausalReading::end(const Explored& execution) {
  const std::span<const Pending> left = execution.at_end();
  for (std::size_t i = 0; i < left.size(); ++i) {
    const CausalProblem found =
        announce(left[i], i < execution.enabled_at_end, execution.log.size());
    if (found.kind != CausalProblem::kNone) return found;
  }
  const bool cut = execution.failing && execution.outcome != OutcomeKind::kDeadlock;
  if (cut && !execution.log.empty()) {
    const std::size_t last = execution.log.size() - 1;
    for (const Pending& p : execution.enabled(last)) {
      if (p.thread != execution.log[last].thread && raw(p.thread) < index_.size())
        histories_.is_cut_off(position(p.thread));
    }
  }
  for (std::size_t i = 0; i < index_.size(); ++i) {
    const auto t = static_cast<std::uint16_t>(i);
    const bool there =
        std::any_of(left.begin(), left.end(), [&](const Pending& p) { return raw(p.thread) == t; });
    const bool failed = cut && !execution.log.empty() && raw(execution.log.back().thread) == t;
    const causal::Node& n = histories_.node(position(ThreadId{t}));
    if (!there && !failed && n.event.action.kind != ActionKind::kExit)
      histories_.ended(position(ThreadId{t}));
  }
  return {};
}

std::vector<StepRecord> CausalReading::prefix(const std::vector<causal::Move>& schedule) const {
  std::vector<StepRecord> records;
  causal::World world(histories_);
  std::map<ThreadIndex, ThreadId> numbers;
  std::uint16_t next = 0;
  for (ThreadIndex t = 0; t < histories_.threads(); ++t) {
    if (world.exists(t)) numbers[t] = ThreadId{next++};
  }
  for (const causal::Move& move : schedule) {
    const ThreadId thread = numbers.at(move.thread);
    records.push_back({thread, OpKind::none, 0, kNoObject, 0});
    if (move.could_wake > 1)
      records.push_back({thread, OpKind::value_choice, static_cast<std::uint8_t>(move.woken),
                         ObjectId{move.could_wake}, 0});
    if (&move == &schedule.back()) break;
    const NodeId to = move.to != causal::kNoNode ? move.to : world.after(move.thread);
    const Action& action = histories_.node(to).event.action;
    if (action.kind == ActionKind::kCreate)
      numbers[static_cast<ThreadIndex>(action.object)] = ThreadId{next++};
    world.execute(move);
  }
  return records;
}

}  // namespace raddle
