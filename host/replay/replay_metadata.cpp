#include "host/replay/replay_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace raddle {
namespace {

using nlohmann::json;

// The deepest value is an escaped module: object, array, object, object, string.
constexpr int kMaxDepth = 5;
constexpr std::size_t kMaxBuildId = 128;

constexpr const char* kCarrierNames[] = {"fiber", "kernel"};
constexpr const char* kClockNames[] = {"steady", "adversarial", "hasty"};
constexpr const char* kDecideNames[] = {"sync", "races", "all"};
constexpr const char* kRoleNames[] = {"decides", "step",  "window", "selected",
                                      "work",    "reads", "sees",   "rival"};
static_assert(std::size(kRoleNames) == kAimRoles);

constexpr char kHexDigits[] = "0123456789abcdef";

int hex_value(char c) {
  const char* place = c != '\0' ? std::strchr(kHexDigits, c) : nullptr;
  return place != nullptr ? static_cast<int>(place - kHexDigits) : -1;
}

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return hex_value(c) >= 0; });
}

// Paths and arguments are bytes, JSON strings are UTF-8: what is not UTF-8 goes in as {"hex":
// "..."}.
json from_bytes(const std::string& bytes) {
  json text = bytes;
  // The cheapest check there is without a second UTF-8 decoder: does the library have to replace?
  if (text.dump(-1, ' ', false, json::error_handler_t::ignore) ==
      text.dump(-1, ' ', false, json::error_handler_t::replace)) {
    return text;
  }
  std::string hex;
  for (unsigned char c : bytes) {
    hex.push_back(kHexDigits[c >> 4]);
    hex.push_back(kHexDigits[c & 15]);
  }
  return json{{"hex", hex}};
}

bool to_bytes(const json& value, std::string* bytes) {
  if (value.is_string()) {
    *bytes = value.get_ref<const std::string&>();
    return true;
  }
  if (!value.is_object()) return false;
  const auto hex = value.find("hex");
  if (hex == value.end() || !hex->is_string()) return false;
  const std::string& digits = hex->get_ref<const std::string&>();
  if (digits.size() % 2 != 0 || !is_hex(digits)) return false;
  bytes->clear();
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes->push_back(static_cast<char>(hex_value(digits[i]) << 4 | hex_value(digits[i + 1])));
  }
  return true;
}

// Reads the fields of one object and remembers the first that is wrong; later reads do nothing.
class Fields {
 public:
  Fields(const json& object, std::string prefix, std::string* problem)
      : object_(object), prefix_(std::move(prefix)), problem_(*problem) {}

  const json* get(const char* name) {
    if (!problem_.empty()) return nullptr;
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    if (!object_.is_object() || found == object_.end()) {
      fail(name, "is missing");
      return nullptr;
    }
    return &*found;
  }
  bool has(const char* name) const { return object_.is_object() && object_.contains(name); }
  void fail(const char* name, const std::string& why) {
    if (problem_.empty()) problem_ = fmt::format("metadata field `{}{}' {}", prefix_, name, why);
  }
  void bytes(const char* name, std::string* out) {
    const json* value = get(name);
    if (value != nullptr && !to_bytes(*value, out)) fail(name, "is not text");
  }
  // For what goes to the kernel, where a zero byte would end it early.
  void c_string(const char* name, std::string* out) {
    bytes(name, out);
    if (out->find('\0') != std::string::npos) fail(name, "has a zero byte in it");
  }
  void c_strings(const char* name, std::vector<std::string>* out) {
    const json* value = get(name);
    if (value == nullptr) return;
    if (!value->is_array()) return fail(name, "is not a list");
    for (const json& item : *value) {
      std::string text;
      if (!to_bytes(item, &text)) return fail(name, "has an entry that is not text");
      if (text.find('\0') != std::string::npos) return fail(name, "has a zero byte in it");
      out->push_back(std::move(text));
    }
  }
  // A string, because many JSON readers round whole numbers above 2^53.
  void hash(const char* name, std::uint64_t* out) {
    std::string text;
    c_string(name, &text);
    if (text.size() != 16 || !is_hex(text)) return fail(name, "is not 16 hex digits");
    *out = 0;
    for (char c : text) *out = *out << 4 | static_cast<std::uint64_t>(hex_value(c));
  }
  template <class Integer>
  void number(const char* name, Integer* out) {
    const json* value = get(name);
    if (value == nullptr) return;
    if (!value->is_number_unsigned()) return fail(name, "is not a whole number");
    const std::uint64_t number = value->get<std::uint64_t>();
    if (number > std::numeric_limits<Integer>::max()) return fail(name, "is too large");
    *out = static_cast<Integer>(number);
  }
  void flag(const char* name, bool* out) {
    const json* value = get(name);
    if (value == nullptr) return;
    if (!value->is_boolean()) return fail(name, "is neither true nor false");
    *out = value->get<bool>();
  }
  template <class Enum, std::size_t n>
  void choice(const char* name, const char* const (&names)[n], Enum* out) {
    std::string text;
    bytes(name, &text);
    for (std::size_t i = 0; i < n; ++i) {
      if (text == names[i]) {
        *out = static_cast<Enum>(i);
        return;
      }
    }
    fail(name, "has a value that this raddle does not know");
  }

 private:
  const json& object_;
  std::string prefix_;
  std::string& problem_;
};

json plan_to_json(const Plan& plan) {
  // All fields by name: a field that is added to Plan does not compile until it is saved too.
  const auto& [strategy, seed, pct_depth, pct_steps, carrier, clock, trace, spurious_wakeups,
               detail, max_steps, livelock_steps, replay_steps, replay_strict, recorded_end,
               replay_turns, prefix_checked, enabled_log, asleep, looks_on, decide, atomic_blocks,
               pause_permille, max_pause, pattern, aims, by_values, memory_unjudged,
               short_transfers, failing_allocations] = plan;
  (void)replay_steps;
  (void)replay_strict;
  (void)recorded_end;
  (void)replay_turns;
  (void)prefix_checked;
  (void)enabled_log;
  (void)asleep;
  (void)looks_on;
  (void)trace;
  (void)aims;
  return json{{"strategy", std::string(strategy, strnlen(strategy, sizeof strategy))},
              {"seed", seed},
              {"pct_depth", pct_depth},
              {"pct_steps", pct_steps},
              {"carrier", kCarrierNames[static_cast<int>(carrier)]},
              {"clock", kClockNames[static_cast<int>(clock)]},
              {"spurious_wakeups", spurious_wakeups},
              {"detail", detail},
              {"max_steps", max_steps},
              {"livelock_steps", livelock_steps},
              {"decide", kDecideNames[static_cast<int>(decide)]},
              {"atomic_blocks", atomic_blocks},
              {"pause_permille", pause_permille},
              {"max_pause", max_pause},
              {"pattern", pattern},
              {"by_values", by_values},
              {"memory_unjudged", memory_unjudged},
              {"short_transfers", short_transfers},
              {"failing_allocations", failing_allocations}};
}

json streams_to_json(const StreamKinds& streams) {
  const auto name = [](StreamKind kind) { return kStreamKindNames[static_cast<int>(kind)]; };
  return json{{"input", name(streams.input)},
              {"output", name(streams.output)},
              {"error", name(streams.error)}};
}

void plan_from_json(Fields fields, Plan* plan) {
  std::string strategy;
  fields.c_string("strategy", &strategy);
  const bool plain = std::all_of(strategy.begin(), strategy.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (strategy.empty() || strategy.size() >= sizeof plan->strategy || !plain) {
    fields.fail("strategy", "is not the name of a strategy");
  } else {
    std::memcpy(plan->strategy, strategy.c_str(), strategy.size() + 1);
  }
  fields.number("seed", &plan->seed);
  fields.number("pct_depth", &plan->pct_depth);
  fields.number("pct_steps", &plan->pct_steps);
  fields.choice("carrier", kCarrierNames, &plan->carrier);
  fields.choice("clock", kClockNames, &plan->clock);
  fields.flag("spurious_wakeups", &plan->spurious_wakeups);
  fields.flag("detail", &plan->detail);
  fields.number("max_steps", &plan->max_steps);
  fields.number("livelock_steps", &plan->livelock_steps);
  fields.choice("decide", kDecideNames, &plan->decide);
  fields.number("atomic_blocks", &plan->atomic_blocks);
  if (plan->atomic_blocks >= 2 * kBlocksFrames) fields.fail("atomic_blocks", "is too large");
  fields.number("pause_permille", &plan->pause_permille);
  if (plan->pause_permille > 1000) fields.fail("pause_permille", "is too large");
  fields.number("max_pause", &plan->max_pause);
  fields.number("pattern", &plan->pattern);
  // Files of older versions do not have it.
  if (fields.has("by_values")) fields.flag("by_values", &plan->by_values);
  if (fields.has("memory_unjudged")) fields.flag("memory_unjudged", &plan->memory_unjudged);
  if (fields.has("short_transfers")) fields.flag("short_transfers", &plan->short_transfers);
  if (fields.has("failing_allocations"))
    fields.flag("failing_allocations", &plan->failing_allocations);
}

json aim_to_json(const PlanAim& target) {
  return json{{"module", from_bytes(target.module)},
              {"offset", target.offset},
              // A string, because many JSON readers round whole numbers above 2^53.
              {"context", fmt::format("{:016x}", target.context)},
              {"role", kRoleNames[static_cast<int>(target.role)]},
              {"thread", target.thread},
              {"order", target.order},
              {"location", target.location}};
}

void aims_from_json(const json& list, std::string* problem, std::vector<PlanAim>* aims) {
  if (!list.is_array() || list.size() > kMaxAims) {
    if (problem->empty()) *problem = "metadata field `targets' is not a list, or too long";
    return;
  }
  for (const json& item : list) {
    Fields fields(item, "targets.", problem);
    PlanAim target;
    fields.c_string("module", &target.module);
    fields.number("offset", &target.offset);
    fields.hash("context", &target.context);
    fields.choice("role", kRoleNames, &target.role);
    fields.number("thread", &target.thread);
    fields.number("order", &target.order);
    fields.number("location", &target.location);
    aims->push_back(std::move(target));
  }
}

void outcome_from_json(Fields fields, ReplayFile* file) {
  std::string kind;
  fields.bytes("kind", &kind);
  bool known = false;
  for (int i = 0; i <= static_cast<int>(OutcomeKind::kMemoryFault); ++i) {
    if (kind != outcome_text(static_cast<OutcomeKind>(i))) continue;
    file->outcome = static_cast<OutcomeKind>(i);
    known = true;
  }
  if (!known) fields.fail("kind", "has a value that this raddle does not know");
  fields.bytes("group", &file->group);
  fields.bytes("message", &file->message);
}

// Files of earlier versions lack it; their executions had what it says by itself.
void streams_from_json(const json& metadata, std::string* problem, StreamKinds* streams) {
  if (!metadata.contains("streams")) return;
  Fields fields(metadata["streams"], "streams.", problem);
  fields.choice("input", kStreamKindNames, &streams->input);
  fields.choice("output", kStreamKindNames, &streams->output);
  fields.choice("error", kStreamKindNames, &streams->error);
}

void program_from_json(Fields* fields, ReplayFile* file) {
  fields->c_string("program", &file->program);
  if (file->program.empty() || file->program.front() != '/') {
    fields->fail("program", "is not an absolute path");
  }
  fields->c_strings("arguments", &file->arguments);
  if (file->arguments.empty()) fields->fail("arguments", "is empty");
  fields->c_string("directory", &file->directory);
  if (file->directory.empty() || file->directory.front() != '/') {
    fields->fail("directory", "is not an absolute path");
  }
  fields->c_strings("environment", &file->environment);
  for (const std::string& entry : file->environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      fields->fail("environment", "has an entry that is not NAME=value");
    }
  }
  fields->c_string("build_id", &file->build_id);
  if (file->build_id.size() > kMaxBuildId || !is_hex(file->build_id)) {
    fields->fail("build_id", "is not a build id");
  }
  fields->hash("file_hash", &file->file_hash);
}

}  // namespace

Result<std::string> format_metadata(const ReplayFile& file) {
  json arguments = json::array();
  for (const std::string& argument : file.arguments) arguments.push_back(from_bytes(argument));
  json environment = json::array();
  for (const std::string& entry : file.environment) environment.push_back(from_bytes(entry));
  json aims = json::array();
  for (const PlanAim& target : file.aims) aims.push_back(aim_to_json(target));
  const json metadata = {{"raddle", from_bytes(file.raddle_version)},
                         {"program", from_bytes(file.program)},
                         {"arguments", arguments},
                         {"directory", from_bytes(file.directory)},
                         {"environment", environment},
                         {"streams", streams_to_json(file.streams)},
                         {"image", from_bytes(file.image)},
                         {"build_id", from_bytes(file.build_id)},
                         {"file_hash", fmt::format("{:016x}", file.file_hash)},
                         {"plan", plan_to_json(file.plan)},
                         {"targets", aims},
                         {"outcome",
                          {{"kind", outcome_text(file.outcome)},
                           {"group", from_bytes(file.group)},
                           {"message", from_bytes(file.message)}}},
                         {"level", from_bytes(file.level)},
                         {"explanation", from_bytes(file.explanation)}};
  std::string text = metadata.dump(1);
  text.push_back('\n');
  // What the reader would refuse must not be written: the execution would be lost unnoticed.
  const Result<ReplayFile> again = parse_metadata(text);
  if (!again) return Error{again.error()};
  return text;
}

Result<ReplayFile> parse_metadata(std::string_view text) {
  bool too_deep = false;
  const auto limit_depth = [&too_deep](int depth, json::parse_event_t, const json&) {
    if (depth > kMaxDepth) too_deep = true;
    return !too_deep;
  };
  const json metadata = json::parse(text.begin(), text.end(), limit_depth, false);
  if (too_deep || metadata.is_discarded() || !metadata.is_object()) {
    return Error{"its metadata is not a JSON object"};
  }
  ReplayFile file;
  std::string problem;
  Fields fields(metadata, "", &problem);
  fields.bytes("raddle", &file.raddle_version);
  program_from_json(&fields, &file);
  streams_from_json(metadata, &problem, &file.streams);
  if (metadata.contains("image")) {
    fields.c_string("image", &file.image);
    if (!file.image.empty() && file.image.front() != '/')
      fields.fail("image", "is not an absolute path");
  }
  if (const json* plan = fields.get("plan")) {
    plan_from_json(Fields(*plan, "plan.", &problem), &file.plan);
  }
  if (const json* aims = fields.get("targets")) {
    aims_from_json(*aims, &problem, &file.aims);
  }
  if (const json* outcome = fields.get("outcome")) {
    outcome_from_json(Fields(*outcome, "outcome.", &problem), &file);
  }
  if (metadata.contains("level")) fields.bytes("level", &file.level);
  if (metadata.contains("explanation")) fields.bytes("explanation", &file.explanation);
  if (!problem.empty()) return Error{problem};
  return file;
}

}  // namespace raddle
