#include "prevent/enforce/testing/specification.hpp"

#include <gtest/gtest.h>

namespace raddle::enforce {

TestProperty::TestProperty(const std::string& name, const std::string& logic,
                           const std::string& formula, const std::vector<TestEvent>& events,
                           unsigned parameters, const std::vector<std::string>& categories,
                           bool enforced)
    : handlers(categories.size()), name_(name), events_(events), categories_(categories) {
  std::vector<std::string> event_names;
  event_names.reserve(events_.size());
  for (const TestEvent& event : events_) {
    event_names.push_back(event.name);
    infos.push_back(
        {event.name.c_str(), event.parameters, event.creation, nullptr, nullptr, nullptr});
  }
  for (const std::string& category : categories_) names_.push_back(category.c_str());
  logics::Compiled compiled =
      logics::find_logic(logic)->compile({formula, event_names, categories, enforced});
  const auto* error = std::get_if<logics::CompileError>(&compiled);
  EXPECT_EQ(error, nullptr) << error->expected;
  program_ = std::get<logics::Program>(compiled);
  specification.name = name_.c_str();
  specification.file = "test.mop";
  specification.line = 1;
  specification.enforced = enforced;
  specification.parameter_count = parameters;
}

Property* TestProperty::begin() {
  specification.program = program_.data();
  specification.events = infos.data();
  specification.event_count = unsigned(infos.size());
  specification.categories = names_.data();
  specification.category_count = unsigned(names_.size());
  specification.handlers = handlers.data();
  property = enforce::begin(specification);
  return property;
}

bool TestProperty::operator()(unsigned event, std::initializer_list<const void*> objects,
                              void* context) const {
  return happens(property, event, objects.begin(), context, "test.cpp:1");
}

}  // namespace raddle::enforce
