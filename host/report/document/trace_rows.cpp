#include "host/report/document/trace_rows.hpp"

#include "host/base/printable.hpp"
#include "host/report/words/event_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostBytes = 3 << 20;  // of a table of texts

}  // namespace

bool TraceRows::Table::is_full() const { return bytes > kMostBytes; }

std::uint32_t TraceRows::Table::number(const std::string& text) {
  const auto [at, is_new] = numbers.try_emplace(text, static_cast<std::uint32_t>(texts->size()));
  if (is_new) {
    texts->push_back(text);
    bytes += text.size() + 4;
  }
  return at->second;
}

std::uint32_t TraceRows::lane(ThreadId id) {
  const auto [at, is_new] =
      lanes_.try_emplace(raw(id), static_cast<std::uint32_t>(trace_.threads.size()));
  if (is_new) trace_.threads.push_back({id, {}, {}, {}});
  return at->second;
}

std::uint32_t TraceRows::place(SiteId id) {
  const SiteName& site = names().sites()[id];
  if (site.place.empty()) return 0;
  const auto [at, is_new] =
      places_.try_emplace(raw(id), static_cast<std::uint32_t>(trace_.places.size()));
  if (is_new) {
    const std::string function = site.file.empty() ? site.place : site.function;
    trace_.places.push_back({printable(site.file), site.line, printable(function)});
  }
  return at->second;
}

void TraceRows::show(const Event& event) {
  if (trace_.lane.size() >= kMostRows) return;
  words_.texts = &trace_.words;
  objects_.texts = &trace_.objects;
  if (trace_.places.empty()) {
    trace_.places.emplace_back();  // number 0: not known
    objects_.number({});
  }
  trace_.lane.push_back(lane(event.thread));
  // Where values make too many different texts, the kind of event is said alone.
  trace_.words_of.push_back(words_.number(
      words_.is_full() ? event_text(event.kind) : event_words(event, names(), NameForm::kShort)));
  const bool named = event.kind != EventKind::decision && event.object != 0 && !objects_.is_full();
  trace_.object.push_back(named ? objects_.number(printable(names().name(event, NameForm::kShort)))
                                : 0);
  trace_.place.push_back(place(event.site));
  trace_.step.push_back(static_cast<std::uint32_t>(event.step));
}

DocumentTrace TraceRows::take(const std::string& file) {
  for (DocumentThread& thread : trace_.threads)
    thread.title = printable(names().thread_name(thread.id));
  trace_.file = file;
  return std::move(trace_);
}

}  // namespace raddle
