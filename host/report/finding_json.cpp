#include "host/report/finding_json.hpp"

#include <nlohmann/json.hpp>

#include "host/report/explanation_json.hpp"
#include "host/report/words/finding_words.hpp"
#include "host/report/words/harm_words.hpp"
#include "host/report/words/published/memory_order_words.hpp"
#include "host/report/words/published/published_words.hpp"

namespace raddle {
namespace {

using nlohmann::ordered_json;

void add_place(ordered_json& json, const Where& where) {
  json["file"] = where.file;
  json["line"] = where.line;
  json["function"] = where.function;
}

ordered_json step_json(const StoryStep& step) {
  ordered_json json;
  json["thread"] = raw(step.thread);
  json["thread_name"] = step.thread_name;
  json["step"] = step.step;
  json["role"] = finding_role_text(step.role);
  add_place(json, step.where);
  json["source"] = step.source;
  json["object"] = step.object;
  json["value"] = nullptr;
  if (step.value) json["value"] = *step.value;
  json["locks"] = step.locks;
  json["stack"] = ordered_json::array();
  for (const Where& where : step.stack) {
    ordered_json frame;
    add_place(frame, where);
    json["stack"].push_back(std::move(frame));
  }
  return json;
}

ordered_json units_json(const FindingStory& story) {
  ordered_json list = ordered_json::array();
  for (const StoryUnit& unit : story.units) {
    list.push_back({{"name", unit.name},
                    {"thread_name", unit.thread_name},
                    {"origin", unit_origin_text(unit.origin)},
                    {"why", inference_words(unit, story.object)}});
  }
  return list;
}

ordered_json published_json(const std::vector<StoryStep>& steps) {
  ordered_json list = ordered_json::array();
  for (const StoryStep& step : steps) {
    ordered_json json = step_json(step);
    json["order"] = nullptr;
    if (step.order) json["order"] = order_text(*step.order);
    list.push_back(std::move(json));
  }
  return list;
}

ordered_json harm_json(const Harm& harm) {
  ordered_json json = {{"found", harm.found}, {"words", harm_words(harm)}};
  json["objects"] = ordered_json::array();
  for (const HarmedObject& object : harm.objects)
    json["objects"].push_back(
        {{"name", object.name}, {"here", object.here}, {"serially", object.serially}});
  json["written_here"] = harm.written_here;
  json["written_serially"] = harm.written_serially;
  return json;
}

}  // namespace

nlohmann::ordered_json finding_json(const FindingStory& story) {
  ordered_json json;
  json["level"] = finding_level_text(story.level);
  json["kind"] = finding_kind_text(story.kind);
  if (story.kind == FindingKind::atomic_set) json["pattern"] = story.pattern;
  json["id"] = story.id;
  json["count"] = story.count;
  json["what"] = story.what;
  json["why"] = why_words(story);
  json["object"] = story.object;
  json["declared"] = story.declared;
  json["inference"] = nullptr;
  if (story.rests_on_inference) json["inference"] = inference_words(story);
  json["units"] = units_json(story);
  json["harm"] = nullptr;
  if (story.harm.found || !story.harm.why_not.empty()) json["harm"] = harm_json(story.harm);
  json["maybe_ordered_by"] = story.maybe_ordered_by;
  json["steps"] = ordered_json::array();
  for (const StoryStep& step : story.steps) json["steps"].push_back(step_json(step));
  json["published"] = nullptr;
  if (!story.published.empty()) json["published"] = published_json(story.published);
  json["announced"] = nullptr;
  if (!story.announced.empty()) json["announced"] = published_json(story.announced);
  json["explanation"] = explanation_json(story.explanation);
  return json;
}

}  // namespace raddle
