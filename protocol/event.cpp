#include "protocol/event.hpp"

namespace raddle {

const char* event_text(EventKind kind) {
  static constexpr const char* kTexts[] = {
#define RADDLE_EVENT_TEXT(name, text) text,
      RADDLE_EVENTS(RADDLE_EVENT_TEXT)
#undef RADDLE_EVENT_TEXT
  };
  auto index = static_cast<unsigned>(kind);
  return index < unsigned(kEventKinds) ? kTexts[index] : "unknown event";
}

}  // namespace raddle
