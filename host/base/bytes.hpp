// Little-endian numbers, varints and texts in the blocks of a trace file.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace raddle {

template <class Integer>
void put_fixed(std::string* out, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out->push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
}

inline void put_varint(std::string* out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

inline void put_text(std::string* out, std::string_view text) {
  put_varint(out, text.size());
  out->append(text);
}

// Takes values from the front. Once one is not there, or is out of range, all later ones are 0 and
// ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  template <class Integer>
  Integer fixed() {
    const std::string_view bytes = take(sizeof(Integer));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return static_cast<Integer>(value);
  }

  template <class Integer = std::uint64_t>
  Integer varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty() && ok_; shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if (value > std::numeric_limits<Integer>::max()) break;
      return static_cast<Integer>(value);
    }
    fail();
    return 0;
  }

  std::string_view take(std::size_t bytes) {
    if (!ok_ || rest_.size() < bytes) {
      fail();
      return {};
    }
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  std::string text() { return std::string(take(varint<std::size_t>())); }
  void fail() { ok_ = false; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace raddle
