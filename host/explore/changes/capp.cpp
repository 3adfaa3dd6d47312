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

bool looks_at_stacks(const Heuristic& heuristic) { return on_stack(heuristic.match); }

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
  if (matches_at(execution.pending[index].site)) return true;
  if (!on_stack(match_) || index >= execution.stack_of.size()) return false;
  const std::uint32_t stack = execution.stack_of[index];
  if (stack >= stacks_.size()) return false;
  if (stacks_[stack] == 0) {
    const EnabledStack& frames = execution.stacks[stack];
    const auto end = frames.pc + std::min<std::size_t>(frames.frames, kMaxStepFrames);
    const bool found =
        std::any_of(frames.pc, end, [&](std::uint64_t pc) { return matches_at(pc); });
    stacks_[stack] = found ? 2 : 1;
  }
  return stacks_[stack] == 2;
}

bool CappExecutor::matches_at(std::uint64_t address) {
  if (address == 0) return false;
  const auto known = known_.find(address);
  if (known != known_.end()) return known->second;
  const bool found = place_matches(look_(address));
  known_.emplace(address, found);
  return found;
}

// Where the program counter is: the innermost frame of the program's own. A stack has all of them.
bool CappExecutor::place_matches(const Site& site) const {
  if (match_ == MatchMode::kField) {
    const std::string field = field_name(site);
    return !field.empty() && points_.fields.contains(field);
  }
  for (const SiteFrame& frame : site.frames) {
    if (!is_own(frame)) continue;
    std::error_code error;
    bool found = false;
    switch (match_) {
      case MatchMode::kClass:
      case MatchMode::kClassOnStack: {
        const std::string cls = class_of_function(frame.function);
        found = !cls.empty() && points_.classes.contains(cls);
        break;
      }
      case MatchMode::kMethod:
      case MatchMode::kMethodOnStack:
        found = points_.functions.contains(frame.function);
        break;
      case MatchMode::kLine:
      case MatchMode::kLineOnStack:
        found = points_.lines.contains(
            {std::filesystem::weakly_canonical(frame.file, error).string(), frame.line});
        break;
      case MatchMode::kField:
        break;
    }
    if (found) return true;
    if (!on_stack(match_)) return false;
  }
  return false;
}

}  // namespace raddle
