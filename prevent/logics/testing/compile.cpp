#include "prevent/logics/testing/compile.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace raddle::logics {

Loaded load(const std::string& logic, const std::string& formula,
            const std::vector<std::string>& events, const std::vector<std::string>& categories,
            bool enforced) {
  const Logic* found = find_logic(logic);
  EXPECT_NE(found, nullptr) << logic;
  Compiled compiled = found->compile({formula, events, categories, enforced});
  if (const auto* error = std::get_if<CompileError>(&compiled)) {
    ADD_FAILURE() << formula << "\n" << error->at << ": " << error->expected;
    return {};
  }
  Loaded out{std::move(std::get<Program>(compiled)), nullptr};
  out.property = Property::load(out.program.data());
  return out;
}

std::string error_of(const std::string& logic, const std::string& formula,
                     const std::vector<std::string>& events,
                     const std::vector<std::string>& categories) {
  const Compiled compiled = find_logic(logic)->compile({formula, events, categories, false});
  const auto* error = std::get_if<CompileError>(&compiled);
  if (error == nullptr) return "";
  if (error->category >= 0) return "@" + std::to_string(error->category) + ": " + error->expected;
  return std::to_string(error->at) + ": " + error->expected;
}

std::string after(const Loaded& loaded, const std::vector<EventId>& trace,
                  const std::vector<std::string>& categories) {
  MonitorState state(*loaded.property);
  for (const EventId event : trace) state.step(event);
  std::string out;
  for (std::size_t i = 0; i < categories.size(); ++i)
    if ((state.categories() >> i & 1U) != 0) out += (out.empty() ? "" : " ") + categories[i];
  return out;
}

int oracle_count(int usual) {
  const char* text = std::getenv("RADDLE_ORACLE_TRACES");
  const int asked = text != nullptr ? std::atoi(text) : 0;
  return asked > 0 ? asked : usual;
}

std::vector<EventId> random_trace(Random& random, unsigned events, unsigned longest) {
  std::vector<EventId> out(below(random, longest + 1));
  for (EventId& event : out) event = EventId(below(random, events));
  return out;
}

}  // namespace raddle::logics
