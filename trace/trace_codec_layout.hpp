// The bytes of the columns, for encoder and decoder; docs/trace_format.md has them in prose.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "trace/trace_model.hpp"

namespace raddle::trace_codec {

static_assert(std::endian::native == std::endian::little);  // numbers are stored as they are

enum Column : std::size_t { kControl, kSites, kAddresses, kValues, kRest };

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
inline constexpr unsigned kSiteBit = 1;
inline constexpr unsigned kAddressShift = 1;
inline constexpr unsigned kValueShift = 4;
inline constexpr unsigned kRestBit = 0x80;

inline constexpr std::array<std::uint8_t, 8> kAddressBytes{0, 0, 0, 1, 2, 3, 4, 8};
inline constexpr std::array<std::uint8_t, 8> kValueBytes{0, 0, 0, 0, 1, 2, 4, 8};

// In the site column, two bytes: the site's four bytes follow.
inline constexpr std::uint32_t kLongSite = 0xffff;

// The mask that an entry of the rest column begins with; the fields follow in this order.
inline constexpr unsigned kRestThread = 1;    // two bytes
inline constexpr unsigned kRestShape = 2;     // four bytes
inline constexpr unsigned kRestStep = 4;      // zigzag varint: minus what was expected
inline constexpr unsigned kRestValue2 = 8;    // zigzag varint: minus what was expected
inline constexpr unsigned kRestContext = 16;  // eight bytes
inline constexpr unsigned kRestMask = 31;

template <class Integer>
unsigned char* put(unsigned char* out, Integer value) {
  std::memcpy(out, &value, sizeof value);
  return out + sizeof value;
}

template <class Integer>
Integer get(const unsigned char* in) {
  Integer value;
  std::memcpy(&value, in, sizeof value);
  return value;
}

inline bool valid_shape(std::uint32_t shape) {
  const auto kind = static_cast<EventKind>(shape & 0xff);
  if (kind == EventKind::none || static_cast<int>(kind) >= kEventKinds) return false;
  return !is_atomic(kind) || (shape >> 8 & kOrderMask) <= unsigned(MemoryOrder::kSeqCst);
}

inline bool names_thread(EventKind kind) {
  return kind == EventKind::fork || kind == EventKind::join;
}

}  // namespace raddle::trace_codec
