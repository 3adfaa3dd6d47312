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
  return {{"title", title_words(explanation)},
          {"summary", summary_words(explanation)},
          {"steps", steps},
          {"sentences", explanation_sentences(explanation)},
          {"suggestion", suggestion_words(explanation)}};
}

}  // namespace raddle
