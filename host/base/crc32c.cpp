#include "host/base/crc32c.hpp"

#include <array>
#include <cstring>

namespace raddle {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1) * kPolynomial;
    table[byte] = crc;
  }
  return table;
}();

#ifdef __x86_64__
// The instruction takes three cycles but one can start in each: three lanes at once, put together
// afterwards. A lane followed by n bytes has the CRC that n zero bytes make of its own, which is
// linear: column i is what becomes of bit i.
constexpr std::size_t kLane = 1024;
using Columns = std::array<std::uint32_t, 32>;

constexpr std::uint32_t product(const Columns& columns, std::uint32_t crc) {
  std::uint32_t result = 0;
  for (const std::uint32_t column : columns) {
    result ^= (0 - (crc & 1)) & column;
    crc >>= 1;
  }
  return result;
}

constexpr Columns kOverLane = [] {
  Columns columns{};
  for (std::uint32_t bit = 0; bit < 32; ++bit) {  // one zero byte
    const std::uint32_t crc = std::uint32_t{1} << bit;
    columns[bit] = crc >> 8 ^ kTable[crc & 0xff];
  }
  for (std::size_t bytes = 1; bytes < kLane; bytes *= 2) {
    Columns twice{};
    for (std::uint32_t bit = 0; bit < 32; ++bit) twice[bit] = product(columns, columns[bit]);
    columns = twice;
  }
  return columns;
}();

std::uint64_t word(const char* from) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

__attribute__((target("sse4.2"))) std::uint32_t by_processor(std::string_view bytes,
                                                             std::uint32_t crc) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * kLane; at += 3 * kLane, left -= 3 * kLane) {
    std::uint64_t first = crc;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < kLane; i += 8) {
      first = __builtin_ia32_crc32di(first, word(at + i));
      second = __builtin_ia32_crc32di(second, word(at + kLane + i));
      third = __builtin_ia32_crc32di(third, word(at + 2 * kLane + i));
    }
    crc =
        product(kOverLane, static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second);
    crc = product(kOverLane, crc) ^ static_cast<std::uint32_t>(third);
  }
  std::uint64_t rest = crc;
  for (; left >= 8; at += 8, left -= 8) rest = __builtin_ia32_crc32di(rest, word(at));
  crc = static_cast<std::uint32_t>(rest);
  for (; left > 0; ++at, --left) {
    crc = __builtin_ia32_crc32qi(crc, static_cast<unsigned char>(*at));
  }
  return crc;
}
#endif

}  // namespace

std::uint32_t crc32c_portable(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~crc;
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#ifdef __x86_64__
  static const bool helps = __builtin_cpu_supports("sse4.2") != 0;
  if (helps) return ~by_processor(bytes, ~before);
#endif
  return crc32c_portable(bytes, before);
}

}  // namespace raddle
