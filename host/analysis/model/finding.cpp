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

const char* finding_level_text(FindingLevel level) {
  switch (level) {
#define RADDLE_FINDING_LEVEL(name, text) \
  case FindingLevel::name:               \
    return text;
    RADDLE_FINDING_LEVELS(RADDLE_FINDING_LEVEL)
#undef RADDLE_FINDING_LEVEL
  }
  return "candidate";
}

std::optional<FindingLevel> find_finding_level(std::string_view text) {
#define RADDLE_FINDING_LEVEL(name, words) \
  if (text == words) return FindingLevel::name;
  RADDLE_FINDING_LEVELS(RADDLE_FINDING_LEVEL)
#undef RADDLE_FINDING_LEVEL
  return std::nullopt;
}

const char* unit_origin_text(UnitOrigin origin) {
  switch (origin) {
#define RADDLE_UNIT_ORIGIN(name, text) \
  case UnitOrigin::name:               \
    return text;
    RADDLE_UNIT_ORIGINS(RADDLE_UNIT_ORIGIN)
#undef RADDLE_UNIT_ORIGIN
  }
  return "access";
}

bool rests_on_inference(const Finding& finding) {
  // What was not seen synchronising is taken not to order the accesses.
  if (!finding.maybe_ordered_by.empty() || finding.meant_as_atomic) return true;
  return entry_of(finding.kind).rests_on != RestsOn::kNothing && !finding.declared;
}

bool is_entry(FindingRole role) {
  return role == FindingRole::enters_block || role == FindingRole::enters_atomic_block ||
         role == FindingRole::enters_unit;
}

}  // namespace raddle
