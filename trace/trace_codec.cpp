#include "trace/trace_codec.hpp"

#include <bit>
#include <cstring>

namespace raddle {

namespace {

// The control byte: bit 0, the site is in its column; bits 1-3 and 4-6, how the address and the
// value are known; bit 7, there is an entry in the rest column.
enum Address : unsigned {
  kByStride,
  kByAddress,
  kByValue,
  kDelta1,
  kDelta2,
  kDelta3,
  kDelta4,
  kDelta8
};
enum Value : unsigned {
  kExpected,
  kChanged,
  kLast,
  kBeforeLast,
  kBytes1,
  kBytes2,
  kBytes4,
  kBytes8
};
constexpr unsigned kRestBit = 0x80;

// The mask that an entry of the rest column begins with.
constexpr unsigned kRestThread = 1;
constexpr unsigned kRestShape = 2;
constexpr unsigned kRestStep = 4;
constexpr unsigned kRestValue2 = 8;
constexpr unsigned kRestContext = 16;
constexpr unsigned kRestMask = 31;

constexpr std::uint32_t kLongSite = 0xffff;

constexpr std::array<std::uint8_t, 8> kAddressBytes{0, 0, 0, 1, 2, 3, 4, 8};
constexpr std::array<std::uint8_t, 8> kValueBytes{0, 0, 0, 0, 1, 2, 4, 8};

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

constexpr auto kTraits = [] {
  std::array<std::uint8_t, 256> traits{};
  for (int kind = 0; kind < kEventKinds; ++kind) {
    traits[kind] = TraceModel::traits(static_cast<EventKind>(kind));
  }
  return traits;
}();
std::uint8_t traits_of(EventKind kind) { return kTraits[static_cast<std::uint8_t>(kind)]; }

template <class Integer>
unsigned char* put(unsigned char* out, Integer value) {
  std::memcpy(out, &value, sizeof value);  // little-endian, as all machines we run on
  return out + sizeof value;
}
static_assert(std::endian::native == std::endian::little);

template <class Integer>
Integer get(const unsigned char* in) {
  Integer value;
  std::memcpy(&value, in, sizeof value);
  return value;
}

unsigned char* put_zigzag(unsigned char* out, std::uint64_t difference) {
  std::uint64_t value = difference << 1 ^ -(difference >> 63);
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<unsigned char>(value | 0x80);
  *out++ = static_cast<unsigned char>(value);
  return out;
}

// Null if it does not end within ten bytes or before `end`.
const unsigned char* get_zigzag(const unsigned char* in, const unsigned char* end,
                                std::uint64_t* difference) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70 && in < end; shift += 7) {
    const unsigned char byte = *in++;
    value |= std::uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *difference = value >> 1 ^ -(value & 1);
      return in;
    }
  }
  return nullptr;
}

bool valid_shape(std::uint32_t shape) {
  const auto kind = static_cast<EventKind>(shape & 0xff);
  if (kind == EventKind::none || static_cast<int>(kind) >= kEventKinds) return false;
  return !is_atomic(kind) || (shape >> 8 & kOrderMask) <= unsigned(MemoryOrder::kSeqCst);
}

bool names_thread(EventKind kind) { return kind == EventKind::fork || kind == EventKind::join; }

}  // namespace

bool valid_event(const Event& event) {
  return valid_shape(shape_of(event)) && event.thread != kNoThread &&
         (!names_thread(event.kind) || event.value < raw(kNoThread));
}

EventEncoder::EventEncoder() : model_(std::make_unique<TraceModel>()) {
  constexpr std::array<std::size_t, kColumns> kWidth{1, 6, 8, 8, 35};
  static_assert(kWidth[0] + kWidth[1] + kWidth[2] + kWidth[3] + kWidth[4] == kMaxEventBytes);
  // Stores are eight bytes wide, whatever counts of them.
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
  // In registers: a store of bytes may change anything that is not.
  auto [control, sites, addresses, values, rest] = ends_;
  const std::size_t wanted = std::min(events.size(), kBlockEvents - count_);
  const std::size_t known_sites = m.sites.size();
  ThreadModel* current = &m.thread(m.current);
  std::size_t taken = 0;
  for (; taken < wanted; ++taken) {
    const Event& e = events[taken];
    const std::uint32_t site = raw(e.site);
    const std::uint32_t shape = shape_of(e);
    if (site >= known_sites) break;
    SiteModel& s = m.sites[site];
    if (shape != s.shape && !valid_shape(shape)) break;
    const bool new_thread = e.thread != m.current;
    if (new_thread || names_thread(e.kind)) {
      if (!valid_event(e)) break;
      m.current = e.thread;
      current = &m.thread(e.thread);
    }
    ThreadModel& t = *current;
    const std::uint8_t traits = traits_of(e.kind);

    // The site.
    std::uint32_t& successor = m.successor(t);
    const unsigned site_code = successor != site;
    successor = site;
    if (site < kLongSite) {
      put(sites, static_cast<std::uint16_t>(site));
      sites += 2 * site_code;
    } else if (site_code != 0) {
      sites = put(put(sites, static_cast<std::uint16_t>(kLongSite)), site);
    }

    // The address.
    const std::uint64_t delta = e.object - s.address;
    const int delta_bits = 65 - std::countl_zero(delta ^ -(delta >> 63));
    unsigned address_code = kAddressCodes[delta_bits];
    if (e.object == m.address_by_value(e.kind, s, t)) address_code = kByValue;
    if (e.object == t.address + s.from_address) address_code = kByAddress;
    if (delta == s.stride) address_code = kByStride;
    put(addresses, delta);
    addresses += kAddressBytes[address_code];

    // The value.
    const std::uint64_t expected = m.expected_value(traits, shape, e.object, s);
    unsigned value_code = kValueCodes[64 - std::countl_zero(e.value)];
    if (e.value == t.value_before) value_code = kBeforeLast;
    if (e.value == t.value) value_code = kLast;
    if (e.value == expected + s.value_change) value_code = kChanged;
    if (e.value == expected) value_code = kExpected;
    put(values, e.value);
    values += kValueBytes[value_code];

    // The rest.
    std::uint64_t expected_context = t.context;
    std::uint64_t expected_step = m.step;
    if ((traits & TraceModel::kSpecial) != 0) {
      expected_context = m.expected_context(e.kind, site, t);
      expected_step = m.expected_step(e.kind);
    }
    const std::uint64_t expected_value2 = m.expected_value2(e.kind, e.value, s);
    const bool other = new_thread | (shape != s.shape) | (e.step != expected_step) |
                       (e.value2 != expected_value2) | (e.context != expected_context);
    if (other) {
      unsigned char* mask = rest++;
      *mask = 0;
      if (new_thread) {
        *mask |= kRestThread;
        rest = put(rest, raw(e.thread));
      }
      if (shape != s.shape) {
        *mask |= kRestShape;
        rest = put(rest, shape);
      }
      if (e.step != expected_step) {
        *mask |= kRestStep;
        rest = put_zigzag(rest, e.step - expected_step);
      }
      if (e.value2 != expected_value2) {
        *mask |= kRestValue2;
        rest = put_zigzag(rest, e.value2 - expected_value2);
      }
      if (e.context != expected_context) {
        *mask |= kRestContext;
        rest = put(rest, e.context);
      }
    }
    *control++ = static_cast<unsigned char>(site_code | address_code << 1 | value_code << 4 |
                                            (other ? kRestBit : 0));
    m.learn(e, traits, expected, s, t);
  }
  ends_ = {control, sites, addresses, values, rest};
  count_ += taken;
  return taken;
}

EventDecoder::EventDecoder() : model_(std::make_unique<TraceModel>()) {}

void EventDecoder::start_block(
    const std::array<std::span<const unsigned char>, kColumns>& columns) {
  for (std::size_t i = 0; i < kColumns; ++i) {
    columns_[i] = {columns[i].data(), columns[i].data() + columns[i].size()};
  }
}

bool EventDecoder::at_end() const {
  for (const Cursor& column : columns_) {
    if (column.at != column.end) return false;
  }
  return true;
}

const char* EventDecoder::decode(std::span<Event> events) {
  TraceModel& m = *model_;
  auto [control, sites, addresses, values, rest] = columns_;
  ThreadModel* current = &m.thread(m.current);
  for (Event& e : events) {
    // Each column is left by less than kSlack bytes before that is noticed.
    if (control.at >= control.end) return "its control column is too short";
    const unsigned code = *control.at++;
    unsigned mask = 0;
    if ((code & kRestBit) != 0) {
      if (rest.at >= rest.end) return "its rest column is too short";
      mask = *rest.at++;
      if (mask == 0 || mask > kRestMask) return "an entry of its rest column is unknown";
    }
    if ((mask & kRestThread) != 0) {
      const ThreadId thread{get<std::uint16_t>(rest.at)};
      rest.at += 2;
      if (thread == kNoThread) return "an event has no thread";
      m.current = thread;
      current = &m.thread(thread);
    }
    ThreadModel& t = *current;

    std::uint32_t& successor = m.successor(t);
    std::uint32_t site = successor;
    if ((code & 1) != 0) {
      site = get<std::uint16_t>(sites.at);
      sites.at += 2;
      if (site == kLongSite) {
        site = get<std::uint32_t>(sites.at);
        sites.at += 4;
      }
      if (sites.at > sites.end) return "its site column is too short";
    }
    if (site >= m.sites.size()) return "an event names a site that is not defined";
    successor = site;
    SiteModel& s = m.sites[site];

    std::uint32_t shape = s.shape;
    if ((mask & kRestShape) != 0) {
      shape = get<std::uint32_t>(rest.at);
      rest.at += 4;
    }
    if (!valid_shape(shape)) return "an event is of an unknown kind or memory order";
    e.kind = static_cast<EventKind>(shape & 0xff);
    e.flags = static_cast<std::uint8_t>(shape >> 8);
    e.size = static_cast<std::uint16_t>(shape >> 16);
    e.thread = m.current;
    e.site = SiteId{site};
    const std::uint8_t traits = traits_of(e.kind);

    e.step = m.expected_step(e.kind);
    std::uint64_t value2_difference = 0;
    if ((mask & (kRestStep | kRestValue2)) != 0) {
      std::uint64_t difference = 0;
      if ((mask & kRestStep) != 0) {
        rest.at = get_zigzag(rest.at, rest.end, &difference);
        if (rest.at == nullptr) return "its rest column is too short";
        e.step += difference;
      }
      if ((mask & kRestValue2) != 0) {
        rest.at = get_zigzag(rest.at, rest.end, &value2_difference);
        if (rest.at == nullptr) return "its rest column is too short";
      }
    }
    if ((mask & kRestContext) != 0) {
      e.context = get<std::uint64_t>(rest.at);
      rest.at += 8;
    } else {
      e.context = m.expected_context(e.kind, site, t);
    }
    if (rest.at > rest.end) return "its rest column is too short";

    const unsigned address_code = code >> 1 & 7;
    if (address_code >= kDelta1) {
      const unsigned unused = 64 - 8 * kAddressBytes[address_code];
      const auto bits = get<std::uint64_t>(addresses.at) << unused;
      e.object = s.address + static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> unused);
      addresses.at += kAddressBytes[address_code];
      if (addresses.at > addresses.end) return "its address column is too short";
    } else {
      e.object = address_code == kByStride    ? s.address + s.stride
                 : address_code == kByAddress ? t.address + s.from_address
                                              : m.address_by_value(e.kind, s, t);
    }

    const std::uint64_t expected = m.expected_value(traits, shape, e.object, s);
    const unsigned value_code = code >> 4 & 7;
    if (value_code >= kBytes1) {
      const unsigned unused = 64 - 8 * kValueBytes[value_code];
      e.value = get<std::uint64_t>(values.at) << unused >> unused;
      values.at += kValueBytes[value_code];
      if (values.at > values.end) return "its value column is too short";
    } else {
      e.value = value_code == kExpected  ? expected
                : value_code == kChanged ? expected + s.value_change
                : value_code == kLast    ? t.value
                                         : t.value_before;
    }
    if (names_thread(e.kind) && e.value >= raw(kNoThread)) {
      return "a fork or join names no thread";
    }
    e.value2 = m.expected_value2(e.kind, e.value, s) + value2_difference;
    m.learn(e, traits, expected, s, t);
  }
  columns_ = {control, sites, addresses, values, rest};
  return nullptr;
}

}  // namespace raddle
