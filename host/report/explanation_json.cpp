#include "host/report/explanation_json.hpp"

#include <nlohmann/json.hpp>

#include "host/report/json.hpp"

namespace raddle {

nlohmann::json explanation_json(const Explanation& explanation) {
  if (explanation.empty()) return nullptr;
  nlohmann::json steps = nlohmann::json::array();
  for (const ExplainedStep& step : explanation.steps) {
    steps.push_back({{"step", step.step},
                     {"thread", step.thread},
                     {"what", step.what},
                     {"where", where_json(step.where)},
                     {"violates", step.violates}});
  }
  return {{"title", explanation.title},
          {"summary", explanation.summary},
          {"steps", steps},
          {"sentences", explanation.sentences},
          {"suggestion", explanation.suggestion}};
}

}  // namespace raddle
