#include "host/report/trace_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "host/base/printable.hpp"
#include "host/report/words/event_words.hpp"
#include "protocol/ops.hpp"

namespace raddle {

namespace {

constexpr std::size_t kChunk = 1 << 16;

// One object, member by member. Faster than a tree of values that is thrown away at once.
class Line {
 public:
  Line(std::string& out, std::string_view type) : out_(out) {
    out_ += "{\"type\": ";
    quote(type);
  }
  ~Line() { out_ += "}\n"; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& text(std::string_view key, std::string_view value) {
    name(key);
    quote(value);
    return *this;
  }
  Line& number(std::string_view key, std::uint64_t value) {
    name(key);
    fmt::format_to(std::back_inserter(out_), "{}", value);
    return *this;
  }
  Line& hex(std::string_view key, std::uint64_t value) {
    name(key);
    fmt::format_to(std::back_inserter(out_), "\"{:#x}\"", value);
    return *this;
  }
  Line& flag(std::string_view key, bool value) {
    name(key);
    out_ += value ? "true" : "false";
    return *this;
  }
  Line& texts(std::string_view key, const std::vector<std::string>& values) {
    name(key);
    out_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ", ";
      quote(values[i]);
    }
    out_ += ']';
    return *this;
  }
  Line& where(const SiteName& site) {
    name("where");
    out_ += "{\"file\": ";
    quote(site.file);
    fmt::format_to(std::back_inserter(out_), ", \"line\": {}, \"function\": ", site.line);
    quote(site.function.empty() && site.file.empty() ? site.place : site.function);
    out_ += '}';
    return *this;
  }

 private:
  void name(std::string_view key) {
    out_ += ", \"";
    out_ += key;
    out_ += "\": ";
  }
  void quote(std::string_view value) {
    out_ += '"';
    const auto plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
    if (std::all_of(value.begin(), value.end(), plain)) {
      out_ += value;
      out_ += '"';
      return;
    }
    for (const char c : printable(value)) {
      if (c == '"' || c == '\\') out_ += '\\';
      out_ += c;
    }
    out_ += '"';
  }

  std::string& out_;
};

bool is_lock(EventKind kind) { return kind == EventKind::acquire || kind == EventKind::release; }

// What `value` is called.
void add_value(Line& line, const Event& event, const ObjectNames& names) {
  switch (event.kind) {
    case EventKind::read:
    case EventKind::write:
      line.number("size", event.size);
      if ((event.flags & kNoValue) == 0) line.number("value", event.value);
      return;
    case EventKind::atomic_load:
      line.number("size", event.size).number("value", event.value);
      return;
    case EventKind::atomic_store:
      line.number("size", event.size).number("written", event.value2);
      return;
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
      line.number("size", event.size).number("value", event.value);
      line.number("written", event.value2);
      if (event.kind == EventKind::atomic_compare) {
        line.flag("success", (event.flags & kSuccess) != 0);
      }
      return;
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::allocate:
    case EventKind::local:
      line.number("bytes", event.value);
      return;
    case EventKind::fork:
    case EventKind::join:
      line.number("other", event.value);
      return;
    case EventKind::acquire:
    case EventKind::release:
      line.number("depth", event.value);
      return;
    case EventKind::wait:
      line.text("lock", names.name(event.value, NameForm::kLong));
      return;
    case EventKind::wake:
      line.text("by", event.value == 0 ? "notify" : event.value == 1 ? "timeout" : "other");
      return;
    case EventKind::notify:
      line.number("woken", event.value).flag("all", (event.flags & kAll) != 0);
      return;
    case EventKind::user:
    case EventKind::signal:
    case EventKind::await:
      line.number("value", event.value);
      return;
    case EventKind::decision:
      line.text("operation", op_text(static_cast<OpKind>(event.value & 0xff)));
      line.number("outcome", event.value >> 8 & 0xff);
      return;
    case EventKind::none:
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::free:
    case EventKind::destroy:
      return;
  }
}

}  // namespace

TraceJson::TraceJson(TraceFilter filter, TextOut out)
    : FilteredTrace(std::move(filter)), out_(std::move(out)) {}

void TraceJson::begin(const TraceHeader& header) {
  Line line(text_, "trace");
  line.text("program", header.program).texts("arguments", header.arguments);
  line.text("build_id", header.build_id).text("strategy", header.strategy);
  line.number("seed", header.seed).flag("instrumented", header.instrumented);
  line.flag("shared_only", header.shared_only);
  line.text("origin", header.origin).text("raddle", header.raddle_version);
}

// Before the first event of a thread, and when more is known of it.
void TraceJson::thread_line(ThreadId id) {
  if (raw(id) >= named_.size()) named_.resize(raw(id) + std::size_t{1});
  std::string name = names().thread_name(id);
  if (named_[raw(id)] == name) return;
  named_[raw(id)] = name;
  Line line(text_, "thread");
  line.number("id", raw(id)).text("name", name);
}

void TraceJson::show(const Event& event) {
  thread_line(event.thread);
  {
    const SiteName& site = names().sites()[event.site];
    Line line(text_, "event");
    line.number("step", event.step).number("thread", raw(event.thread));
    line.text("kind", event_text(event.kind));
    if (event.kind == EventKind::decision) {
      line.number("object_id", event.object);
    } else if (event.object != 0) {
      line.text("object", names().name(event, NameForm::kLong)).hex("address", event.object);
    }
    if (!site.field.empty()) line.text("field", site.field);
    add_value(line, event, names());
    if (is_atomic(event.kind)) line.text("order", order_text(order_of(event)));
    if (is_lock(event.kind)) {
      line.flag("shared", (event.flags & kShared) != 0);
      line.flag("by_wait", (event.flags & kByWait) != 0);
    }
    line.where(site).hex("context", event.context);
  }
  if (text_.size() >= kChunk) flush();
}

void TraceJson::flush() {
  if (!text_.empty()) out_(text_);
  text_.clear();
}

void TraceJson::end(const TraceEnd& end) {
  {
    Line line(text_, "end");
    line.flag("complete", end.complete).text("outcome", end.outcome).text("message", end.message);
    line.number("events", seen()).number("shown", shown());
  }
  flush();
}

}  // namespace raddle
