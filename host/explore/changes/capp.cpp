#include "host/explore/changes/capp.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace raddle {
namespace {

struct Named {
  const char* name;
  MatchMode match;
};
constexpr std::array<Named, 7> kModes = {{{"C", MatchMode::kClass},
                                          {"CO", MatchMode::kClassOnStack},
                                          {"M", MatchMode::kMethod},
                                          {"MO", MatchMode::kMethodOnStack},
                                          {"L", MatchMode::kLine},
                                          {"LO", MatchMode::kLineOnStack},
                                          {"F", MatchMode::kField}}};

bool on_stack(MatchMode match) {
  switch (match) {
    case MatchMode::kClassOnStack:
    case MatchMode::kMethodOnStack:
    case MatchMode::kLineOnStack:
      return true;
    case MatchMode::kClass:
    case MatchMode::kMethod:
    case MatchMode::kLine:
    case MatchMode::kField:
      return false;
  }
  return false;
}

bool is_own(const SiteFrame& frame) {
  return !frame.file.empty() && !frame.file.starts_with("/usr/");
}

}  // namespace

std::optional<Heuristic> heuristic_named(std::string_view name) {
  if (name.empty()) return std::nullopt;
  const char last = name.back();
  name.remove_suffix(1);
  if (last != 'A' && last != 'S') return std::nullopt;
  for (const Named& mode : kModes) {
    if (name == mode.name)
      return Heuristic{mode.match, last == 'A' ? Priority::kAllThreads : Priority::kSomeThreads};
  }
  return std::nullopt;
}

std::vector<std::string> heuristic_names() {
  std::vector<std::string> names;
  for (const char* priority : {"A", "S"}) {
    for (const Named& mode : kModes) names.push_back(std::string(mode.name) + priority);
  }
  return names;
}

CappExecutor::CappExecutor(Executor& base, ImpactedPoints points, MatchMode match, Look look)
    : base_(base), points_(std::move(points)), match_(match), look_(std::move(look)) {}

const Explored* CappExecutor::execute(const ExecutionRequest& request) {
  const Explored* execution = base_.execute(request);
  if (execution == nullptr) return nullptr;
  explored_ = *execution;
  marks_.assign(explored_.pending.size(), 0);
  stacks_.assign(explored_.stacks.size(), 0);
  for (std::size_t i = 0; i < marks_.size(); ++i) marks_[i] = matches(*execution, i) ? 1 : 0;
  explored_.marks = marks_;
  return &explored_;
}

bool CappExecutor::matches(const Explored& execution, std::size_t index) {
  const Pending& pending = execution.pending[index];
  const Place place = place_at(pending.site);
  bool found = place == Place::kMatches;
  if (match_ == MatchMode::kField && place == Place::kOther)
    found = points_.inside.contains(touched_address(pending));
  const bool goes_by_stack = match_ != MatchMode::kField && place != Place::kMatches &&
                             (on_stack(match_) || place == Place::kOther);
  if (goes_by_stack && index < execution.stack_of.size()) {
    const std::uint32_t stack = execution.stack_of[index];
    if (stack < stacks_.size()) {
      if (stacks_[stack] == 0) stacks_[stack] = stack_matches(execution.stacks[stack]) ? 2 : 1;
      found = stacks_[stack] == 2;
    }
  }
  has_matched_ = has_matched_ || found;
  return found;
}

// Anywhere, or in the innermost frame of the program's own.
bool CappExecutor::stack_matches(const EnabledStack& stack) {
  for (std::size_t i = 0; i < std::min<std::size_t>(stack.frames, kMaxStepFrames); ++i) {
    const Place place = place_at(stack.pc[i]);
    if (place == Place::kMatches) return true;
    if (place == Place::kOwn && !on_stack(match_)) return false;
  }
  return false;
}

CappExecutor::Place CappExecutor::place_at(std::uint64_t address) {
  if (address == 0) return Place::kOther;
  const auto known = known_.find(address);
  if (known != known_.end()) return known->second;
  const Place place = place_of(look_(address));
  known_.emplace(address, place);
  return place;
}

// Where the program counter is: the innermost frame of the program's own, whatever was inlined
// into what. A stack has all of them.
CappExecutor::Place CappExecutor::place_of(const Site& site) const {
  if (match_ == MatchMode::kField) {
    if (is_of_library(site)) return Place::kOther;
    const std::string field = field_name(site);
    return !field.empty() && points_.fields.contains(field) ? Place::kMatches : Place::kOwn;
  }
  Place place = Place::kOther;
  for (const SiteFrame& frame : site.frames) {
    if (!is_own(frame)) continue;
    if (frame_matches(frame)) return Place::kMatches;
    place = Place::kOwn;
    if (!on_stack(match_)) break;
  }
  return place;
}

bool CappExecutor::frame_matches(const SiteFrame& frame) const {
  std::error_code error;
  switch (match_) {
    case MatchMode::kClass:
    case MatchMode::kClassOnStack: {
      const std::string cls = class_of_function(frame.function);
      return !cls.empty() && points_.classes.contains(cls);
    }
    case MatchMode::kMethod:
    case MatchMode::kMethodOnStack:
      return points_.functions.contains(frame.function);
    case MatchMode::kLine:
    case MatchMode::kLineOnStack:
      return points_.lines.contains(
          {std::filesystem::weakly_canonical(frame.file, error).string(), frame.line});
    case MatchMode::kField:
      break;
  }
  return false;
}

}  // namespace raddle
