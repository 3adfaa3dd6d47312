// Findings of one detector while they are collected: one per place, the later ones only counted, so
// that a place met a million times costs a million increments and one description.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/analysis/model/finding.hpp"

namespace raddle {

class FindingSet {
 public:
  // Counts one or more at a place that is known already; false for a new one, which is to be added.
  bool count(std::uint64_t place, std::uint64_t times = 1) {
    const auto found = places_.find(place);
    if (found == places_.end()) return false;
    findings_[found->second].count += times;
    return true;
  }
  void add(Finding finding) {  // finding.place is new
    places_.emplace(finding.place, findings_.size());
    findings_.push_back(std::move(finding));
  }
  // In the order in which they were met.
  std::vector<Finding> take() {
    places_.clear();
    return std::exchange(findings_, {});
  }

 private:
  std::vector<Finding> findings_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
};

}  // namespace raddle
