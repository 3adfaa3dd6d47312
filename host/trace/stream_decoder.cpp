#include "host/trace/stream_decoder.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace raddle {
namespace {

constexpr char kBreaksOff[] = "a record breaks off";
constexpr char kNoSuchSite[] = "a record names a site that is not defined";
constexpr char kTooManyBytes[] = "a record has a number of more than 8 bytes";

bool is_plain(EventKind kind) { return kind == EventKind::read || kind == EventKind::write; }
bool names_thread(EventKind kind) { return kind == EventKind::fork || kind == EventKind::join; }

std::uint8_t plain_bytes(EventKind kind, unsigned size) {
  const bool power = size == 1 || size == 2 || size == 4 || size == 8;
  return static_cast<std::uint8_t>(is_plain(kind) && power ? size : 0);
}

std::uint64_t load(const std::uint8_t* from) { return raddle_load(from, 8); }

constexpr std::array<std::uint64_t, 16> kMasks = [] {
  std::array<std::uint64_t, 16> masks{};
  for (unsigned bytes = 0; bytes < masks.size(); ++bytes) {
    masks[bytes] = bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  }
  return masks;
}();

// The two numbers of a site record behind its site. `at` moves on; false if they are too long.
bool take_numbers(const std::uint8_t*& at, std::uint64_t* zigzag, std::uint64_t* difference) {
  const unsigned address_bytes = *at & 15U;
  const unsigned value_bytes = *at >> 4U;
  *zigzag = load(at + 1) & kMasks[address_bytes];
  *difference = load(at + 1 + address_bytes) & kMasks[value_bytes];
  at += 1 + address_bytes + value_bytes;
  return std::max(address_bytes, value_bytes) <= 8;
}

std::uint64_t take_address(RaddleSlot& slot, std::uint64_t zigzag) {
  const std::uint64_t stride = slot.stride + (zigzag >> 1 ^ -(zigzag & 1));
  slot.address += stride;
  slot.stride = stride;
  return slot.address;
}

std::uint64_t take_access(RaddleModel& model, bool write, unsigned bytes, std::uint64_t address,
                          std::uint64_t difference) {
  std::uint8_t* seen = model.memory + address % RADDLE_MEMORY;
  const std::uint64_t expected = write ? model.last_read & kMasks[bytes] : raddle_load(seen, bytes);
  const std::uint64_t value = (expected ^ difference) & kMasks[bytes];
  raddle_store(seen, bytes, value);
  if (!write) model.last_read = value;
  return value;
}

}  // namespace

bool valid_event(const Event& event) {
  if (event.kind == EventKind::none || int(event.kind) >= kEventKinds) return false;
  if (is_atomic(event.kind) && (event.flags & kOrderMask) > int(MemoryOrder::kBarrier))
    return false;
  if (names_thread(event.kind) && event.value >= raw(kNoThread)) return false;
  return event.thread != kNoThread;
}

std::uint8_t valid_order(std::uint8_t flags) {
  std::uint8_t order = flags & kOrderMask;
  if (order > int(MemoryOrder::kBarrier)) order = int(MemoryOrder::kSeqCst);
  return static_cast<std::uint8_t>((flags & ~kOrderMask) | order);
}

std::uint64_t callee_context(std::uint64_t caller, std::uint64_t function, std::uint64_t call) {
  std::uint64_t hash = caller ^ (function + 0x9e3779b97f4a7c15ULL + (caller << 6) + (caller >> 2));
  hash = (hash ^ call) * 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 33);
}

StreamDecoder::StreamDecoder(EventSink& sink, RecordTap* tap)
    : sink_(sink),
      tap_(tap),
      model_(std::make_unique<RaddleModel>()),
      known_(1),
      callers_(kRecent),
      threads_(1),
      current_(&threads_[0]) {
  batch_.resize(kBatch);
}

void StreamDecoder::define_site(SiteId, const Site& site) {
  Known known;
  known.kind = site.kind;
  known.size = is_plain(site.kind) ? std::min<std::uint16_t>(site.size, 8) : site.size;
  known.write = site.kind == EventKind::write ? 1 : 0;
  if (is_atomic(site.kind)) known.order = valid_order(site.flags & kOrderMask);
  known.stable = site.stable;
  known_.push_back(known);
  sites_.push_back(site);
}

// The sink gets sites, and what waits for them, when they are first used.
void StreamDecoder::meet_site(std::uint32_t site) {
  while (met_sites_ < site) {
    flush();
    Known& known = known_[++met_sites_];
    known.access = plain_bytes(known.kind, known.size);
    sink_.define_site(SiteId{met_sites_}, sites_.front());
    sites_.pop_front();
    for (auto at = waiting_for_site_.find(met_sites_);
         at != waiting_for_site_.end() && at->first == met_sites_;
         at = waiting_for_site_.erase(at)) {
      define({0, at->second.object}, std::move(at->second.tell));
    }
  }
}

void StreamDecoder::meet_object() {
  ++met_objects_;
  for (auto at = waiting_for_object_.find(met_objects_);
       at != waiting_for_object_.end() && at->first == met_objects_;
       at = waiting_for_object_.erase(at)) {
    define({}, std::move(at->second.tell));
  }
}

void StreamDecoder::define(NameAnchor from, std::function<void(EventSink&)> tell) {
  if (from.site > met_sites_) {
    waiting_for_site_.emplace(from.site, Waiting{from.object, std::move(tell)});
  } else if (from.object > met_objects_) {
    waiting_for_object_.emplace(from.object, Waiting{from.object, std::move(tell)});
  } else {
    flush();
    tell(sink_);
  }
}

void StreamDecoder::define_object(NameAnchor from, std::uint64_t address, std::uint64_t bytes,
                                  const std::string& name) {
  define(from, [=](EventSink& sink) { sink.define_object(address, bytes, name); });
}

void StreamDecoder::define_member(NameAnchor from, const std::string& cls, std::uint32_t offset,
                                  const std::string& member) {
  define(from, [=](EventSink& sink) { sink.define_member(cls, offset, member); });
}

void StreamDecoder::define_code(const CodeRange& range) {
  std::erase_if(code_, [&](const CodeRange& other) {
    return other.low < range.high && range.low < other.high;
  });
  code_.push_back(range);
  std::fill(callers_.begin(), callers_.end(), Caller{});
  if (!range.path.empty()) sink_.define_image({range.path, range.identity, range.low, range.high});
}

void StreamDecoder::flush() {
  if (count_ == 0) return;
  events_ += count_;
  sink_.events({batch_.data(), count_});
  count_ = 0;
}

void StreamDecoder::records(std::span<const std::uint8_t> bytes, bool fresh) {
  if (fresh) {
    std::memset(model_.get(), 0, sizeof *model_);
    problem_ = nullptr;
  }
  at_ = bytes.data();
  end_ = at_ + bytes.size();
  while (tap_ != nullptr && problem_ == nullptr && at_ < end_) tapped_record();
  while (problem_ == nullptr && at_ < end_) {
    plain_accesses();
    if (at_ < end_) one_record();
  }
}

bool StreamDecoder::fail(const char* problem) {
  problem_ = problem;
  return false;
}

bool StreamDecoder::take(std::size_t bytes) {
  if (static_cast<std::size_t>(end_ - at_) < bytes) return fail(kBreaksOff);
  at_ += bytes;
  return true;
}

// The bulk of every recording: reads and writes, one after the other, at sites that are near. Ends
// at anything else, and leaves it to the others to find out what it is.
void StreamDecoder::plain_accesses() {
  if (current_->ignoring > 0) return;
  RaddleModel& model = *model_;
  const Known* const known = known_.data();
  const std::size_t sites = known_.size();
  const std::uint8_t* at = at_;
  while (at < end_) {
    const std::uint8_t first = *at;
    if (first == RADDLE_ESCAPE || first == RADDLE_LONG_SITE) break;
    const std::uint32_t site = model.site + static_cast<std::uint32_t>(std::int8_t(first));
    if (site >= sites || known[site].access == 0) break;
    const std::uint8_t* next = at + 1;
    std::uint64_t zigzag = 0;
    std::uint64_t difference = 0;
    if (!take_numbers(next, &zigzag, &difference) || next > end_) break;
    at = next;
    model.site = site;
    const Known& k = known[site];
    const std::uint64_t address = take_address(model.slots[raddle_slot(site)], zigzag);
    const std::uint64_t value = take_access(model, k.write != 0, k.access, address, difference);
    batch_[count_++] = {k.kind, 0,       k.size, thread_, SiteId{site},
                        step_,  address, value,  0,       current_->context};
    if (count_ == kBatch) flush();
  }
  at_ = at;
}

bool StreamDecoder::one_record() {
  Prefix prefix;
  while (at_ < end_ && *at_ == RADDLE_ESCAPE) {
    bool complete = false;
    if (!escaped(&prefix, &complete)) return false;
    if (complete) return true;
  }
  return site_record(prefix);
}

void StreamDecoder::tapped_record() {
  const std::uint8_t* start = at_;
  tapped_.reset();
  if (!one_record()) return;
  flush();
  if (tapped_) {
    tapped_->prefix = {start, tapped_->prefix.data()};
    tap_->site_record(*tapped_);
  } else {
    tap_->other_record({start, at_});
  }
}

// What comes behind RADDLE_ESCAPE: a part of a site record, or a complete record.
bool StreamDecoder::escaped(Prefix* prefix, bool* complete) {
  const std::uint8_t* start = at_;
  if (!take(3)) return false;
  const std::uint8_t code = start[1];
  const std::uint8_t flags = start[2];
  if (code < kEventKinds) {
    if (code == std::uint8_t(EventKind::none)) return fail("a record is of no kind");
    prefix->kind = static_cast<EventKind>(code);
    prefix->flags = flags;
    return true;
  }
  switch (static_cast<StreamCode>(code)) {
    case StreamCode::kSize:
      prefix->size = flags;
      return true;
    case StreamCode::kValue2:
      if (flags > 8) return fail(kTooManyBytes);
      prefix->value2 = load(at_) & kMasks[flags];
      return take(flags);
    case StreamCode::kRunning:
      *complete = true;
      if (!take(10)) return false;
      run(ThreadId{static_cast<std::uint16_t>(raddle_load(at_ - 10, 2))});
      step_ = load(at_ - 8);
      return true;
    case StreamCode::kSetjmp:
      *complete = true;
      if (!take(8)) return false;
      returned_by_jump(load(at_ - 8), flags != 0);
      return true;
    case StreamCode::kIgnore:
      *complete = true;
      if (flags != 0) {
        ++current_->ignoring;
      } else if (current_->ignoring > 0) {
        --current_->ignoring;
      }
      return true;
    case StreamCode::kName:
      *complete = true;
      return name(flags);
    case StreamCode::kNewObject:
      *complete = true;
      meet_object();
      return true;
    case StreamCode::kLateWrite:
      *complete = true;
      return late_write(flags != 0);
  }
  return fail("a record is of an unknown kind");
}

bool StreamDecoder::site_record(const Prefix& prefix) {
  const std::uint8_t* start = at_;
  if (!take(2)) return false;
  RaddleModel& model = *model_;
  std::uint32_t site = model.site + static_cast<std::uint32_t>(std::int8_t(*start));
  if (*start == RADDLE_LONG_SITE) {
    if (!take(3)) return false;
    site = start[1] | std::uint32_t{start[2]} << 8 | std::uint32_t{start[3]} << 16;
  }
  if (site >= known_.size()) return fail(kNoSuchSite);
  --at_;
  std::uint64_t zigzag = 0;
  std::uint64_t difference = 0;
  if (!take_numbers(at_, &zigzag, &difference)) return fail(kTooManyBytes);
  if (at_ > end_) return fail(kBreaksOff);

  const Known& k = known_[site];
  const EventKind kind = prefix.kind.value_or(k.kind);
  if (kind == EventKind::none) return fail("an event is of no kind");
  meet_site(site);
  model.site = site;
  const unsigned slot = prefix.kind ? raddle_slot_of_kind(site, unsigned(kind)) : raddle_slot(site);
  Record record{};
  record.kind = kind;
  record.flags = prefix.kind ? prefix.flags : k.order;
  record.size = prefix.size ? std::uint16_t{*prefix.size} : k.size;
  record.site = SiteId{site};
  record.value2 = prefix.value2;
  record.address = take_address(model.slots[slot], zigzag);
  if (const unsigned bytes = plain_bytes(kind, record.size); bytes != 0) {
    record.value = take_access(model, kind == EventKind::write, bytes, record.address, difference);
  } else {
    record.value = model.values[slot] ^= difference;
  }
  if (tap_ != nullptr) {
    tapped_ = SiteRecord{{start, start}, kind,        site, slot, plain_bytes(kind, record.size),
                         record.address, record.value};
  }
  event(record);
  return true;
}

bool StreamDecoder::late_write(bool known) {
  const std::uint8_t* start = at_;
  if (!take(RADDLE_LATE_BYTES - 3)) return false;
  Record record{};
  record.kind = EventKind::write;
  record.flags = known ? 0 : kNoValue;
  record.size = *start;
  record.site = SiteId{static_cast<std::uint32_t>(raddle_load(start + 1, 4))};
  record.address = load(start + 5);
  record.value = known ? load(start + 13) : 0;
  if (raw(record.site) >= known_.size()) return fail(kNoSuchSite);
  meet_site(raw(record.site));
  event(record);
  return true;
}

bool StreamDecoder::name(std::uint8_t what) {
  const std::uint8_t* start = at_;
  if (!take(9) || !take(start[8])) return false;
  const std::string text(reinterpret_cast<const char*>(start + 9), start[8]);
  if (text.empty()) return true;
  flush();
  const std::uint64_t subject = what == RADDLE_NAMES_RUNNING ? raw(thread_) : load(start);
  if (what == RADDLE_NAMES_OBJECT) {
    sink_.define_object(subject, 1, text);
  } else if (subject < raw(kNoThread)) {
    sink_.define_thread(static_cast<ThreadId>(subject), text);
  }
  return true;
}

}  // namespace raddle
