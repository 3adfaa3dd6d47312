#include "host/analysis/model/finding.hpp"

namespace raddle {

const char* finding_kind_text(FindingKind kind) {
  switch (kind) {
#define RADDLE_FINDING_TEXT(name, text) \
  case FindingKind::name:               \
    return text;
    RADDLE_FINDING_KINDS(RADDLE_FINDING_TEXT)
#undef RADDLE_FINDING_TEXT
  }
  return "finding";
}

}  // namespace raddle
