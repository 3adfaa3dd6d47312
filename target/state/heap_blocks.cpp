#include "target/state/heap_blocks.hpp"

#include "target/base/base.hpp"
#include "target/base/forgetting.hpp"

namespace raddle {

RADDLE_FORGOTTEN bool g_heap_watched;

namespace {

constexpr std::size_t kChains = 1 << 14;

struct Entry {
  HeapBlock block;
  Entry* next;
};
struct Count {
  std::uint64_t site;
  std::uint64_t allocations;
  Count* next;
};

RADDLE_FORGOTTEN Entry** g_blocks;  // chains by address
RADDLE_FORGOTTEN Count** g_counts;  // chains by site
RADDLE_FORGOTTEN Entry* g_unused;

std::size_t chain_of(std::uint64_t key) {
  return (key * 0x9e3779b97f4a7c15ULL) >> 50;  // the upper 14 bits
}
static_assert(kChains == std::size_t{1} << (64 - 50));

std::uint64_t count_allocation(std::uint64_t site) {
  Count** link = &g_counts[chain_of(site)];
  while (*link != nullptr && (*link)->site != site) link = &(*link)->next;
  if (*link == nullptr) {
    *link = arena_new<Count>();
    (*link)->site = site;
  }
  return ++(*link)->allocations;
}

}  // namespace

void watch_heap() {
  g_blocks = static_cast<Entry**>(arena_allocate(kChains * sizeof(Entry*)));
  g_counts = static_cast<Count**>(arena_allocate(kChains * sizeof(Count*)));
  g_heap_watched = true;
}

void note_block(const void* block, std::size_t bytes, std::uint64_t site) {
  forget_block(block);  // an allocator of the program's own may not tell us everything
  Entry* entry = g_unused;
  if (entry != nullptr) {
    g_unused = entry->next;
  } else {
    entry = arena_new<Entry>();
  }
  auto address = reinterpret_cast<std::uint64_t>(block);
  entry->block = {address, bytes, site, count_allocation(site)};
  Entry*& chain = g_blocks[chain_of(address)];
  entry->next = chain;
  chain = entry;
}

void forget_block(const void* block) {
  auto address = reinterpret_cast<std::uint64_t>(block);
  for (Entry** link = &g_blocks[chain_of(address)]; *link != nullptr; link = &(*link)->next) {
    if ((*link)->block.address != address) continue;
    Entry* entry = *link;
    *link = entry->next;
    entry->next = g_unused;
    g_unused = entry;
    return;
  }
}

const HeapBlock* find_block(std::uint64_t address) {
  if (!g_heap_watched) return nullptr;
  for (std::size_t i = 0; i < kChains; ++i) {
    for (const Entry* entry = g_blocks[i]; entry != nullptr; entry = entry->next) {
      if (address >= entry->block.address && address - entry->block.address < entry->block.bytes)
        return &entry->block;
    }
  }
  return nullptr;
}

}  // namespace raddle
