#include "host/explore/frontier.hpp"

#include <algorithm>

namespace raddle {

void DeepestFirst::push(const FrontierItem& item) {
  if (item.step >= by_step_.size()) by_step_.resize(item.step + 1);
  by_step_[item.step].push_back(item);
  deepest_ = std::max<std::size_t>(deepest_, item.step);
}

bool DeepestFirst::pop(FrontierItem& item) {
  if (by_step_.empty()) return false;
  while (by_step_[deepest_].empty()) {
    if (deepest_ == 0) return false;
    --deepest_;
  }
  item = by_step_[deepest_].back();
  by_step_[deepest_].pop_back();
  return true;
}

std::size_t DeepestFirst::bytes() const {
  std::size_t bytes = by_step_.capacity() * sizeof(by_step_.front());
  for (const std::vector<FrontierItem>& items : by_step_)
    bytes += items.capacity() * sizeof(FrontierItem);
  return bytes;
}

bool BreadthFirst::pop(FrontierItem& item) {
  if (queue_.empty()) return false;
  item = queue_.front();
  queue_.pop_front();
  return true;
}

void FewestPreemptions::push(const FrontierItem& item) {
  if (item.preemptions >= by_preemptions_.size()) by_preemptions_.resize(item.preemptions + 1);
  by_preemptions_[item.preemptions].push(item);
}

bool FewestPreemptions::pop(FrontierItem& item) {
  return std::any_of(by_preemptions_.begin(), by_preemptions_.end(),
                     [&](DeepestFirst& frontier) { return frontier.pop(item); });
}

std::size_t FewestPreemptions::bytes() const {
  std::size_t bytes = 0;
  for (const DeepestFirst& frontier : by_preemptions_) bytes += frontier.bytes();
  return bytes;
}

void InRounds::push(const FrontierItem& item) {
  while (item.round >= rounds_.size()) rounds_.push_back(make_());
  rounds_[item.round]->push(item);
}

bool InRounds::pop(FrontierItem& item) {
  return std::any_of(rounds_.begin(), rounds_.end(),
                     [&](const std::unique_ptr<Frontier>& round) { return round->pop(item); });
}

std::size_t InRounds::bytes() const {
  std::size_t bytes = 0;
  for (const std::unique_ptr<Frontier>& round : rounds_) bytes += round->bytes();
  return bytes;
}

}  // namespace raddle
