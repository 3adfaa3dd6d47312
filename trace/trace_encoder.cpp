#include <algorithm>

#include "trace/trace_codec.hpp"
#include "trace/trace_codec_layout.hpp"

namespace raddle {
namespace {

using namespace trace_codec;  // NOLINT(google-build-using-namespace): one file, its own layout

// By the number of bits that are needed: of a signed difference, of a value.
constexpr auto kAddressCodes = [] {
  std::array<std::uint8_t, 65> codes{};
  for (unsigned bits = 0; bits <= 64; ++bits) {
    codes[bits] = bits <= 8    ? kDelta1
                  : bits <= 16 ? kDelta2
                  : bits <= 24 ? kDelta3
                  : bits <= 32 ? kDelta4
                               : kDelta8;
  }
  return codes;
}();
constexpr auto kValueCodes = [] {
  std::array<std::uint8_t, 65> codes{};
  for (unsigned bits = 0; bits <= 64; ++bits) {
    codes[bits] = bits <= 8 ? kBytes1 : bits <= 16 ? kBytes2 : bits <= 32 ? kBytes4 : kBytes8;
  }
  return codes;
}();

unsigned char* put_zigzag(unsigned char* out, std::uint64_t difference) {
  std::uint64_t value = difference << 1 ^ -(difference >> 63);
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<unsigned char>(value | 0x80);
  *out++ = static_cast<unsigned char>(value);
  return out;
}

using Ends = std::array<unsigned char*, kColumns>;

// Each puts a field into its column and says what goes into the control byte. Stores are eight
// bytes wide and the ends move by what is needed: a branch would be wrong too often.

[[gnu::always_inline]] inline unsigned put_site(std::uint32_t site, const ThreadModel& t,
                                                TraceModel& m, Ends& ends) {
  std::uint32_t& successor = m.successor(t);
  if (successor == site) return 0;
  successor = site;
  unsigned char*& out = ends[kSites];
  if (site < kLongSite) {
    out = put(out, static_cast<std::uint16_t>(site));
  } else {
    out = put(put(out, static_cast<std::uint16_t>(kLongSite)), site);
  }
  return kSiteBit;
}

[[gnu::always_inline]] inline unsigned put_address(std::uint64_t address, EventKind kind,
                                                   const SiteModel& s, const ThreadModel& t,
                                                   const TraceModel& m, Ends& ends) {
  const std::uint64_t delta = address - s.address;
  if (delta == s.stride) return kByStride;
  unsigned code = kAddressCodes[65 - std::countl_zero(delta ^ -(delta >> 63))];
  if (address == m.address_by_value(kind, s, t)) code = kByValue;
  if (address == t.address + s.from_address) code = kByAddress;
  put(ends[kAddresses], delta);
  ends[kAddresses] += kAddressBytes[code];
  return code << kAddressShift;
}

[[gnu::always_inline]] inline unsigned put_value(std::uint64_t value, std::uint64_t expected,
                                                 const SiteModel& s, const ThreadModel& t,
                                                 Ends& ends) {
  if (value == expected) return kExpected;
  unsigned code = kValueCodes[64 - std::countl_zero(value)];
  if (value == t.value_before) code = kBeforeLast;
  if (value == t.value) code = kLast;
  if (value == expected + s.value_change) code = kChanged;
  put(ends[kValues], value);
  ends[kValues] += kValueBytes[code];
  return code << kValueShift;
}

// Any valid event of a known site. Out of line, so that the common case stays small.
[[gnu::always_inline]] inline void put_any(const Event& e, TraceModel& m, Ends& ends) {
  SiteModel& s = m.sites[raw(e.site)];
  unsigned char* const mask = ends[kRest];
  unsigned char* rest = mask + 1;
  *mask = 0;
  if (e.thread != m.current) {
    *mask |= kRestThread;
    rest = put(rest, raw(e.thread));
    m.current = e.thread;
  }
  ThreadModel& t = m.thread(e.thread);
  if (const std::uint32_t shape = shape_of(e); shape != s.shape) {
    *mask |= kRestShape;
    rest = put(rest, shape);
    s.shape = shape;
    s.access = TraceModel::access_of(shape);
  }
  if (const std::uint64_t expected = m.expected_step(e.kind); e.step != expected) {
    *mask |= kRestStep;
    rest = put_zigzag(rest, e.step - expected);
  }
  if (const std::uint64_t expected = m.expected_value2(e.kind, e.value, s); e.value2 != expected) {
    *mask |= kRestValue2;
    rest = put_zigzag(rest, e.value2 - expected);
  }
  if (e.context != m.expected_context(e.kind, raw(e.site), t)) {
    *mask |= kRestContext;
    rest = put(rest, e.context);
  }
  if (*mask != 0) ends[kRest] = rest;

  const unsigned site_code = put_site(raw(e.site), t, m, ends);
  const unsigned address_code = put_address(e.object, e.kind, s, t, m, ends);
  const std::uint64_t expected = m.expected_value(e.object, s);
  const unsigned value_code = put_value(e.value, expected, s, t, ends);
  *ends[kControl]++ = static_cast<unsigned char>(site_code | address_code | value_code |
                                                 (*mask != 0 ? kRestBit : 0));
  m.learn_rest(e, s, t);
  m.learn_address(e.object, address_code == kByStride, s, t);
  m.learn_value(e, expected, s);
  m.learn_written(e);
  m.learn_thread(e, t);
}

}  // namespace

EventEncoder::EventEncoder() : model_(std::make_unique<TraceModel>()) {
  constexpr std::array<std::size_t, kColumns> kWidth{1, 6, 8, 8, 35};
  static_assert(kWidth[0] + kWidth[1] + kWidth[2] + kWidth[3] + kWidth[4] == kMaxEventBytes);
  for (std::size_t i = 0; i < kColumns; ++i) buffers_[i].resize(kWidth[i] * kBlockEvents + 16);
  next_block(false);
}

std::span<const unsigned char> EventEncoder::column(std::size_t index) const {
  return {buffers_[index].data(), ends_[index]};
}

void EventEncoder::next_block(bool reset) {
  if (reset) model_->reset();
  for (std::size_t i = 0; i < kColumns; ++i) ends_[i] = buffers_[i].data();
  count_ = 0;
}

std::size_t EventEncoder::add(std::span<const Event> events) {
  TraceModel& m = *model_;
  Ends ends = ends_;  // never by reference: in memory, every store of bytes might change them
  const std::size_t wanted = std::min(events.size(), kBlockEvents - count_);
  const std::size_t known_sites = m.sites.size();
  SiteModel* const sites = m.sites.data();
  ThreadId current = m.current;
  ThreadModel* t = &m.thread(current);
  std::size_t taken = 0;
  for (; taken < wanted; ++taken) {
    const Event& e = events[taken];
    const std::uint32_t site = raw(e.site);
    if (site >= known_sites) break;
    SiteModel& s = sites[site];
    // One test for all that is rarely otherwise.
    const std::uint64_t unusual = (shape_of(e) ^ s.shape) | (s.access & TraceModel::kSpecial) |
                                  std::uint64_t(raw(e.thread) ^ raw(current)) | t->unusual |
                                  (e.step ^ m.step) | (e.value2 ^ s.value2) |
                                  (e.context ^ t->context);
    if (unusual != 0) {
      if (!valid_event(e)) break;
      put_any(e, m, ends);
      current = e.thread;
      t = &m.thread(current);
      continue;
    }
    const unsigned site_code = put_site(site, *t, m, ends);
    const unsigned address_code = put_address(e.object, EventKind::read, s, *t, m, ends);
    const std::uint64_t expected = m.expected_value(e.object, s);
    const unsigned value_code = put_value(e.value, expected, s, *t, ends);
    *ends[kControl]++ = static_cast<unsigned char>(site_code | address_code | value_code);
    m.learn_address(e.object, address_code == kByStride, s, *t);
    m.learn_value(e, expected, s);
    m.learn_thread(e, *t);
  }
  ends_ = ends;
  count_ += taken;
  return taken;
}

}  // namespace raddle
