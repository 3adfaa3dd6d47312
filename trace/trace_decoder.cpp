#include "trace/trace_codec.hpp"
#include "trace/trace_codec_layout.hpp"

namespace raddle {
namespace {

using namespace trace_codec;  // NOLINT(google-build-using-namespace): one file, its own layout

constexpr char kRestTooShort[] = "its rest column is too short";

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

}  // namespace

bool valid_event(const Event& event) {
  return valid_shape(shape_of(event)) && event.thread != kNoThread &&
         (!names_thread(event.kind) || event.value < raw(kNoThread));
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

// The fields that have an entry in the rest column, or are rarely as they were: thread and site
// first, since the others are expected from them.
const char* EventDecoder::decode_rest(unsigned mask, std::uint32_t site, Event* e) {
  Cursor& rest = columns_[kRest];
  TraceModel& m = *model_;
  SiteModel& s = m.sites[site];
  if ((mask & kRestShape) != 0) {
    s.shape = get<std::uint32_t>(rest.at);
    s.access = TraceModel::access_of(s.shape);
    rest.at += 4;
  }
  if (!valid_shape(s.shape)) return "an event is of an unknown kind or memory order";
  e->kind = static_cast<EventKind>(s.shape & 0xff);
  e->step = m.expected_step(e->kind);
  e->value2 = 0;  // for now, the difference to what is expected
  if ((mask & kRestStep) != 0) {
    std::uint64_t difference = 0;
    rest.at = get_zigzag(rest.at, rest.end, &difference);
    if (rest.at == nullptr) return kRestTooShort;
    e->step += difference;
  }
  if ((mask & kRestValue2) != 0) {
    rest.at = get_zigzag(rest.at, rest.end, &e->value2);
    if (rest.at == nullptr) return kRestTooShort;
  }
  if ((mask & kRestContext) != 0) {
    e->context = get<std::uint64_t>(rest.at);
    rest.at += 8;
  } else {
    e->context = m.expected_context(e->kind, site, m.thread(m.current));
  }
  return rest.at > rest.end ? kRestTooShort : nullptr;
}

const char* EventDecoder::decode(std::span<Event> events) {
  used_ = true;
  TraceModel& m = *model_;
  auto& [control, sites, addresses, values, rest] = columns_;
  ThreadModel* current = &m.thread(m.current);
  for (Event& e : events) {
    // Each column is left by less than kSlack bytes before that is noticed.
    if (control.at >= control.end) return "its control column is too short";
    const unsigned code = *control.at++;
    unsigned mask = 0;
    if ((code & kRestBit) != 0) {
      if (rest.at >= rest.end) return kRestTooShort;
      mask = *rest.at++;
      if (mask == 0 || mask > kRestMask) return "an entry of its rest column is unknown";
      if ((mask & kRestThread) != 0) {
        const ThreadId thread{get<std::uint16_t>(rest.at)};
        rest.at += 2;
        if (thread == kNoThread) return "an event has no thread";
        m.current = thread;
        current = &m.thread(thread);
      }
    }
    ThreadModel& t = *current;

    std::uint32_t& successor = m.successor(t);
    std::uint32_t site = successor;
    if ((code & kSiteBit) != 0) {
      site = get<std::uint16_t>(sites.at);
      sites.at += 2;
      if (site == kLongSite) {
        site = get<std::uint32_t>(sites.at);
        sites.at += 4;
      }
      if (sites.at > sites.end) return "its site column is too short";
      successor = site;
    }
    if (site >= m.sites.size()) return "an event names a site that is not defined";
    SiteModel& s = m.sites[site];

    const bool usual = mask == 0 && (s.access & TraceModel::kSpecial) == 0 && t.unusual == 0;
    if (usual) {
      e.step = m.step;
      e.value2 = s.value2;
      e.context = t.context;
    } else if (const char* problem = decode_rest(mask, site, &e)) {
      return problem;
    }
    e.kind = static_cast<EventKind>(s.shape & 0xff);
    e.flags = static_cast<std::uint8_t>(s.shape >> 8);
    e.size = static_cast<std::uint16_t>(s.shape >> 16);
    e.thread = m.current;
    e.site = SiteId{site};

    const unsigned address_code = code >> kAddressShift & 7;
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

    const std::uint64_t expected = m.expected_value(e.object, s);
    const unsigned value_code = code >> kValueShift & 7;
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

    if (!usual) {
      if (names_thread(e.kind) && e.value >= raw(kNoThread)) {
        return "a fork or join names no thread";
      }
      e.value2 += m.expected_value2(e.kind, e.value, s);
      m.learn_rest(e, s, t);
    }
    m.learn_address(e.object, address_code == kByStride, s, t);
    m.learn_value(e, expected, s);
    if (!usual) m.learn_written(e);
    m.learn_thread(e, t);
  }
  return nullptr;
}

}  // namespace raddle
