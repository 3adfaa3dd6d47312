// The other half of StreamDecoder: what a record means for its thread, and the event that comes of
// it.
#include "host/trace/stream_decoder.hpp"
#include "protocol/ops.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMaxDepth = 1 << 20;

}  // namespace

void StreamDecoder::push(const Record& record, std::uint8_t flags) {
  batch_[count_++] = {record.kind, flags,          record.size,  thread_,       record.site,
                      step_,       record.address, record.value, record.value2, current_->context};
  if (count_ == kBatch) flush();
}

void StreamDecoder::event(const Record& record) {
  switch (record.kind) {
    case EventKind::read:
    case EventKind::write:
      if (current_->ignoring == 0) push(record, record.flags);
      return;
    case EventKind::read_range:
    case EventKind::write_range:
      if (current_->ignoring == 0 && record.value > 0) {
        Record range = record;
        range.size = 0;
        push(range, record.flags);
      }
      return;
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
    case EventKind::fence:
      push(record, valid_order(record.flags));
      return;
    case EventKind::enter:
      return enter(record);
    case EventKind::exit:
      return leave(record);
    case EventKind::decision:
      return decision(record);
    case EventKind::fork:
    case EventKind::join:
      // What others index by; the target may have written anything.
      if (record.value < raw(kNoThread)) push(record, record.flags);
      return;
    case EventKind::thread_end:
      push(record, record.flags);
      *current_ = Thread{};
      return;
    case EventKind::none:
      return;
    case EventKind::thread_begin:
    case EventKind::acquire:
    case EventKind::release:
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
    case EventKind::user:
    case EventKind::destroy:
      push(record, record.flags);
      return;
  }
}

void StreamDecoder::decision(const Record& record) {
  const auto op = static_cast<std::uint8_t>(record.value);
  const auto thread = static_cast<std::uint16_t>(record.value >> 8);
  // Steps that are left out, a signed number of 40 bits.
  step_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(record.value) >> 24) + 1;
  run(ThreadId{thread});
  Record chosen = record;
  chosen.size = 0;
  chosen.address = static_cast<std::uint32_t>(record.address);
  chosen.value = std::uint64_t(op) | std::uint64_t(record.flags) << 8;
  push(chosen, 0);
}

void StreamDecoder::run(ThreadId thread) {
  if (thread == thread_ || thread == kNoThread) return;
  thread_ = thread;
  if (raw(thread) >= threads_.size()) threads_.resize(std::size_t{raw(thread)} + 1);
  current_ = &threads_[raw(thread)];
}

void StreamDecoder::enter(const Record& record) {
  Thread& thread = *current_;
  if (thread.calls.size() < kMaxDepth)
    thread.calls.push_back({thread.context, record.site, record.address});
  const std::uint64_t call = record.value;
  thread.context = callee_context(thread.context, known_[raw(record.site)].stable, call);
  Record entered = record;
  entered.size = 0;
  push(entered, enter_flags(call));
}

// A call from code that is known and has no hooks is a callback.
std::uint8_t StreamDecoder::enter_flags(std::uint64_t call) {
  if (call == 0) return 0;  // inlined
  Caller& caller = callers_[call % kRecent];
  if (caller.code == call) return caller.flags;
  caller = {call, 0};
  for (const CodeRange& range : code_) {
    if (call >= range.low && call < range.high && !range.hooks) caller.flags = kCallback;
  }
  return caller.flags;
}

void StreamDecoder::leave(const Record& record) {
  Thread& thread = *current_;
  if (thread.calls.empty()) return;  // entered before anybody looked
  Record left = record;
  left.size = 0;
  left.value = 0;
  push(left, 0);
  thread.context = thread.calls.back().context;
  thread.calls.pop_back();
}

void StreamDecoder::returned_by_jump(std::uint64_t buffer, bool returned) {
  Thread& thread = *current_;
  if (!returned) {
    thread.jumps[buffer] = thread.calls.size();
    return;
  }
  const auto target = thread.jumps.find(buffer);
  if (target == thread.jumps.end()) return;
  while (thread.calls.size() > target->second) {
    const Call& call = thread.calls.back();
    Record left{};
    left.kind = EventKind::exit;
    left.site = call.site;
    left.address = call.self;
    push(left, 0);
    thread.context = call.context;
    thread.calls.pop_back();
  }
}

}  // namespace raddle
