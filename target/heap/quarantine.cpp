#include "target/heap/quarantine.hpp"

#include <string.h>

#include "protocol/freed_word.hpp"

namespace raddle {

Quarantine g_quarantine;
bool g_frees_kept;

// What it holds tells at once of nearly every block that it is not here.
bool Quarantine::has(const void* block, std::size_t bytes) const {
  if (memcmp(block, &kFreedWord, bytes < sizeof kFreedWord ? bytes : sizeof kFreedWord) != 0)
    return false;
  for (std::uint32_t i = 0; i < count_; ++i)
    if (blocks_[(first_ + i) % kMostBlocks].block == block) return true;
  return false;
}

bool Quarantine::covers(const void* address) const {
  if (memcmp(address, &kFreedWord, sizeof kFreedWord) != 0) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Kept& kept = blocks_[(first_ + i) % kMostBlocks];
    if (at - reinterpret_cast<std::uintptr_t>(kept.block) < kept.bytes) return true;
  }
  return false;
}

bool Quarantine::take(void* block, std::size_t bytes) {
  if (has(block, bytes)) return false;
  char* at = static_cast<char*>(block);
  std::size_t left = bytes;
  for (; left >= sizeof kFreedWord; left -= sizeof kFreedWord, at += sizeof kFreedWord)
    memcpy(at, &kFreedWord, sizeof kFreedWord);
  memcpy(at, &kFreedWord, left);
  blocks_[(first_ + count_++) % kMostBlocks] = {block, bytes};
  bytes_ += bytes;
  return true;
}

// Room for one more is left, too.
void* Quarantine::next_to_free() {
  if (bytes_ <= kMostBytes && count_ < kMostBlocks) return nullptr;
  const Kept& oldest = blocks_[first_];
  first_ = (first_ + 1) % kMostBlocks;
  --count_;
  bytes_ -= oldest.bytes;
  return oldest.block;
}

}  // namespace raddle
