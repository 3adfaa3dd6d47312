#include "host/describe/timeline/timeline.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "host/base/printable.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/explained_stack.hpp"
#include "host/describe/likely_number.hpp"
#include "host/describe/timeline/chosen_events.hpp"
#include "host/describe/timeline/orders.hpp"
#include "host/trace/object_names.hpp"
#include "protocol/site.hpp"

namespace raddle {
namespace {

// More than anybody looks at; the last ones are those that lead to the failure.
constexpr std::size_t kMostEvents = 5000;

std::string hexadecimal(std::uint64_t value) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), kDigits[value & 15U]);
  while ((value >>= 4U) != 0);
  return "0x" + text;
}

std::string value_text(std::optional<std::uint64_t> value, std::uint16_t bytes,
                       const ObjectNames& names) {
  if (!value) return {};
  if (const std::optional<std::int64_t> number = likely_number(*value, bytes))
    return std::to_string(*number);
  const bool is_pointer = bytes == 0 || bytes >= 8;
  if (is_pointer && names.name_kind(*value) != NameKind::kAddress)
    return "&" + printable(names.whole_name(*value, NameForm::kShort));
  return hexadecimal(*value);
}

class Maker {
 public:
  Maker(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : trace_(trace), failure_(failure), stacks_(trace, symbols) {}

  Timeline run() {
    std::vector<std::size_t> chosen = chosen_events(trace_);
    if (chosen.size() > kMostEvents) {
      timeline_.left_out = chosen.size() - kMostEvents;
      chosen.erase(chosen.begin(), chosen.end() - kMostEvents);
    }
    stacks_.look_at({chosen.begin(), chosen.end()});
    std::vector<Event> events;
    ObjectNames names;
    std::size_t next = 0;
    trace_.tell(names, [&](std::size_t index) {
      if (next == chosen.size() || chosen[next] != index) return;
      ++next;
      events.push_back(trace_.all()[index]);
      add(events.back(), index, names);
    });
    for (const auto& [id, name] : threads_) timeline_.threads.push_back({ThreadId{id}, name});
    find_orders(timeline_, events, failure_);
    return std::move(timeline_);
  }

 private:
  void add(const Event& event, std::size_t index, const ObjectNames& names) {
    TimelineEvent made;
    made.thread = event.thread;
    made.step = event.step;
    made.kind = event.kind;
    made.flags = event.flags;
    if (event.kind == EventKind::decision) {
      made.op = static_cast<OpKind>(event.value & 0xff);
    } else {
      made.object = printable(names.name(event, NameForm::kShort));
    }
    if ((names.sites()[event.site].flags & kSiteNoNumber) == 0) {
      made.read = value_text(value_read(event), event.size, names);
      made.written = value_text(value_written(event), event.size, names);
    }
    if (event.kind == EventKind::fork || event.kind == EventKind::join) {
      made.other = ThreadId(event.value & 0xffff);
      made.object.clear();
    }
    if (event.kind == EventKind::notify || event.kind == EventKind::wake) made.woken = event.value;
    made.stack = stacks_.stack(index);
    std::erase_if(made.stack, [](const Where& where) { return where.file.empty(); });
    made.where = where(event, made);
    name_thread(event.thread, names);
    timeline_.events.push_back(std::move(made));
  }

  // Where the site lies in a library, the failure may know the program's own line of that step.
  Where where(const Event& event, const TimelineEvent& made) const {
    if (!made.stack.empty()) return made.stack.front();
    // Where a thread begins and ends is no place of the program, and no step of its own.
    if (event.kind == EventKind::thread_begin || event.kind == EventKind::thread_end) return {};
    for (const ThreadLine& line : failure_.threads) {
      if (line.id != event.thread) continue;
      for (const StepLine& step : line.last_steps) {
        if (step.step == event.step && !step.where.file.empty()) return step.where;
      }
    }
    return {};
  }

  void name_thread(ThreadId id, const ObjectNames& names) {
    std::string& name = threads_[raw(id)];
    if (name.empty()) name = name_in(failure_, id);
    if (name.empty()) name = printable(names.named_thread(id).name);
    if (name.empty() && id == kMainThread) name = "main";
  }

  const KeptTrace& trace_;
  const Failure& failure_;
  ExplainedStacks stacks_;
  Timeline timeline_;
  std::map<std::uint16_t, std::string> threads_;
};

// The event that an explained step is about: the one on its line, else the last of its step.
TimelineEvent* event_of(Timeline& timeline, const ExplainedStep& step) {
  TimelineEvent* last = nullptr;
  for (TimelineEvent& event : timeline.events) {
    if (event.thread != step.thread || event.step != step.step) continue;
    const bool on_line = event.where.line == step.where.line && event.where.file == step.where.file;
    if (on_line) return &event;
    last = &event;
  }
  return last;
}

}  // namespace

const char* timeline_order_text(TimelineOrderKind kind) {
  switch (kind) {
#define RADDLE_TIMELINE_ORDER_TEXT(name, text) \
  case TimelineOrderKind::name:                \
    return text;
    RADDLE_TIMELINE_ORDERS(RADDLE_TIMELINE_ORDER_TEXT)
#undef RADDLE_TIMELINE_ORDER_TEXT
  }
  return "order";
}

Timeline timeline_of(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols) {
  return Maker(trace, failure, symbols).run();
}

void mark(Timeline& timeline, const Explanation& explanation) {
  for (const ExplainedStep& step : explanation.steps) {
    TimelineEvent* event = event_of(timeline, step);
    if (event == nullptr) continue;
    event->explains = true;
    event->violates |= step.violates;
  }
  for (const ExplainedStep& step : explanation.acquisitions) {
    if (TimelineEvent* event = event_of(timeline, step)) event->explains = true;
  }
}

}  // namespace raddle
