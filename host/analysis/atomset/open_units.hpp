// The units of work of one thread that are open: on which sets, and of which of its calls. A
// function that goes through a list of objects may have as many open as the list has elements, so
// nothing here takes longer the more of them there are, but for those that end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/analysis/atomset/engine.hpp"
#include "host/base/word_map.hpp"

namespace raddle {

struct OpenUnit {
  static constexpr std::uint32_t kRegion = 0xffff'ffff;

  SetNumber set = 0;
  std::uint32_t frame = 0;  // index of the call, or kRegion: as long as a lock is held
  AtomicSetEngine::UnitNumber number = 0;
  // Joint units: `frame` makes the calls, of which this is the last, from these places so far.
  bool joint = false;
  std::uint64_t call = 0;
  std::vector<std::uint64_t> places;
};

class OpenUnits {
 public:
  void add(OpenUnit unit);

  // The oldest unit on the set of which `is_it` is true; null if there is none. Valid until the
  // next change.
  template <class IsIt>
  OpenUnit* find(SetNumber set, IsIt is_it) {
    if (list_.size() <= kFew) {
      for (OpenUnit& unit : list_)
        if (unit.set == set && is_it(unit)) return &unit;
      return nullptr;
    }
    if (!indexed_) index();
    const std::vector<std::uint32_t>* places = by_set_.find(set);
    if (places == nullptr) return nullptr;
    for (const std::uint32_t place : *places)
      if (is_it(list_[place])) return &list_[place];
    return nullptr;
  }

  void erase(OpenUnit& unit);

  // Each calls `ended` with the units that it removes, the oldest first.
  // Those of this call and of what it called; regions only with the outermost one.
  template <class Ended>
  void end_from(std::uint32_t frame, Ended ended) {
    std::size_t count = frame == 0 ? regions_ : 0;
    for (std::size_t i = frame; i < in_frame_.size(); ++i) count += in_frame_[i];
    end(count, ended, [frame](const OpenUnit& unit) {
      return unit.frame == OpenUnit::kRegion ? frame == 0 : unit.frame >= frame;
    });
  }
  template <class Ended>
  void end_regions(Ended ended) {
    end(regions_, ended, [](const OpenUnit& unit) { return unit.frame == OpenUnit::kRegion; });
  }
  template <class Ended>
  void end_joint(Ended ended) {
    end(joints_, ended, [](const OpenUnit& unit) { return unit.joint; });
  }

 private:
  // More than these have an index.
  static constexpr std::size_t kFew = 16;

  // `count` units are to be removed. They are mostly the last ones, so only the end of the list is
  // gone through.
  template <class Ended, class Ends>
  void end(std::size_t count, Ended& ended, Ends ends) {
    if (count == 0) return;
    std::size_t from = list_.size();
    for (std::size_t left = count; left > 0; --from)
      if (ends(list_[from - 1])) --left;
    const bool last_ones = list_.size() - from == count;
    std::size_t to = from;
    for (std::size_t i = from; i < list_.size(); ++i) {
      if (ends(list_[i])) {
        ended(list_[i]);
        forget(list_[i]);
      } else {
        if (to != i) list_[to] = std::move(list_[i]);
        ++to;
      }
    }
    if (last_ones) {
      for (std::size_t i = list_.size(); i > to; --i) drop_last_place(list_[i - 1].set);
    } else {
      drop_index();
    }
    list_.resize(to);
  }

  void forget(const OpenUnit& unit);
  void index();
  void drop_index();
  // Of the last unit of the list.
  void drop_last_place(SetNumber set);

  std::vector<OpenUnit> list_;                  // in the order in which they were opened
  std::vector<std::uint32_t> in_frame_;         // how many, by frame; the last one is not 0
  std::size_t regions_ = 0, joints_ = 0;        // how many
  bool indexed_ = false;                        // by_set_ is true
  WordMap<std::vector<std::uint32_t>> by_set_;  // places in list_, ascending
};

}  // namespace raddle
