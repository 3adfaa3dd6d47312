#include "host/report/same_finding.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "host/symbols/place.hpp"

namespace raddle {
namespace {

std::vector<Where> places_of(const Explanation& explanation) {
  std::vector<Where> places;
  for (const ExplainedStep& step : explanation.steps) places.push_back(step.where);
  for (const ExplainedAccess* one : {&explanation.first, &explanation.middle, &explanation.last}) {
    places.push_back(one->where);
  }
  if (explanation.change) places.push_back(explanation.change->where);
  return places;
}

// "connection" of "connection.closed in main", "Gauge #1@main.cpp:56" of
// "Gauge::history_ #1@main.cpp:56".
std::string variable_of(const std::string& name) {
  const std::size_t number = name.find(" #");
  const std::string serial = number == std::string::npos ? "" : name.substr(number);
  std::string base = name.substr(0, std::min(number, name.find(" in ")));
  const std::size_t scope = serial.empty() ? std::string::npos : base.rfind("::");
  if (scope != std::string::npos) base.resize(scope);
  return base.substr(0, base.find_first_of("[+.")) + serial;
}

bool is_access_step(const StoryStep& step) { return is_access(step.kind) || is_atomic(step.kind); }

bool at_one_of(const StoryStep& step, const std::vector<Where>& places) {
  const auto same = [&](const Where& where) {
    return where.line != 0 && std::any_of(places.begin(), places.end(), [&](const Where& place) {
             return place.line == where.line && base_name(place.file) == base_name(where.file);
           });
  };
  return same(step.where) || std::any_of(step.stack.begin(), step.stack.end(), same);
}

// Or the compiler has moved it away from its line.
bool in_one_of(const StoryStep& step, const std::vector<Where>& places) {
  if (step.where.line == 0) return true;
  return std::any_of(places.begin(), places.end(), [&](const Where& place) {
    return !place.function.empty() && place.function == step.where.function;
  });
}

}  // namespace

bool belongs_to(const FindingStory& story, const Explanation& explanation) {
  if (explanation.empty()) return false;
  const std::vector<Where> places = places_of(explanation);
  const std::string variable = variable_of(story.object);
  const bool same_variable =
      !variable.empty() && (variable == variable_of(explanation.object.name) ||
                            variable == variable_of(explanation.other.name));
  bool any = false;
  for (const StoryStep& step : story.steps) {
    if (!is_access_step(step)) continue;
    any = true;
    if (!at_one_of(step, places) && !(same_variable && in_one_of(step, places))) return false;
  }
  return any;
}

bool says_the_same(const Explanation& one, const Explanation& other) {
  const auto facts = [](const Explanation& explanation) {
    return std::tuple(explanation.cause, explanation.object.name, explanation.first.where.file,
                      explanation.first.where.line, explanation.last.where.file,
                      explanation.last.where.line);
  };
  return facts(one) == facts(other);
}

}  // namespace raddle
