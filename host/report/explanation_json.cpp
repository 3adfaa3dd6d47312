#include "host/report/explanation_json.hpp"

#include <nlohmann/json.hpp>

#include "host/report/json.hpp"
#include "host/report/words/explanation_words.hpp"

namespace raddle {

nlohmann::json explanation_json(const Explanation& explanation) {
  if (explanation.empty()) return nullptr;
  nlohmann::json steps = nlohmann::json::array();
  for (const ExplainedStep& step : explanation.steps) {
    steps.push_back({{"step", step.step},
                     {"thread", raw(step.thread)},
                     {"what", explained_step_words(explanation, step)},
                     {"where", where_json(step.where)},
                     {"violates", step.violates}});
  }
  const auto access_json = [](const ExplainedAccess& access) {
    return nlohmann::json{{"thread", raw(access.thread)}, {"where", where_json(access.where)}};
  };
  return {{"cause", cause_text(explanation.cause)},
          {"object", explained_object_words(explanation)},
          {"first", access_json(explanation.first)},
          {"last", access_json(explanation.last)},
          {"title", title_words(explanation)},
          {"summary", summary_words(explanation)},
          {"steps", steps},
          {"sentences", explanation_sentences(explanation)},
          {"suggestion", suggestion_words(explanation)}};
}

}  // namespace raddle
