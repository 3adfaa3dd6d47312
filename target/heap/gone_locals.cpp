#include "target/heap/gone_locals.hpp"

#include <string.h>

#include "target/heap/guarded_heap.hpp"

namespace raddle {

GoneLocals g_gone_locals;

namespace {

constexpr std::uint64_t kGranule = 8;
constexpr std::uint64_t kPage = 4096;

std::uint8_t shadow(std::uint64_t address) {
  return *reinterpret_cast<const std::uint8_t*>(address / kGranule);
}

// In the heap's own part of its memory: what is there outlives an execution, in a process that is
// put back.
RaddleLocals& locals() { return *reinterpret_cast<RaddleLocals*>(GuardedHeap::kLocals); }

}  // namespace

RaddleLocals* GoneLocals::start() {
  RaddleLocals& known = locals();
  for (std::uint64_t i = 0; i < known.page_count; ++i) {
    const std::uint64_t page = known.pages[i];
    const std::uint64_t area = page < RADDLE_SHADOW_PAGES ? RADDLE_LAST_AREA : RADDLE_FIBER_AREA;
    const std::uint64_t at = area / kGranule + page % RADDLE_SHADOW_PAGES * kPage;
    memset(reinterpret_cast<void*>(at), 0, kPage);
    known.is_listed[page] = 0;
  }
  known.page_count = 0;
  return &known;
}

std::uint64_t GoneLocals::first_gone(std::uint64_t begin, std::uint64_t bytes) const {
  if (!may_be_on_stack(begin)) return 0;
  const std::uint64_t last = (begin / RADDLE_AREA_SIZE + 1) * RADDLE_AREA_SIZE;
  const std::uint64_t end = bytes < last - begin ? begin + bytes : last;
  for (std::uint64_t at = begin; at < end; at = at / kGranule * kGranule + kGranule)
    if (shadow(at) != 0) return at;
  return 0;
}

const RaddleGoneLocal* GoneLocals::find(std::uint64_t address) const {
  constexpr std::uint64_t kFar = 64 << 10;
  const std::uint64_t granule = address / kGranule * kGranule;
  for (std::uint64_t at = granule; granule - at < kFar && shadow(at) != 0; at -= kGranule) {
    const RaddleGoneLocal& gone = locals().gone[at / kGranule % RADDLE_GONE_LOCALS];
    if (gone.address == at && address - at < gone.bytes) return &gone;
  }
  return nullptr;
}

}  // namespace raddle
