// Shadow memory: what a detector keeps for every byte of the program that was touched. Accesses may
// have any size and overlap in any way; each byte has its own history, and bytes that were always
// accessed together share one cell.
//
// Eight bytes are a granule. A granule begins as one segment with one cell; an access to a part of
// it splits the segment at the access's ends, and both parts go on with a copy of the cell. Pages
// of 64 granules are found by hashing, with the last one remembered. An access that is as wide as
// those before it, the usual case, is one lookup and one cell.
//
// `Cell` is default-constructed for memory that nobody has touched. `Owner` says what copying and
// dropping a cell means, for cells that refer to something:
//   Cell clone(const Cell&);   a segment is split
//   void drop(Cell&);          the memory is forgotten
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "host/base/intern.hpp"

namespace raddle {

template <class Cell, class Owner>
class ShadowMap {
 public:
  explicit ShadowMap(Owner& owner) : owner_(owner), slots_(64) {}

  // Calls visit(Cell&, first address, bytes) for each segment of [address, address + bytes), after
  // splitting at its ends. The cell must not be kept.
  template <class Visit>
  void access(std::uint64_t address, std::uint64_t bytes, Visit&& visit) {
    const std::uint64_t last = last_of(address, bytes);
    for (std::uint64_t at = address;;) {
      const std::uint64_t granule = at & ~kInGranule;
      const unsigned from = static_cast<unsigned>(at & kInGranule);
      const unsigned to = static_cast<unsigned>(std::min<std::uint64_t>(7, last - granule));
      Page& page = touch(granule / kPageBytes);
      const std::size_t index = granule / 8 % kGranules;
      cut(page, index, from);
      cut(page, index, to + 1);
      const std::uint8_t starts = page.starts[index];
      if (starts == 1) {
        visit(page.cells[index], granule, 8U);
      } else {
        for (unsigned byte = from; byte <= to;) {
          const unsigned next = next_start(starts, byte);
          visit(cell(page, index, byte), granule + byte, next - byte);
          byte = next;
        }
      }
      if (last - granule <= 7) return;
      at = granule + 8;
    }
  }

  // The same for what was touched before.
  template <class Visit>
  void each(std::uint64_t address, std::uint64_t bytes, Visit&& visit) {
    each_page(address, bytes,
              [&](Page& page, std::uint64_t last) { each_in(page, address, last, visit); });
  }

  // Nothing is known any more of [address, address + bytes). Costs no more than there is shadow.
  void forget(std::uint64_t address, std::uint64_t bytes) {
    each_page(address, bytes,
              [&](Page& page, std::uint64_t last) { forget_in(page, address, last); });
  }

  std::size_t pages() const { return pages_.size(); }

 private:
  static constexpr std::uint64_t kInGranule = 7;
  static constexpr std::size_t kGranules = 64;
  static constexpr std::uint64_t kPageBytes = kGranules * 8;
  static constexpr std::uint8_t kHalves = 0b0001'0001;  // segments begin at bytes 0 and 4

  struct Page {
    std::uint64_t number = 0;
    std::array<std::uint8_t, kGranules> starts{};  // bit i: a segment begins at byte i
    std::array<Cell, kGranules> cells{};           // of the segment at byte 0
    // Of the other segments: one cell, at byte 4, while there is no finer split; else seven.
    std::array<std::unique_ptr<Cell[]>, kGranules> more{};
  };

  static std::uint64_t last_of(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - address;
    return address + std::min(std::max<std::uint64_t>(bytes, 1) - 1, room);
  }

  static unsigned next_start(std::uint8_t starts, unsigned byte) {
    const unsigned above = static_cast<unsigned>(starts) >> (byte + 1);
    return above == 0 ? 8 : byte + 1 + static_cast<unsigned>(std::countr_zero(above));
  }

  Cell& cell(Page& page, std::size_t index, unsigned byte) {
    if (byte == 0) return page.cells[index];
    return page.more[index][page.starts[index] == kHalves ? 0 : byte - 1];
  }

  // A segment begins at `byte` from now on.
  void cut(Page& page, std::size_t index, unsigned byte) {
    if (byte > 7 || (page.starts[index] >> byte & 1) != 0) return;
    const std::uint8_t old = page.starts[index];
    const auto now = static_cast<std::uint8_t>(old | 1U << byte);
    if (now == kHalves) {
      page.more[index] = std::make_unique<Cell[]>(1);
    } else if (old == 1 || old == kHalves) {
      auto seven = std::make_unique<Cell[]>(7);
      if (old == kHalves) seven[3] = page.more[index][0];
      page.more[index] = std::move(seven);
    }
    unsigned before = byte - 1;
    while ((old >> before & 1) == 0) --before;
    page.starts[index] = now;
    cell(page, index, byte) = owner_.clone(cell(page, index, before));
  }

  // Those that exist: visit(Page&, last address). Costs no more than there is shadow.
  template <class Visit>
  void each_page(std::uint64_t address, std::uint64_t bytes, Visit&& visit) {
    if (bytes == 0) return;
    const std::uint64_t last = last_of(address, bytes);
    const std::uint64_t first_page = address / kPageBytes, last_page = last / kPageBytes;
    if (last_page - first_page >= pages_.size()) {
      for (const std::unique_ptr<Page>& page : pages_)
        if (page->number >= first_page && page->number <= last_page) visit(*page, last);
      return;
    }
    for (std::uint64_t number = first_page;; ++number) {
      if (Page* page = find(number)) visit(*page, last);
      if (number == last_page) return;
    }
  }

  // The part of [address, last] that is in the page, after splitting at its ends.
  template <class Visit>
  void each_in(Page& page, std::uint64_t address, std::uint64_t last, Visit&& visit) {
    const std::uint64_t base = page.number * kPageBytes;
    const std::uint64_t from = std::max(address, base) - base;
    const std::uint64_t to = std::min(last, base + kPageBytes - 1) - base;
    for (std::size_t index = from / 8; index <= to / 8; ++index) {
      const unsigned begin = index == from / 8 ? static_cast<unsigned>(from & kInGranule) : 0;
      const unsigned end = index == to / 8 ? static_cast<unsigned>(to & kInGranule) : 7;
      cut(page, index, begin);
      cut(page, index, end + 1);
      for (unsigned byte = begin; byte <= end;) {
        const unsigned next = next_start(page.starts[index], byte);
        visit(cell(page, index, byte), base + index * 8 + byte, next - byte);
        byte = next;
      }
    }
  }

  void forget_in(Page& page, std::uint64_t address, std::uint64_t last) {
    each_in(page, address, last, [&](Cell& one, std::uint64_t, unsigned) {
      owner_.drop(one);
      one = Cell{};
    });
    const std::uint64_t base = page.number * kPageBytes;
    const std::uint64_t begin = std::max(address, base) - base;
    const std::uint64_t end = std::min(last, base + kPageBytes - 1) - base + 1;
    for (std::size_t index = (begin + 7) / 8; index < end / 8; ++index) {
      page.starts[index] = 1;
      page.more[index].reset();
    }
  }

  Page* find(std::uint64_t number) {
    if (last_ != nullptr && last_->number == number) return last_;
    for (std::size_t at = mix(number) & (slots_.size() - 1); slots_[at] != nullptr;
         at = (at + 1) & (slots_.size() - 1))
      if (slots_[at]->number == number) return last_ = slots_[at];
    return nullptr;
  }

  Page& touch(std::uint64_t number) {
    if (Page* page = find(number)) return *page;
    auto page = std::make_unique<Page>();
    page->number = number;
    page->starts.fill(1);
    pages_.push_back(std::move(page));
    if (pages_.size() * 2 > slots_.size()) {
      slots_.assign(slots_.size() * 2, nullptr);
      for (const std::unique_ptr<Page>& old : pages_) place(old.get());
    } else {
      place(pages_.back().get());
    }
    return *(last_ = pages_.back().get());
  }

  void place(Page* page) {
    std::size_t at = mix(page->number) & (slots_.size() - 1);
    while (slots_[at] != nullptr) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = page;
  }

  Owner& owner_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<Page*> slots_;  // a power of two, at most half full
  Page* last_ = nullptr;
};

}  // namespace raddle
