#include "prevent/logics/logic.hpp"

namespace raddle::logics {

const std::vector<const Logic*>& all_logics() {
#define RADDLE_LOGIC_ADDRESS(name) &name##_logic,
  static const std::vector<const Logic*> all{RADDLE_LOGICS(RADDLE_LOGIC_ADDRESS)};
#undef RADDLE_LOGIC_ADDRESS
  return all;
}

const Logic* find_logic(std::string_view name) {
  for (const Logic* logic : all_logics())
    if (name == logic->name) return logic;
  return nullptr;
}

}  // namespace raddle::logics
