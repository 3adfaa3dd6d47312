#include "host/describe/explain/events/explained_stack.hpp"

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

Where where_of(const SiteFrame& frame) {
  return {printable(display_path(frame.file)), frame.line,
          printable(short_function(frame.function))};
}

bool is_program(const SiteFrame& frame) {
  return !frame.file.empty() && !is_system_header(frame.file);
}

}  // namespace

std::vector<std::string> function_names(const std::vector<Where>& stack) {
  std::vector<std::string> names;
  for (const Where& where : stack) {
    if (!where.function.empty()) names.push_back(where.function);
  }
  return names;
}

void ExplainedStacks::look_at(const std::set<std::size_t>& events) {
  std::unordered_map<std::uint16_t, State> threads;
  const std::vector<Event>& all = trace_.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Event& event = all[i];
    State& now = threads[raw(event.thread)];
    if (event.kind == EventKind::thread_begin) now = {};
    if (event.kind == EventKind::enter) now.calls.push_back(i);
    if (event.kind == EventKind::exit && !now.calls.empty()) now.calls.pop_back();
    if (event.kind == EventKind::acquire && event.value == 1) {
      now.held.push_back(event.object);
      now.taken.push_back(i);
    }
    if (event.kind == EventKind::release && event.value == 0) {
      const auto at = std::find(now.held.rbegin(), now.held.rend(), event.object);
      if (at != now.held.rend()) {
        const auto index = std::distance(at, now.held.rend()) - 1;
        now.held.erase(now.held.begin() + index);
        now.taken.erase(now.taken.begin() + index);
      }
    }
    if (events.contains(i)) states_[i] = now;
  }
}

const ExplainedStacks::State& ExplainedStacks::state(std::size_t event) const {
  static const State kNothing;
  const auto known = states_.find(event);
  return known == states_.end() ? kNothing : known->second;
}

std::vector<Where> ExplainedStacks::stack(std::size_t event) const {
  std::vector<Where> stack;
  std::vector<bool> unwritten;
  for (const SiteFrame& frame : trace_.site(trace_.all()[event].site).frames) {
    if (!is_program(frame)) continue;
    stack.push_back(where_of(frame));
    unwritten.push_back(is_unwritten(frame));
  }
  if (stack.empty()) stack = place_of_next(event);
  unwritten.resize(stack.size());
  const std::vector<std::size_t>& calls = state(event).calls;
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    const std::uint64_t address = trace_.all()[*call].value;
    if (address == 0) continue;  // inlined: the frames above have it
    for (const Frame& frame : symbols_.frames(address, true)) {
      if (!frame.in_program) continue;
      stack.push_back(frame.where);
      unwritten.push_back(frame.unwritten);
    }
  }
  // What nobody wrote is where it was called.
  for (std::size_t i = stack.size(); i-- > 1;) {
    if (!unwritten[i - 1] || stack[i].line == 0 || unwritten[i]) continue;
    stack[i - 1].file = stack[i].file;
    stack[i - 1].line = stack[i].line;
    unwritten[i - 1] = false;
  }
  if (stack.empty()) stack.emplace_back();
  if (stack.front().line == 0) stack.front().line = line_after(event, stack.front().function);
  return stack;
}

bool ExplainedStacks::is_of_one_line(const std::string& function) const {
  if (destructor_lines_.empty()) {
    for (std::size_t i = 0; i < trace_.sites(); ++i) {
      for (const SiteFrame& frame : trace_.site(SiteId{static_cast<std::uint32_t>(i)}).frames) {
        if (!is_destructor(frame.function) || !is_program(frame) || frame.line == 0) continue;
        destructor_lines_[printable(short_function(frame.function))].insert(frame.line);
      }
    }
  }
  const auto lines = destructor_lines_.find(function);
  return lines == destructor_lines_.end() || lines->second.size() == 1;
}

Where ExplainedStacks::place(std::size_t event) const {
  const std::vector<Where> frames = stack(event);
  const EventKind kind = trace_.all()[event].kind;
  const bool ends = is_access(kind) || kind == EventKind::free || kind == EventKind::destroy;
  if (!ends) return frames.front();
  const auto outside = std::find_if(frames.begin(), frames.end(), [&](const Where& where) {
    return !is_destructor(where.function) || !is_of_one_line(where.function);
  });
  return outside == frames.end() || outside->line == 0 ? frames.front() : *outside;
}

// A read that the optimiser moved up has no place: it belongs to what the thread does next with the
// same variable.
std::vector<Where> ExplainedStacks::place_of_next(std::size_t event) const {
  constexpr std::size_t kLookedAt = 16;
  const std::vector<Event>& all = trace_.all();
  if (!is_access(all[event].kind)) return {};
  std::vector<Where> place;
  for (std::size_t i = event + 1, seen = 0; i < all.size() && seen < kLookedAt; ++i) {
    if (all[i].thread != all[event].thread || all[i].kind == EventKind::decision) continue;
    ++seen;
    if (all[i].kind == EventKind::exit) break;
    if (all[i].object != all[event].object) continue;
    for (const SiteFrame& frame : trace_.site(all[i].site).frames) {
      if (is_program(frame) && frame.line != 0) place.push_back(where_of(frame));
    }
    break;
  }
  return place;
}

// The compiler gives no line to what it makes of several. What the function does next with the same
// place belongs to it.
std::uint32_t ExplainedStacks::line_after(std::size_t event, const std::string& function) const {
  constexpr std::size_t kLookedAt = 16;
  const std::vector<Event>& all = trace_.all();
  for (std::size_t i = event + 1, seen = 0; i < all.size() && seen < kLookedAt; ++i) {
    if (all[i].thread != all[event].thread || all[i].kind == EventKind::decision) continue;
    ++seen;
    const std::vector<SiteFrame>& frames = trace_.site(all[i].site).frames;
    if (all[i].kind == EventKind::exit || frames.empty()) return 0;
    if (frames.front().line == 0 || !is_program(frames.front())) continue;
    if (all[i].object != all[event].object) continue;
    if (where_of(frames.front()).function == function) return frames.front().line;
  }
  return 0;
}

std::vector<std::uint64_t> ExplainedStacks::held(std::size_t event) const {
  return state(event).held;
}

std::optional<std::size_t> ExplainedStacks::taken(std::size_t event, std::uint64_t lock) const {
  const State& then = state(event);
  for (std::size_t i = 0; i < then.held.size(); ++i) {
    if (then.held[i] == lock) return then.taken[i];
  }
  return std::nullopt;
}

bool ExplainedStacks::shared(std::size_t event, std::uint64_t lock) const {
  const std::optional<std::size_t> acquired = taken(event, lock);
  return acquired && (trace_.all()[*acquired].flags & kShared) != 0;
}

std::vector<std::size_t> ExplainedStacks::calls(std::size_t event) const {
  return state(event).calls;
}

std::size_t ExplainedStacks::call(std::size_t event, std::size_t outer) const {
  const std::vector<std::size_t>& calls = state(event).calls;
  const auto at = std::find(calls.begin(), calls.end(), outer);
  if (at == calls.end()) return calls.empty() ? outer : calls.back();
  return std::next(at) == calls.end() ? outer : *std::next(at);
}

bool ExplainedStacks::are_side_by_side(std::size_t one, std::size_t other) const {
  const std::vector<std::string> a = function_names(stack(one));
  const std::vector<std::string> b = function_names(stack(other));
  const auto [end, end_b] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return a.rend() - end <= 1 && b.rend() - end_b <= 1;
}

std::string ExplainedStacks::function(std::size_t enter) const {
  const std::vector<SiteFrame>& frames = trace_.site(trace_.all()[enter].site).frames;
  if (frames.empty() || !is_program(frames.front())) return {};
  return printable(short_function(frames.front().function));
}

}  // namespace raddle
