#include "host/report/trace_filter.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "host/describe/op_classes.hpp"
#include "host/report/words/event_words.hpp"

namespace raddle {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || rest != text.data() + text.size()) return {};
  return value;
}

bool is_thread(ThreadId id, const std::string& wanted, const ObjectNames& names) {
  const std::string_view digits =
      !wanted.empty() && wanted[0] == 'T' ? std::string_view(wanted).substr(1) : wanted;
  if (const std::optional<std::uint64_t> given = number(digits, 10)) return *given == raw(id);
  return has_words(names.thread_name(id), wanted);
}

bool is_object(const Event& event, const std::string& wanted, const ObjectNames& names) {
  if (event.kind == EventKind::decision) return false;
  if (wanted.rfind("0x", 0) == 0 &&
      number(std::string_view(wanted).substr(2), 16) == event.object) {
    return true;
  }
  return has_words(names.name(event, NameForm::kLong), wanted) ||
         has_words(names.name(event, NameForm::kShort), wanted);
}

template <class Wanted, class Test>
bool any_or_none(const std::vector<Wanted>& wanted, Test test) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), test);
}

bool says_little(const Event& event, const ObjectNames& names) {
  if (event.kind == EventKind::decision) return is_shown_by_event(event);
  if (event.kind != EventKind::enter && event.kind != EventKind::exit) return false;
  const SiteName& site = names.sites()[event.site];
  return !site.in_program && !site.place.empty();
}

std::string kind_key(std::string_view text) {
  std::string key;
  for (char c : text) key += c == '-' || c == '_' ? ' ' : c;
  return key;
}

}  // namespace

bool has_words(std::string_view name, std::string_view words) {
  if (words.empty()) return false;
  for (std::size_t at = 0; (at = name.find(words, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + words.size();
    const bool begins = at == 0 || !is_word(words.front()) || !is_word(name[at - 1]);
    const bool ends = end == name.size() || !is_word(words.back()) || !is_word(name[end]);
    if (begins && ends) return true;
  }
  return false;
}

bool names_function(std::string_view function, const std::string& pattern) {
  if (function.empty() || pattern.empty()) return false;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::string part(function.substr(at));
    if (part == pattern || fnmatch(pattern.c_str(), part.c_str(), 0) == 0) return true;
    at = function.find("::", at);
    if (at != std::string_view::npos) at += 2;
  }
  return false;
}

bool TraceFilter::is_narrow() const {
  return !threads.empty() || !objects.empty() || !functions.empty() || !kinds.empty() ||
         first_step != 0 || last_step != std::numeric_limits<std::uint64_t>::max();
}

bool TraceFilter::wants(const Event& event, const ObjectNames& names) const {
  if (event.step < first_step || event.step > last_step) return false;
  const bool asked = std::find(kinds.begin(), kinds.end(), event.kind) != kinds.end();
  if (!kinds.empty() && !asked) return false;
  if (!all && !asked && says_little(event, names)) return false;
  return any_or_none(threads,
                     [&](const std::string& w) { return is_thread(event.thread, w, names); }) &&
         any_or_none(functions,
                     [&](const std::string& w) {
                       return names_function(names.sites()[event.site].function, w);
                     }) &&
         any_or_none(objects, [&](const std::string& w) { return is_object(event, w, names); });
}

Result<bool> parse_steps(const std::string& text, TraceFilter& filter) {
  const std::size_t dots = text.find("..");
  const std::string_view all = text;
  const std::string_view low = all.substr(0, dots);
  const std::string_view high = dots == std::string::npos ? low : all.substr(dots + 2);
  const std::optional<std::uint64_t> first = low.empty() ? 0 : number(low, 10);
  const std::optional<std::uint64_t> last =
      high.empty() ? std::numeric_limits<std::uint64_t>::max() : number(high, 10);
  if (!first || !last || (low.empty() && high.empty())) {
    return Error{fmt::format("`{}' is no range of steps: 3..17, 3.., ..17 or 3", text)};
  }
  if (*first > *last) return Error{fmt::format("`{}' ends before it begins", text)};
  filter.first_step = *first;
  filter.last_step = *last;
  return true;
}

Result<bool> parse_kinds(const std::string& text, TraceFilter& filter) {
  const std::string key = kind_key(text);
  std::vector<EventKind> found;
  for (int i = 1; i < kEventKinds; ++i) {
    const auto kind = static_cast<EventKind>(i);
    const bool lock = kind == EventKind::acquire || kind == EventKind::release;
    const bool call = kind == EventKind::enter || kind == EventKind::exit;
    if (key == kind_key(event_text(kind)) || (key == "access" && is_access(kind)) ||
        (key == "atomic" && is_atomic(kind)) || (key == "lock" && lock) ||
        (key == "call" && call)) {
      found.push_back(kind);
    }
  }
  if (found.empty()) {
    return Error{fmt::format(
        "`{}' is no kind of event; some are read, write, acquire, release, enter, access, atomic",
        text)};
  }
  filter.kinds.insert(filter.kinds.end(), found.begin(), found.end());
  return true;
}

}  // namespace raddle
