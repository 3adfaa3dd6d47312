#include "target/code/counter_reads.hpp"

#include <emmintrin.h>

namespace raddle {
namespace {

constexpr unsigned char kEscape = 0x0f;  // 0f 31: rdtsc; 0f 01 f9: rdtscp

bool is_prefix(unsigned char byte) {
  return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
         byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65 ||
         (byte & 0xf0) == 0x40;
}

// The counter is in edx:eax. Either its halves are put together, by a shift of 32 bits not far from
// here; or the next instruction moves one of them to another register.
bool uses_counter(const unsigned char* next, const unsigned char* end) {
  constexpr std::ptrdiff_t kNear = 64;
  const unsigned char* last = end - next > kNear ? next + kNear : end;
  const unsigned char* move = next;
  if (move < last && (*move & 0xf0) == 0x40) ++move;
  // mov %eax, REGISTER or mov %edx, REGISTER
  if (last - move >= 2 && move[0] == 0x89 && ((move[1] & 0xf8) == 0xc0 || (move[1] & 0xf8) == 0xd0))
    return true;
  for (; last - next >= 4; ++next) {
    const bool wide = next[0] == 0x48 || next[0] == 0x49;
    if (wide && next[1] == 0xc1 && (next[2] & 0xf8) == 0xe0 && next[3] == 32) return true;
  }
  return false;
}

bool reads_counter(const unsigned char* at, const unsigned char* end) {
  if (at[1] == 0x31) return uses_counter(at + 2, end);
  return end - at >= 3 && at[1] == 0x01 && at[2] == 0xf9 && uses_counter(at + 3, end);
}

}  // namespace

CounterRead counter_read_at(std::uint64_t pc) {
  constexpr std::uint64_t kEndOfUserSpace = std::uint64_t{1} << 47;
  constexpr int kMostPrefixes = 8;
  if (pc >= kEndOfUserSpace) return {};
  const auto* code = reinterpret_cast<const unsigned char*>(pc);
  int length = 0;
  while (length < kMostPrefixes && is_prefix(code[length])) ++length;
  code += length;
  if (code[0] != kEscape) return {};
  if (code[1] == 0x31) return {length + 2, false};
  if (code[1] == 0x01 && code[2] == 0xf9) return {length + 3, true};
  return {};
}

bool may_read_counter(const unsigned char* code, std::size_t size) {
  const unsigned char* end = code + size;
  const unsigned char* at = code;
  const __m128i escape = _mm_set1_epi8(kEscape);
  const __m128i counter = _mm_set1_epi8(0x31);
  const __m128i counter_and_cpu = _mm_set1_epi8(0x01);
  for (; end - at > 16; at += 16) {
    const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 1));
    const __m128i second =
        _mm_or_si128(_mm_cmpeq_epi8(next, counter), _mm_cmpeq_epi8(next, counter_and_cpu));
    auto hits = unsigned(_mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(here, escape), second)));
    for (; hits != 0; hits &= hits - 1)
      if (reads_counter(at + __builtin_ctz(hits), end)) return true;
  }
  for (; end - at >= 2; ++at)
    if (*at == kEscape && reads_counter(at, end)) return true;
  return false;
}

}  // namespace raddle
