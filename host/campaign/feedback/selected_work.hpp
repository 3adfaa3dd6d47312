// What the strategy `surw` is told (target/strategy/surw.cpp): how many events each thread has, of
// all or of those on one kind of object, as one earlier execution had them. Which kind is drawn for
// each execution: a bug is most often about one variable or lock, and then nothing else should take
// part in the draw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/campaign/feedback/observation.hpp"
#include "protocol/aim.hpp"

namespace raddle {

class SelectedWork {
 public:
  // The first execution that is not empty counts; later ones change nothing.
  void learn(std::span<const StepRecord> log, const Observation& shown);

  // For the plan with this seed.
  std::vector<AimSite> aims_of(std::uint64_t seed) const;

  std::size_t selections() const { return selections_.size(); }

 private:
  std::vector<std::vector<AimSite>> selections_;  // the first is of all events
};

}  // namespace raddle
