#include "host/describe/explainer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/describe/event_words.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

constexpr std::size_t kManySteps = 6;
constexpr std::size_t kMostSteps = 10;

}  // namespace

Explanation Explainer::run() {
  group();
  stacks_.look_at(interesting());
  learn_names();
  choose_function();
  Explanation explanation;
  explanation.title = title();
  explanation.summary = summary();
  add_steps(explanation);
  explanation.sentences.push_back(assumption());
  if (const std::string locks = lock_words(); !locks.empty()) {
    explanation.sentences.push_back(locks);
  }
  explanation.suggestion = suggestion();
  return explanation;
}

const Event& Explainer::event(const Access& access) const { return trace_.all()[access.event]; }

bool Explainer::of_locks() const {
  return found_.kind == InterferenceKind::kLockReacquired ||
         found_.kind == InterferenceKind::kWaited;
}

void Explainer::group() {
  std::vector<Access> all =
      accesses_between(trace_, found_.object, found_.first.event, trace_.all().size());
  const auto after = std::find_if(all.begin(), all.end(), [&](const Access& access) {
    return access.event > found_.last.event && access.thread != found_.last.thread;
  });
  all.erase(after, all.end());
  stacks_.look_at([&] {
    std::set<std::size_t> events;
    for (const Access& access : all) events.insert(access.event);
    return events;
  }());
  for (const Access& access : all) {
    const bool same = !groups_.empty() && groups_.back().thread() == access.thread && !of_locks() &&
                      stacks_.call(groups_.back().accesses.back().event, found_.common) ==
                          stacks_.call(access.event, found_.common);
    const bool after_last = access.event > found_.last.event;
    // More of the same, long after, explains nothing.
    if (after_last && !same) break;
    if (same) {
      groups_.back().accesses.push_back(access);
    } else {
      groups_.push_back({{access}});
    }
  }
  shorten();
}

bool Explainer::has(const Group& one, const Access& wanted) const {
  return std::any_of(one.accesses.begin(), one.accesses.end(),
                     [&](const Access& access) { return access.event == wanted.event; });
}

bool Explainer::matters(const Group& one) const {
  return has(one, found_.first) || has(one, found_.middle) || has(one, found_.last);
}

void Explainer::shorten() {
  const auto reads_only = [&](const Group& one) {
    return !matters(one) && std::none_of(one.accesses.begin(), one.accesses.end(),
                                         [](const Access& access) { return access.writes; });
  };
  if (groups_.size() > kManySteps) std::erase_if(groups_, reads_only);
  if (groups_.size() <= kMostSteps) return;
  std::vector<Group> kept;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (matters(groups_[i]) || i + kMostSteps - 2 >= groups_.size()) kept.push_back(groups_[i]);
  }
  groups_ = std::move(kept);
}

std::set<std::size_t> Explainer::interesting() const {
  std::set<std::size_t> events = {found_.first.event, found_.middle.event, found_.last.event};
  for (const Group& one : groups_) {
    for (const Access& access : one.accesses) events.insert(access.event);
  }
  return events;
}

void Explainer::learn_names() {
  std::set<std::uint64_t> locks;
  for (const Access* access : {&found_.first, &found_.middle, &found_.last}) {
    for (const std::uint64_t lock : stacks_.held(access->event)) locks.insert(lock);
  }
  ObjectNames names;
  const std::set<std::size_t> wanted = interesting();
  trace_.tell(names, [&](std::size_t index) {
    if (!wanted.contains(index)) return;
    const Event& now = trace_.all()[index];
    if (index == (of_locks() ? found_.last : found_.first).event) {
      object_ = without_frame(printable(names.name(now, NameForm::kField)));
      short_object_ = printable(names.sites()[now.site].field);
      constexpr std::string_view kInside = "._M_i";  // of a std::atomic: nobody's name for it
      if (object_.ends_with(kInside)) {
        object_.resize(object_.size() - kInside.size());
        short_object_ = object_.substr(object_.rfind('.') + 1);
      }
      if (short_object_.empty()) short_object_ = object_;
    }
    if (of_locks() && object_.starts_with("0x")) name_lock(now);
    for (const std::uint64_t lock : locks) {
      lock_names_[lock] = without_frame(printable(names.name(lock, NameForm::kField)));
    }
    thread_names_[raw(now.thread)] = printable(names.thread_name(now.thread));
    values_[index] = words_of(now, names);
  });
}

void Explainer::name_lock(const Event& acquired) {
  for (const ThreadLine& thread : failure_.threads) {
    for (const StepLine& step : thread.last_steps) {
      const bool same = thread.id == raw(acquired.thread) && step.step == acquired.step;
      const std::size_t at = step.brief.find("lock ");
      if (same && at != std::string::npos) object_ = without_frame(step.brief.substr(at + 5));
    }
  }
  if (object_.starts_with("0x")) object_ = "the lock";
}

std::string Explainer::without_frame(const std::string& name) {
  return name.substr(0, name.find(" in "));
}

Explainer::Values Explainer::words_of(const Event& now, const ObjectNames& names) {
  if ((now.flags & kNoValue) != 0 && is_access(now.kind)) return {};
  const std::string value = number(value_words(now.value, now.size, names));
  const std::string second = number(value_words(now.value2, now.size, names));
  if (now.kind == EventKind::read || now.kind == EventKind::atomic_load) return {value, {}};
  if (now.kind == EventKind::write) return {{}, value};
  if (now.kind == EventKind::atomic_store) return {{}, second};
  if (now.kind == EventKind::atomic_update) return {value, second};
  if (now.kind == EventKind::atomic_compare) {
    return {value, (now.flags & kSuccess) != 0 ? second : std::string()};
  }
  return {};
}

std::string Explainer::number(const std::string& value) {
  return value.starts_with("&") || value.starts_with("0x") ? std::string() : printable(value);
}

void Explainer::choose_function() {
  if (found_.depth > 0) function_ = stacks_.function(found_.common);
}

Explainer::Seen Explainer::seen(std::size_t index) const {
  const std::vector<Where> stack = stacks_.stack(index);
  for (std::size_t i = 0; i < stack.size() && !function_.empty(); ++i) {
    if (stack[i].function != function_ || stack[i].file.empty()) continue;
    return {stack[i], i == 0 ? std::string() : stack[i - 1].function};
  }
  return {stack.empty() ? Where{} : stack.front(), {}};
}

std::string Explainer::place(std::size_t index) const { return short_place(seen(index).where); }

// Where a group of accesses is shown: at its write, if it has one.
std::size_t Explainer::shown_at(const Group& one) {
  for (const Access& access : one.accesses) {
    if (access.writes) return access.event;
  }
  return one.accesses.front().event;
}

std::string Explainer::group_words(const Group& one) const {
  const Seen at = seen(shown_at(one));
  std::string text = at.callee.empty() ? std::string() : last_name(at.callee) + "()  ";
  if (of_locks()) return text + lock_step(event(one.accesses.front()));
  std::string read;
  std::string written;
  bool writes = false;
  bool reads = false;
  for (const Access& access : one.accesses) {
    const Values& values = values_.at(access.event);
    if (read.empty() && !writes) read = values.read;
    reads = reads || (access.reads && !writes);
    if (access.writes) written = values.written;
    writes = writes || access.writes;
  }
  if (of_vptr() && !writes) return text + "calls a function of it";
  if (of_vptr()) return text + (is_destroyed() ? "destroys it" : "makes it");
  if (!writes) return text + fmt::format("reads {}{}", short_object_, equals(read));
  if (reads && (read.empty() || written.empty())) return text + "changes " + short_object_;
  if (!reads) return text + fmt::format("writes {}{}", short_object_, equals(written));
  return text + fmt::format("{} {} -> {}", short_object_, read, written);
}

std::string Explainer::lock_step(const Event& now) const {
  if (now.kind == EventKind::wait) return "waits, gives back " + object_;
  return ((now.flags & kByWait) != 0 ? "has it again: " : "locks ") + object_;
}

std::string Explainer::equals(const std::string& value) {
  return value.empty() ? std::string() : " = " + value;
}

std::string Explainer::last_name(const std::string& function) {
  const std::size_t at = function.rfind("::");
  const std::string name = at == std::string::npos ? function : function.substr(at + 2);
  return name.empty() || name.front() == '{' ? function : name;
}

void Explainer::add_steps(Explanation& explanation) const {
  for (const Group& one : groups_) {
    const std::size_t first = shown_at(one);
    ExplainedStep step;
    step.thread = raw(one.thread());
    step.step = trace_.all()[first].step;
    step.where = seen(first).where;
    step.what = group_words(one);
    step.violates = std::any_of(one.accesses.begin(), one.accesses.end(),
                                [&](const Access& access) { return access.event == violation(); });
    if (!explanation.steps.empty()) {
      const ExplainedStep& before = explanation.steps.back();
      const bool again = before.thread == step.thread && before.what == step.what &&
                         before.where.line == step.where.line && !before.violates;
      if (again) explanation.steps.pop_back();
    }
    explanation.steps.push_back(std::move(step));
  }
  for (const auto& [id, name] : thread_names_) {
    ThreadLine line;
    line.id = id;
    const auto known = std::find_if(failure_.threads.begin(), failure_.threads.end(),
                                    [id = id](const ThreadLine& t) { return t.id == id; });
    if (known != failure_.threads.end() && !known->name.empty()) {
      line.name = known->name;
    } else {
      line.name = name.substr(std::min(name.find(' ') + 1, name.size()));
      std::erase(line.name, '"');
    }
    explanation.threads.push_back(std::move(line));
  }
}

std::size_t Explainer::violation() const {
  return found_.kind == InterferenceKind::kIntermediate ? found_.middle.event : found_.last.event;
}

}  // namespace raddle
