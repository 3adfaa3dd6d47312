#include "host/cli/running/hunt_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/base/atomic_file.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr std::uintmax_t kMostBytes = 64 << 20;
constexpr std::size_t kMostCandidates = 1'000'000;

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

bool from_hex(const json& value, std::uint64_t* out) {
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *out, 16);
  return error == std::errc() && rest == text.data() + text.size();
}

const json* member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

bool take(const json& object, const char* name, std::string* out) {
  const json* value = member(object, name);
  if (value == nullptr || !value->is_string()) return false;
  *out = value->get<std::string>();
  return true;
}

bool take(const json& object, const char* name, std::uint64_t* out) {
  const json* value = member(object, name);
  if (value == nullptr || !value->is_number_unsigned()) return false;
  *out = value->get<std::uint64_t>();
  return true;
}

bool take_candidates(const json& list, std::vector<KnownCandidate>* out) {
  if (!list.is_array() || list.size() > kMostCandidates) return false;
  for (const json& item : list) {
    KnownCandidate candidate;
    std::string level;
    if (!item.is_object() || !item.contains("key") || !from_hex(item["key"], &candidate.key) ||
        !take(item, "tried", &candidate.tried) || !take(item, "level", &level)) {
      return false;
    }
    candidate.level = find_finding_level(level).value_or(FindingLevel::kCandidate);
    out->push_back(candidate);
  }
  return true;
}

bool take_failures(const json& list, std::vector<HuntState::Failure>* out) {
  if (!list.is_array() || list.size() > kMostCandidates) return false;
  for (const json& item : list) {
    HuntState::Failure failure;
    if (!item.is_object() || !take(item, "group", &failure.group) ||
        !take(item, "replay", &failure.replay)) {
      return false;
    }
    out->push_back(std::move(failure));
  }
  return true;
}

// False: something is missing, or of another type.
bool take_all(const json& object, HuntState* state) {
  const json* arguments = member(object, "arguments");
  if (arguments == nullptr || !arguments->is_array()) return false;
  for (const json& argument : *arguments) {
    if (!argument.is_string()) return false;
    state->arguments.push_back(argument.get<std::string>());
  }
  const json* seconds = member(object, "seconds");
  if (seconds == nullptr || !seconds->is_number()) return false;
  state->seconds = seconds->get<double>();
  return take(object, "program", &state->program) && take(object, "build_id", &state->build_id) &&
         object.contains("file_hash") && from_hex(object["file_hash"], &state->file_hash) &&
         take(object, "next_seed", &state->next_seed) &&
         take(object, "executions", &state->executions) && object.contains("candidates") &&
         take_candidates(object["candidates"], &state->candidates) && object.contains("failures") &&
         take_failures(object["failures"], &state->failures);
}

std::string build_name(const std::string& build_id, std::uint64_t file_hash) {
  return build_id.empty() ? "contents " + hex(file_hash) : "build id " + build_id;
}

}  // namespace

std::string hunt_state_path(const std::string& given) {
  std::error_code error;
  return fs::is_directory(given, error) ? (fs::path(given) / "hunt.json").string() : given;
}

Result<HuntState> read_hunt_state(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error) {
    return Error{fmt::format("cannot read {}: {}; `raddle hunt' leaves a hunt.json in its --out",
                             path, error.message())};
  }
  const std::string not_one = fmt::format("{} is not the state of a hunt", path);
  if (bytes > kMostBytes) return Error{not_one + ": it is too large"};
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file) return Error{fmt::format("cannot read {}", path)};
  constexpr int kMostDepth = 4;
  bool too_deep = false;
  const auto limit = [&](int depth, json::parse_event_t, const json&) {
    too_deep = too_deep || depth > kMostDepth;
    return !too_deep;
  };
  const json object = json::parse(text, limit, false);
  if (too_deep || object.is_discarded() || !object.is_object()) {
    return Error{not_one + ": it is not a JSON object"};
  }
  std::uint64_t version = 0;
  if (!take(object, "raddle_hunt", &version)) return Error{not_one};
  if (version != kHuntStateVersion) {
    return Error{fmt::format("{} was written by another version of raddle; hunt anew", path)};
  }
  HuntState state;
  if (!take_all(object, &state)) return Error{not_one + ": something in it is damaged; hunt anew"};
  return state;
}

Result<std::monostate> write_hunt_state(const std::string& path, const HuntState& state) {
  nlohmann::ordered_json object = {
      {"raddle_hunt", kHuntStateVersion},  {"program", state.program},
      {"arguments", state.arguments},      {"build_id", state.build_id},
      {"file_hash", hex(state.file_hash)}, {"next_seed", state.next_seed},
      {"executions", state.executions},    {"seconds", state.seconds}};
  object["candidates"] = nlohmann::ordered_json::array();
  for (const KnownCandidate& one : state.candidates) {
    object["candidates"].push_back(
        {{"key", hex(one.key)}, {"tried", one.tried}, {"level", finding_level_text(one.level)}});
  }
  object["failures"] = nlohmann::ordered_json::array();
  for (const HuntState::Failure& one : state.failures) {
    object["failures"].push_back({{"group", one.group}, {"replay", one.replay}});
  }
  return write_file_atomically(
      path, object.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Result<std::monostate> check_same_hunt(const std::string& path, const HuntState& state,
                                       const PreparedProgram& prepared) {
  const Target& target = prepared.target;
  const bool ids = !state.build_id.empty() && !target.build_id.empty();
  const bool same = ids ? state.build_id == target.build_id : state.file_hash == target.file_hash;
  if (!same) {
    return Error{
        fmt::format("{} is of another build: it has {}, and {} has {}; hunt anew, or build as then",
                    path, build_name(state.build_id, state.file_hash), target.path,
                    build_name(target.build_id, target.file_hash))};
  }
  if (state.arguments != prepared.command.arguments) {
    return Error{fmt::format("{} is of other arguments: {}; hunt anew, or give the same", path,
                             fmt::join(state.arguments, " "))};
  }
  return std::monostate{};
}

HuntState state_after(const HuntState& before, const PreparedProgram& prepared,
                      const HuntResult& result, double seconds) {
  HuntState state;
  state.program = prepared.target.path;
  state.arguments = prepared.command.arguments;
  state.build_id = prepared.target.build_id;
  state.file_hash = prepared.target.file_hash;
  state.next_seed = result.next_seed;
  state.executions = before.executions + result.executions;
  state.seconds = before.seconds + seconds;
  for (const HuntFinding& one : result.candidates) {
    state.candidates.push_back({one.key, one.tried, one.level});
  }
  state.failures = before.failures;
  for (const HuntFailure& one : result.failures) {
    const std::string& group = one.group.failure.group;
    const bool known = std::any_of(state.failures.begin(), state.failures.end(),
                                   [&](const HuntState::Failure& f) { return f.group == group; });
    if (!known) {
      state.failures.push_back({group, fs::path(one.group.replay_path).filename().string()});
    }
  }
  return state;
}

}  // namespace raddle
