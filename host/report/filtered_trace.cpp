#include "host/report/filtered_trace.hpp"

#include <fmt/format.h>

#include "host/base/printable.hpp"

namespace raddle {

namespace {

constexpr std::size_t kListedThreads = 8;

}  // namespace

void FilteredTrace::events(std::span<const Event> events) {
  for (const Event& event : events) {
    names_.event(event);
    ++seen_;
    threads_.set(raw(event.thread));
    last_step_ = event.step;
    if (!filter_.wants(event, names_)) continue;
    ++shown_;
    show(event);
  }
}

std::string FilteredTrace::nothing_shown() const {
  if (shown_ != 0) return {};
  if (seen_ == 0) return "the trace has no events";
  std::string text =
      filter_.is_narrow()
          ? fmt::format("none of the {} events matches all that was asked for", grouped(seen_))
          : std::string("the trace has nothing but decisions and the library's calls (--all)");
  if (filter_.first_step > last_step_) {
    return text + fmt::format(": the last step is {}", last_step_);
  }
  if (filter_.threads.empty()) return text;
  std::string list;
  std::size_t listed = 0;
  for (std::size_t id = 0; id < threads_.size(); ++id) {
    if (!threads_.test(id)) continue;
    if (listed++ == kListedThreads) {
      list += fmt::format(" and {} more", threads_.count() - kListedThreads);
      break;
    }
    list += listed == 1 ? "" : ", ";
    list += printable(names_.thread_name(ThreadId{static_cast<std::uint16_t>(id)}));
  }
  return text + "; threads are " + list;
}

std::string end_words(const TraceEnd& end) {
  if (!end.complete) return "breaks off here: the program or the recording did not come to its end";
  std::string text = end.outcome.empty() ? std::string("ended") : printable(end.outcome);
  if (!end.message.empty()) text += ": " + printable(end.message);
  return text;
}

}  // namespace raddle
