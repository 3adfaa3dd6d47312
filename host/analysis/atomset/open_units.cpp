#include "host/analysis/atomset/open_units.hpp"

#include <utility>

namespace raddle {

void OpenUnits::add(OpenUnit unit) {
  if (unit.frame == OpenUnit::kRegion) {
    ++regions_;
  } else {
    if (unit.frame >= in_frame_.size()) in_frame_.resize(unit.frame + std::size_t{1});
    ++in_frame_[unit.frame];
  }
  if (unit.joint) ++joints_;
  if (indexed_) by_set_[unit.set].push_back(static_cast<std::uint32_t>(list_.size()));
  list_.push_back(std::move(unit));
}

void OpenUnits::erase(OpenUnit& unit) {
  const auto at = &unit - list_.data();
  forget(unit);
  if (static_cast<std::size_t>(at) + 1 == list_.size()) {
    drop_last_place(unit.set);
  } else {
    drop_index();
  }
  list_.erase(list_.begin() + at);
}

void OpenUnits::forget(const OpenUnit& unit) {
  if (unit.frame == OpenUnit::kRegion) {
    --regions_;
  } else {
    --in_frame_[unit.frame];
    while (!in_frame_.empty() && in_frame_.back() == 0) in_frame_.pop_back();
  }
  if (unit.joint) --joints_;
}

void OpenUnits::index() {
  for (std::size_t i = 0; i < list_.size(); ++i)
    by_set_[list_[i].set].push_back(static_cast<std::uint32_t>(i));
  indexed_ = true;
}

void OpenUnits::drop_index() {
  if (!indexed_) return;
  by_set_ = {};
  indexed_ = false;
}

void OpenUnits::drop_last_place(SetNumber set) {
  if (!indexed_) return;
  std::vector<std::uint32_t>* places = by_set_.find(set);
  places->pop_back();
  if (places->empty()) by_set_.erase(set);
}

}  // namespace raddle
