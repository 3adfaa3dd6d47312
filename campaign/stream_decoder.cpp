#include "campaign/stream_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/ops.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kCodeMask = 0xffff'ffff'ffffULL;
constexpr std::size_t kMaxName = 255;
constexpr std::size_t kMaxDepth = 1 << 20;

// The context of a callee: a function of the caller's, of where it was called, and of the function.
std::uint64_t callee_context(std::uint64_t caller, std::uint64_t function, std::uint64_t call) {
  std::uint64_t hash = caller ^ (function + 0x9e3779b97f4a7c15ULL + (caller << 6) + (caller >> 2));
  hash = (hash ^ call) * 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 33);
}

// A memory order that there is: the strongest in place of one that there is not.
std::uint8_t valid_order(std::uint8_t flags) {
  const std::uint8_t order = std::min<std::uint8_t>(flags & kOrderMask, int(MemoryOrder::kSeqCst));
  return static_cast<std::uint8_t>((flags & ~kOrderMask) | order);
}

bool has_value(EventKind kind) { return kind == EventKind::read || kind == EventKind::write; }

}  // namespace

StreamDecoder::StreamDecoder(SiteResolver& resolver, EventSink& sink)
    : resolver_(resolver),
      sink_(sink),
      recent_(kRecent),
      callers_(kRecent),
      threads_(1),
      current_(&threads_[0]) {
  batch_.resize(kBatch);
}

void StreamDecoder::decode(std::span<const RawRecord> records) {
  for (std::size_t i = 0; i < records.size();) {
    if (!name_ && !prefixed_) i += plain_accesses(records.subspan(i));
    if (i == records.size()) return;
    const RawRecord& record = records[i++];
    if (name_) {
      name_part(record);
      continue;
    }
    const auto tag = static_cast<std::uint8_t>(record.head >> 56);
    if (tag == 0) {
      site_record(record);
    } else if (tag < kEventKinds) {
      event_record(static_cast<EventKind>(tag), record);
    } else {
      raw_record(static_cast<RawKind>(tag), record);
    }
  }
}

// The bulk of every recording: reads and writes at sites that have been seen, one after the other.
// Says how many of the records these are.
std::size_t StreamDecoder::plain_accesses(std::span<const RawRecord> records) {
  if (current_->ignoring > 0) return 0;
  std::size_t done = 0;
  while (done < records.size()) {
    const std::size_t room = std::min(records.size() - done, kBatch - count_);
    std::size_t i = 0;
    for (; i < room; ++i) {
      const RawRecord& record = records[done + i];
      const Recent& site = recent(record.head);
      if (site.address != record.head || !site.plain) break;
      batch_[count_ + i] = {site.known.kind, 0,        site.known.size, thread_, site.known.id,
                            step_,           record.a, record.b,        0,       current_->context};
    }
    done += i;
    count_ += i;
    if (count_ == kBatch) flush();
    if (i < room) break;
  }
  return done;
}

void StreamDecoder::flush() {
  if (count_ == 0) return;
  events_ += count_;
  sink_.events({batch_.data(), count_});
  count_ = 0;
}

void StreamDecoder::push(EventKind kind, std::uint8_t flags, std::uint16_t size, SiteId site,
                         std::uint64_t object, std::uint64_t value, std::uint64_t value2) {
  batch_[count_++] = {kind,  flags,  size,  thread_, site,
                      step_, object, value, value2,  current_->context};
  if (count_ == kBatch) flush();
}

void StreamDecoder::site_record(const RawRecord& record) {
  const Known& site = site_at(record.head);
  switch (site.kind) {
    case EventKind::read:
    case EventKind::write:
      if (current_->ignoring == 0) {
        push(site.kind, 0, size_.value_or(site.size), site.id, record.a, record.b, 0);
      }
      break;
    case EventKind::read_range:
    case EventKind::write_range:
      if (current_->ignoring == 0 && record.b > 0) {
        push(site.kind, 0, 0, site.id, record.a, record.b, 0);
      }
      break;
    case EventKind::enter:
      enter(site, record);
      break;
    case EventKind::exit:
      leave(site, record.a);
      break;
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
    case EventKind::fence:
      push(site.kind, std::uint8_t(site.order | flags_), site.size, site.id, record.a, record.b,
           value2_);
      break;
    case EventKind::none:  // bytes that make no sense, or a module that is gone
      break;
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::fork:
    case EventKind::join:
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
      push(site.kind, 0, site.size, site.id, record.a, record.b, 0);
      break;
  }
  forget_prefix();
}

void StreamDecoder::event_record(EventKind kind, const RawRecord& record) {
  auto flags = static_cast<std::uint8_t>(record.head >> 48);
  const std::uint64_t address = record.head & kCodeMask;
  SiteId site = address == 0 ? kNoSite : code_at(address).id;
  if (kind == EventKind::allocate && allocate_for_ != 0) {
    site = either_at(allocate_for_).id;
  }
  const bool access = is_access(kind);
  // What others index by; the target may have written anything.
  const bool names_thread = kind == EventKind::fork || kind == EventKind::join;
  if (names_thread && record.b >= raw(kNoThread)) return forget_prefix();
  if (is_atomic(kind)) flags = valid_order(flags);
  if (kind == EventKind::enter) {
    // From `-fsanitize=thread`: the site is the call, and all there is to know the function by.
    enter(Known{site, kind, 0, 0, address}, record);
  } else if (kind == EventKind::exit) {
    leave(Known{site, kind, 0, 0, address}, record.a);
  } else if (!access || current_->ignoring == 0) {
    push(kind, flags, size_.value_or(0), site, record.a, record.b, value2_);
  }
  if (kind == EventKind::thread_end) *current_ = Thread{};
  forget_prefix();
}

void StreamDecoder::forget_prefix() {
  prefixed_ = false;
  size_.reset();
  value2_ = 0;
  flags_ = 0;
  call_ = 0;
  allocate_for_ = 0;
}

void StreamDecoder::raw_record(RawKind kind, const RawRecord& record) {
  switch (kind) {
    case RawKind::kSize:
      prefixed_ = true;
      size_ = static_cast<std::uint16_t>(record.a);
      value2_ = record.b;
      return;
    case RawKind::kValue:
      prefixed_ = true;
      flags_ = static_cast<std::uint8_t>(record.a & ~std::uint64_t{kOrderMask});
      value2_ = record.b;
      return;
    case RawKind::kDecision:
      decision(record);
      return;
    case RawKind::kCall:
      prefixed_ = true;
      call_ = record.a;
      return;
    case RawKind::kSetjmp:
      returned_by_jump(record);
      return;
    case RawKind::kIgnore:
      if (record.a != 0) {
        ++current_->ignoring;
      } else if (current_->ignoring > 0) {
        --current_->ignoring;
      }
      return;
    case RawKind::kName:
      name_ = name_of(record);
      if (name_->bytes == 0) name_.reset();
      return;
    case RawKind::kAllocateFor:
      prefixed_ = true;
      allocate_for_ = record.a;
      return;
  }
}

StreamDecoder::Name StreamDecoder::name_of(const RawRecord& record) const {
  const auto what = static_cast<std::uint8_t>(record.head >> 48);
  Name name;
  name.of_thread = what != kNamesObject;
  name.subject = what == kNamesRunning ? raw(thread_) : record.a;
  name.bytes = std::min<std::size_t>(record.b, kMaxName);
  return name;
}

void StreamDecoder::decision(const RawRecord& record) {
  const auto object = static_cast<std::uint32_t>(record.a);
  const auto op = static_cast<std::uint8_t>(record.a >> 32);
  const auto outcome = static_cast<std::uint8_t>(record.head >> 48);
  const std::uint64_t address = record.head & kCodeMask;
  step_ = record.b;
  run(static_cast<ThreadId>(record.a >> 48));
  SiteId site = kNoSite;
  if (address != 0) {
    const bool by_site = op >= std::uint8_t(OpKind::atomic_load) && op < kOpKinds;
    site = by_site ? either_at(address).id : code_at(address).id;
  }
  push(EventKind::decision, 0, 0, site, object, std::uint64_t(op) | std::uint64_t(outcome) << 8, 0);
}

void StreamDecoder::run(ThreadId thread) {
  if (thread == thread_ || thread == kNoThread) return;
  thread_ = thread;
  if (raw(thread) >= threads_.size()) threads_.resize(std::size_t{raw(thread)} + 1);
  current_ = &threads_[raw(thread)];
}

void StreamDecoder::name_part(const RawRecord& record) {
  char bytes[sizeof record];
  std::memcpy(bytes, &record, sizeof record);
  const std::size_t missing = name_->bytes - name_->text.size();
  name_->text.append(bytes, std::min(missing, sizeof bytes));
  if (name_->text.size() < name_->bytes) return;
  flush();
  const Name name = *std::exchange(name_, std::nullopt);
  if (name.of_thread) {
    sink_.define_thread(static_cast<ThreadId>(name.subject), name.text);
  } else {
    sink_.define_object(name.subject, 1, name.text);
  }
}

void StreamDecoder::enter(const Known& site, const RawRecord& record) {
  Thread& thread = *current_;
  if (thread.calls.size() < kMaxDepth) thread.calls.push_back({thread.context, site.id, record.a});
  thread.context = callee_context(thread.context, site.stable, call_);
  push(EventKind::enter, enter_flags(call_), 0, site.id, record.a, call_, 0);
}

std::uint8_t StreamDecoder::enter_flags(std::uint64_t call) {
  if (call == 0) return 0;  // inlined
  Caller& caller = callers_[call % kRecent];
  if (caller.code != call) {
    caller = {call, resolver_.without_hooks(call) ? kCallback : std::uint8_t{0}};
  }
  return caller.flags;
}

void StreamDecoder::leave(const Known& site, std::uint64_t self) {
  Thread& thread = *current_;
  if (thread.calls.empty()) return;  // entered before anybody looked
  push(EventKind::exit, 0, 0, site.id, self, 0, 0);
  thread.context = thread.calls.back().context;
  thread.calls.pop_back();
}

void StreamDecoder::returned_by_jump(const RawRecord& record) {
  Thread& thread = *current_;
  if (record.b == 0) {
    thread.jumps[record.a] = thread.calls.size();
    return;
  }
  const auto target = thread.jumps.find(record.a);
  if (target == thread.jumps.end()) return;
  while (thread.calls.size() > target->second) {
    const Call& call = thread.calls.back();
    push(EventKind::exit, 0, 0, call.site, call.self, 0, 0);
    thread.context = call.context;
    thread.calls.pop_back();
  }
}

const StreamDecoder::Known& StreamDecoder::site_at(std::uint64_t address) {
  Recent& entry = recent(address);
  if (entry.address == address) return entry.known;
  const auto known = described_.find(address);
  entry.known = known != described_.end()
                    ? known->second
                    : define(described_, address, resolver_.described(address));
  entry.address = address;
  entry.plain = has_value(entry.known.kind);
  return entry.known;
}

const StreamDecoder::Known& StreamDecoder::code_at(std::uint64_t address) {
  const auto known = codes_.find(address);
  if (known != codes_.end()) return known->second;
  return define(codes_, address, resolver_.code(address));
}

const StreamDecoder::Known& StreamDecoder::either_at(std::uint64_t address) {
  const auto known = either_.find(address);
  if (known != either_.end()) return known->second;
  return define(either_, address, resolver_.any(address));
}

const StreamDecoder::Known& StreamDecoder::define(std::unordered_map<std::uint64_t, Known>& table,
                                                  std::uint64_t address, const Site& site) {
  Known known;
  known.id = SiteId{++sites_};
  known.kind = site.kind;
  known.size = has_value(site.kind) ? std::min<std::uint16_t>(site.size, 8) : site.size;
  if (is_atomic(site.kind)) known.order = valid_order(site.flags & kOrderMask);
  known.stable = site.stable;
  flush();
  sink_.define_site(known.id, site);
  return table.emplace(address, known).first->second;
}

}  // namespace raddle
