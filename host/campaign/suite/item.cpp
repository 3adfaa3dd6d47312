#include "host/campaign/suite/item.hpp"

#include <nlohmann/json.hpp>

namespace raddle {

using nlohmann::json;

NLOHMANN_JSON_SERIALIZE_ENUM(ItemKind, {{ItemKind::kProbe, "probe"},
                                        {ItemKind::kSearch, "search"},
                                        {ItemKind::kCandidate, "candidate"},
                                        {ItemKind::kExplore, "explore"},
                                        {ItemKind::kSmallest, "smallest"}})

static void to_json(json& out, const PlanAim& aim) {
  out = {aim.module, aim.offset, aim.context, static_cast<int>(aim.role),
         aim.thread, aim.order,  aim.location};
}

static void from_json(const json& in, PlanAim& aim) {
  aim.module = in.at(0).get<std::string>();
  aim.offset = in.at(1).get<std::uint64_t>();
  aim.context = in.at(2).get<std::uint64_t>();
  aim.role = static_cast<AimRole>(in.at(3).get<std::uint8_t>());
  aim.thread = in.at(4).get<std::uint8_t>();
  aim.order = in.at(5).get<std::uint8_t>();
  aim.location = in.at(6).get<std::uint8_t>();
}

static void to_json(json& out, const PlanResult& plan) {
  out = {plan.outcome, plan.schedule, plan.steps, plan.shows};
}

static void from_json(const json& in, PlanResult& plan) {
  plan.outcome = in.at(0).get<std::uint8_t>();
  plan.schedule = in.at(1).get<std::uint64_t>();
  plan.steps = in.at(2).get<std::uint64_t>();
  plan.shows = in.at(3).get<std::uint32_t>();
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SuiteTest, name, command, directory, environment, ok_exit,
                                   bundle)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SuiteCandidate, key, kind, what, pattern, place, places, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SuiteProfile, length, threads, instrumented, whole, racing)

// Bytes of files are no text: they travel as CBOR's byte strings.
static json binary_of(const std::string& bytes) {
  return json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

static std::string bytes_of(const json& value) {
  const auto& binary = value.get_binary();
  return {binary.begin(), binary.end()};
}

static void to_json(json& out, const ItemFinding& one) {
  out = {{"key", one.key},
         {"kind", one.kind},
         {"level", one.level},
         {"message", one.message},
         {"index", one.index},
         {"times", one.times},
         {"replay", binary_of(one.replay)}};
}

static void from_json(const json& in, ItemFinding& one) {
  in.at("key").get_to(one.key);
  in.at("kind").get_to(one.kind);
  in.at("level").get_to(one.level);
  in.at("message").get_to(one.message);
  in.at("index").get_to(one.index);
  in.at("times").get_to(one.times);
  one.replay = bytes_of(in.at("replay"));
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ItemResult, id, problem, spoiled, plans, shown, findings,
                                   profile, candidates, written, realised, complete, seconds,
                                   worker)

namespace {

std::string cbor(const json& value) {
  const std::vector<std::uint8_t> bytes = json::to_cbor(value);
  return {bytes.begin(), bytes.end()};
}

// nlohmann throws for what is missing, or of another type.
template <class T, class Take>
Result<T> parsed(std::string_view bytes, const char* what, Take take) {
  try {
    T result;
    take(json::from_cbor(bytes.begin(), bytes.end()), result);
    return result;
  } catch (const json::exception&) {
    return Error{std::string("these bytes are no ") + what};
  }
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 29);
}

std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = mixed(hash, static_cast<unsigned char>(c));
  return mixed(hash, text.size());
}

}  // namespace

std::string item_bytes(const Item& item) {
  return cbor({{"id", item.id},
               {"kind", item.kind},
               {"test", item.test},
               {"profile", item.profile},
               {"candidate", item.candidate},
               {"from", item.from},
               {"to", item.to},
               {"replay", binary_of(item.replay)},
               {"first_seed", item.first_seed},
               {"timeout_ms", item.timeout_ms},
               {"most_steps", item.most_steps}});
}

Result<Item> parse_item(std::string_view bytes) {
  return parsed<Item>(bytes, "item", [](const json& in, Item& item) {
    in.at("id").get_to(item.id);
    in.at("kind").get_to(item.kind);
    in.at("test").get_to(item.test);
    in.at("profile").get_to(item.profile);
    in.at("candidate").get_to(item.candidate);
    in.at("from").get_to(item.from);
    in.at("to").get_to(item.to);
    item.replay = bytes_of(in.at("replay"));
    in.at("first_seed").get_to(item.first_seed);
    in.at("timeout_ms").get_to(item.timeout_ms);
    in.at("most_steps").get_to(item.most_steps);
  });
}

std::string result_bytes(const ItemResult& result) { return cbor(result); }

Result<ItemResult> parse_result(std::string_view bytes) {
  return parsed<ItemResult>(bytes, "result", [](const json& in, ItemResult& result) {
    in.get_to(result);
    for (const PlanResult& plan : result.plans) {
      if (plan.shows > result.shown.size())
        throw json::other_error::create(500, "an index beyond its table", nullptr);
    }
  });
}

std::uint64_t outcomes_digest(const Item& item, const ItemResult& result) {
  std::uint64_t sum = 0;
  std::uint64_t index = item.from;
  for (const PlanResult& plan : result.plans) {
    std::uint64_t hash = mixed(item.candidate.key, index++);
    hash = mixed(hash, item.test.name);
    hash = mixed(mixed(hash, plan.outcome), plan.schedule);
    hash = mixed(hash, plan.shows == 0 ? std::string_view() : result.shown[plan.shows - 1]);
    sum += hash;
  }
  return sum;
}

}  // namespace raddle
