#include "host/analysis/model/finding.hpp"

namespace raddle {
namespace {

constexpr FindingKindEntry kKinds[] = {
#define RADDLE_FINDING_ENTRY(identifier, ...) {__VA_ARGS__},
    RADDLE_FINDING_KINDS(RADDLE_FINDING_ENTRY)
#undef RADDLE_FINDING_ENTRY
};

}  // namespace

std::span<const FindingKindEntry> finding_kinds() { return kKinds; }

const FindingKindEntry& entry_of(FindingKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::optional<FindingKind> find_finding_kind(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    if (name == kKinds[i].name) return static_cast<FindingKind>(i);
  }
  return std::nullopt;
}

const char* finding_role_text(FindingRole role) {
  switch (role) {
#define RADDLE_FINDING_TEXT(name, text) \
  case FindingRole::name:               \
    return text;
    RADDLE_FINDING_ROLES(RADDLE_FINDING_TEXT)
#undef RADDLE_FINDING_TEXT
  }
  return "is at";
}

bool is_entry(FindingRole role) {
  return role == FindingRole::enters_block || role == FindingRole::enters_atomic_block ||
         role == FindingRole::enters_unit;
}

}  // namespace raddle
