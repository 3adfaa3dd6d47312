#include "host/analysis/filter/suppressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "host/base/text_file.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Object names have `#2' in them, so a comment after an entry needs blanks on both sides.
std::string_view without_comment(std::string_view line) {
  if (line.starts_with('#')) return {};
  for (std::size_t at = 1; at < line.size(); ++at) {
    const bool after = at + 1 == line.size() || is_blank(line[at + 1]);
    if (line[at] != '#' || !is_blank(line[at - 1]) || !after) continue;
    line = line.substr(0, at);
    return line.substr(0, line.find_last_not_of(" \t") + 1);
  }
  return line;
}

std::string kind_list() {
  std::string list;
  for (const FindingKindEntry& kind : finding_kinds())
    list += (list.empty() ? "" : ", ") + std::string(kind.name);
  return list;
}

// "withdraw" is Account::withdraw too.
bool names_function(std::string_view pattern, std::string_view function) {
  if (function.empty()) return false;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    if (glob_matches(pattern, function.substr(at))) return true;
    at = function.find("::", at);
    if (at != std::string_view::npos) at += 2;
  }
  return false;
}

bool names_object(std::string_view pattern, std::string_view object) {
  if (object.empty()) return false;
  if (glob_matches(pattern, object)) return true;
  // "Account::balance_ #2@bank.cpp:40", "done in main"
  for (const std::string_view tail : {" #", " in ", " of "}) {
    const std::size_t at = object.find(tail);
    if (at != std::string_view::npos && glob_matches(pattern, object.substr(0, at))) return true;
  }
  return false;
}

// Some frame of some step passes the test: inlined ones, the function itself, its callers.
template <class Test>
bool any_frame(const Finding& finding, const ExecutionState& state, Test test) {
  const auto in_site = [&](SiteId id) {
    const std::vector<SiteFrame>& frames = state.site(id).frames;
    return std::any_of(frames.begin(), frames.end(), test);
  };
  return std::any_of(finding.steps.begin(), finding.steps.end(), [&](const FindingStep& step) {
    return in_site(step.event.site) || std::any_of(step.stack.begin(), step.stack.end(), in_site);
  });
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  // Where to go on when what follows the latest `*' does not match: it then takes one more.
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  std::size_t p = 0;
  std::size_t t = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<Suppressions::Entry> Suppressions::parse_entry(std::string_view line) {
  Entry entry;
  entry.text = line;
  const std::size_t blank = line.find_first_of(" \t");
  const std::string_view first = line.substr(0, blank);
  if (blank != std::string_view::npos && first.find(':') == std::string_view::npos) {
    const std::optional<FindingKind> kind = find_finding_kind(first);
    if (!kind) {
      return Error{
          fmt::format("{} is no kind of finding; there are: {}", in_quotes(first), kind_list())};
    }
    entry.kind = kind;
    line.remove_prefix(line.find_first_not_of(" \t", blank));
  }
  const std::size_t colon = line.find(':');
  const std::string_view key = line.substr(0, colon);
  if (colon == std::string_view::npos ||
      (key != "function" && key != "file" && key != "object" && key != "id")) {
    return Error{fmt::format("expected function:NAME, file:GLOB, object:GLOB or id:HEX, found {}",
                             in_quotes(line))};
  }
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  if (value.empty()) return Error{fmt::format("nothing after {}", in_quotes(line))};
  entry.by = key == "function" ? By::kFunction
             : key == "file"   ? By::kFile
             : key == "object" ? By::kObject
                               : By::kId;
  entry.pattern = value;
  if (entry.by == By::kId) {
    const auto [rest, error] =
        std::from_chars(value.data(), value.data() + value.size(), entry.id, 16);
    if (error != std::errc() || rest != value.data() + value.size())
      return Error{fmt::format("expected up to 16 hexadecimal digits, found {}", in_quotes(value))};
  }
  return entry;
}

Result<Suppressions> Suppressions::parse(std::string_view text, const std::string& name) {
  Suppressions made;
  made.name_ = name;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = without_comment(take_line(text));
    if (line.empty()) continue;
    Result<Entry> entry = parse_entry(line);
    if (!entry) return Error{fmt::format("{}:{}: {}", name, number, entry.error())};
    entry->line = number;
    made.entries_.push_back(std::move(*entry));
  }
  return made;
}

Result<Suppressions> Suppressions::read(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return Error{text.error()};
  return parse(*text, path);
}

bool Suppressions::matches(const Entry& entry, const Finding& finding,
                           const ExecutionState& state) {
  if (entry.kind && *entry.kind != finding.kind) return false;
  const std::string& pattern = entry.pattern;
  switch (entry.by) {
    case By::kFunction:
      return any_frame(finding, state, [&](const SiteFrame& frame) {
        return names_function(pattern, frame.function) ||
               names_function(pattern, without_long_arguments(frame.function));
      });
    case By::kFile:
      return any_frame(finding, state, [&](const SiteFrame& frame) {
        return !frame.file.empty() &&
               (glob_matches(pattern, frame.file) || glob_matches(pattern, base_name(frame.file)));
      });
    case By::kObject:
      return names_object(pattern, finding.object) ||
             std::any_of(finding.steps.begin(), finding.steps.end(), [&](const FindingStep& step) {
               return names_object(pattern, step.object);
             });
    case By::kId:
      return entry.id == finding.place;
  }
  return false;
}

bool Suppressions::cover(const Finding& finding, const ExecutionState& state) {
  bool covered = false;
  for (Entry& entry : entries_) {
    if (!matches(entry, finding, state)) continue;
    entry.used = true;
    covered = true;
  }
  return covered;
}

std::vector<std::string> Suppressions::unused() const {
  std::vector<std::string> texts;
  for (const Entry& entry : entries_)
    if (!entry.used)
      texts.push_back(fmt::format("{} ({}:{})", in_quotes(entry.text), name_, entry.line));
  return texts;
}

}  // namespace raddle
