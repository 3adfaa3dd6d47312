#include "host/trace/trace_metadata.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <vector>

#include "host/base/bytes.hpp"

namespace raddle {
namespace {

void put_field(std::string* out, std::string_view name, std::string_view value) {
  put_text(out, name);
  put_text(out, value);
}

// Reads the fields and remembers the first thing that is wrong.
class Fields {
 public:
  explicit Fields(std::string_view contents) {
    ByteReader reader(contents);
    while (reader.ok() && !reader.empty()) {
      const std::string name = reader.text();
      std::string value = reader.text();
      if (reader.ok()) fields_[name].push_back(std::move(value));
    }
    if (!reader.ok()) problem_ = "it ends in the middle of a field";
  }

  bool has(const char* name) const { return fields_.contains(name); }
  void texts(const char* name, std::vector<std::string>* out) {
    const auto found = fields_.find(name);
    if (found != fields_.end()) *out = found->second;
  }
  void text(const char* name, std::string* out) {
    const auto found = fields_.find(name);
    if (found == fields_.end()) return fail(name, "is missing");
    if (found->second.size() != 1) return fail(name, "is there more than once");
    *out = found->second.front();
  }
  void number(const char* name, std::uint64_t* out) {
    std::string digits;
    text(name, &digits);
    const char* end = digits.data() + digits.size();
    const auto [stopped, status] = std::from_chars(digits.data(), end, *out);
    if (status != std::errc{} || stopped != end) fail(name, "is not a number");
  }
  void flag(const char* name, bool* out) {
    std::uint64_t value = 0;
    number(name, &value);
    if (value > 1) fail(name, "is neither 0 nor 1");
    *out = value == 1;
  }
  template <class T>
  Result<T> finish(T value) const {
    if (!problem_.empty()) return Error{problem_};
    return value;
  }

 private:
  void fail(const char* name, const char* why) {
    if (problem_.empty()) problem_ = fmt::format("its field `{}' {}", name, why);
  }

  std::map<std::string, std::vector<std::string>, std::less<>> fields_;
  std::string problem_;
};

}  // namespace

std::string format_trace_header(const TraceHeader& header) {
  std::string out;
  put_field(&out, "raddle", header.raddle_version);
  put_field(&out, "program", header.program);
  for (const std::string& argument : header.arguments) put_field(&out, "argument", argument);
  put_field(&out, "build_id", header.build_id);
  put_field(&out, "strategy", header.strategy);
  put_field(&out, "seed", std::to_string(header.seed));
  put_field(&out, "instrumented", header.instrumented ? "1" : "0");
  put_field(&out, "origin", header.origin);
  for (const std::string& name : header.unseen) put_field(&out, "unseen", name);
  if (header.shared_only) put_field(&out, "shared_only", "1");
  return out;
}

Result<TraceHeader> parse_trace_header(std::string_view contents) {
  Fields fields(contents);
  TraceHeader header;
  fields.text("raddle", &header.raddle_version);
  fields.text("program", &header.program);
  fields.texts("argument", &header.arguments);
  fields.text("build_id", &header.build_id);
  fields.text("strategy", &header.strategy);
  fields.number("seed", &header.seed);
  fields.flag("instrumented", &header.instrumented);
  fields.text("origin", &header.origin);
  fields.texts("unseen", &header.unseen);
  if (fields.has("shared_only")) fields.flag("shared_only", &header.shared_only);
  return fields.finish(std::move(header));
}

std::string format_trace_end(const TraceEnd& end, std::uint64_t record_bytes) {
  std::string out;
  put_field(&out, "complete", end.complete ? "1" : "0");
  put_field(&out, "outcome", end.outcome);
  put_field(&out, "message", end.message);
  put_field(&out, "record_bytes", std::to_string(record_bytes));
  return out;
}

Result<TraceEnd> parse_trace_end(std::string_view contents, std::uint64_t* record_bytes) {
  Fields fields(contents);
  TraceEnd end;
  fields.flag("complete", &end.complete);
  fields.text("outcome", &end.outcome);
  fields.text("message", &end.message);
  fields.number("record_bytes", record_bytes);
  return fields.finish(std::move(end));
}

}  // namespace raddle
