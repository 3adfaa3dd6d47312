// Specifications in tests, as raddle-mop would write them.
#pragma once

#include <string>
#include <vector>

#include "prevent/logics/testing/compile.hpp"
#include "raddle/enforce.hpp"

namespace raddle::enforce {

struct TestEvent {
  std::string name;
  std::uint32_t parameters;
  bool creation = false;
};

// Lives for as long as the test program: properties do.
class TestProperty {
 public:
  TestProperty(const std::string& name, const std::string& logic, const std::string& formula,
               const std::vector<TestEvent>& events, unsigned parameters,
               const std::vector<std::string>& categories, bool enforced);

  // Before begin().
  Specification specification{};
  std::vector<EventInfo> infos;
  std::vector<void (*)(Handling&)> handlers;

  Property* begin();
  bool operator()(unsigned event, std::initializer_list<const void*> objects,
                  void* context = nullptr) const;

  Property* property = nullptr;

 private:
  std::string name_;
  std::vector<TestEvent> events_;
  std::vector<std::string> categories_;
  std::vector<const char*> names_;
  logics::Program program_;
};

}  // namespace raddle::enforce
