#include "host/replay/confirmed_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace raddle {
namespace {

constexpr std::string_view kPrefix = "confirmed | ";
constexpr std::string_view kBetween = " | ";
constexpr std::uint64_t kMostPattern = 14;
constexpr std::size_t kStepsOfViolation = 3;

struct Word {
  Confirms what;
  std::string_view text;
};
constexpr Word kWords[] = {{Confirms::kRaces, "race"},
                           {Confirms::kAtomicSets, "atomic-set"},
                           {Confirms::kAtomicity, "atomicity"}};

// Nothing if there is anything else among them.
std::optional<std::vector<std::uint64_t>> numbers_in(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kBetween), text.size());
    std::uint64_t number = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + end, number, 16);
    if (error != std::errc() || at != text.data() + end) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(std::min(end + kBetween.size(), text.size()));
  }
  return numbers;
}

std::optional<ConfirmedGroup> group_of(Confirms what, const std::vector<std::uint64_t>& numbers) {
  ConfirmedGroup group{.what = what};
  if (what == Confirms::kAtomicity) {
    if (numbers.size() != kStepsOfViolation) return std::nullopt;
    for (const std::uint64_t number : numbers) group.steps.push_back(Step{number});
    return group;
  }
  if (numbers.size() < 2 || numbers[1] > kMostPattern) return std::nullopt;
  group.place = numbers[0];
  group.pattern = static_cast<int>(numbers[1]);
  group.places.assign(numbers.begin() + 2, numbers.end());
  return group;
}

}  // namespace

std::string confirmed_group_text(const ConfirmedGroup& group) {
  const auto* word = std::find_if(std::begin(kWords), std::end(kWords),
                                  [&](const Word& one) { return one.what == group.what; });
  if (word == std::end(kWords)) return {};
  std::string text = fmt::format("{}{}", kPrefix, word->text);
  if (group.what == Confirms::kAtomicity) {
    if (group.steps.size() != kStepsOfViolation) return {};
    for (const Step step : group.steps) text += fmt::format("{}{:x}", kBetween, raw(step));
    return text;
  }
  text += fmt::format(" | {:016x} | {:x}", group.place, group.pattern);
  for (const std::uint64_t place : group.places) text += fmt::format(" | {:016x}", place);
  return text;
}

std::optional<ConfirmedGroup> parse_confirmed_group(std::string_view text) {
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  for (const Word& word : kWords) {
    if (!text.starts_with(word.text)) continue;
    std::string_view rest = text.substr(word.text.size());
    if (!rest.starts_with(kBetween)) continue;
    rest.remove_prefix(kBetween.size());
    const std::optional<std::vector<std::uint64_t>> numbers = numbers_in(rest);
    return numbers ? group_of(word.what, *numbers) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace raddle
