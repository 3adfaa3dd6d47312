#include "host/symbols/dwarf_members.hpp"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "host/symbols/names.hpp"

namespace raddle {

namespace {

constexpr int kMostEntries = 2'000'000;
constexpr int kDeepest = 16;

bool may_hold_variables(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

std::optional<Dwarf_Die> type_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(die, DW_AT_type, &attribute) == nullptr) return std::nullopt;
  if (dwarf_formref_die(&attribute, &type) == nullptr) return std::nullopt;
  Dwarf_Die plain;
  if (dwarf_peel_type(&type, &plain) != 0) return std::nullopt;
  return plain;
}

std::optional<Dwarf_Addr> fixed_address(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(die, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) return std::nullopt;
  if (operations[0].atom == DW_OP_addr) return operations[0].number;
  if (operations[0].atom != DW_OP_addrx) return std::nullopt;
  Dwarf_Attribute indexed;
  Dwarf_Addr address = 0;
  if (dwarf_getlocation_attr(&attribute, operations, &indexed) != 0) return std::nullopt;
  if (dwarf_formaddr(&indexed, &address) != 0) return std::nullopt;
  return address;
}

void collect(Dwarf_Die* parent, Dwarf_Addr bias, int depth, int& budget, VariableTypes& found) {
  Dwarf_Die die;
  if (depth > kDeepest || dwarf_child(parent, &die) != 0) return;
  do {
    if (--budget < 0) return;
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_variable) {
      const std::optional<Dwarf_Addr> address = fixed_address(&die);
      const std::optional<Dwarf_Die> type = address ? type_of(&die) : std::nullopt;
      if (type) found.emplace(*address + bias, *type);
    } else if (may_hold_variables(tag)) {
      collect(&die, bias, depth + 1, budget, found);
    }
  } while (dwarf_siblingof(&die, &die) == 0);
}

bool is_library_type(Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  const char* file = dwarf_decl_file(type);
  if (file != nullptr && is_system_header(file)) return true;
  const char* name = dwarf_formstring(dwarf_attr_integrate(type, DW_AT_name, &attribute));
  return name != nullptr && std::string_view(name).rfind("pthread_", 0) == 0;
}

// The elements of a std::array are as good as those of an array: the type of its only member.
std::optional<Dwarf_Die> elements_of(Dwarf_Die* type) {
  const char* name = dwarf_diename(type);
  Dwarf_Die member;
  if (name == nullptr || std::string_view(name).rfind("array<", 0) != 0) return std::nullopt;
  if (!is_library_type(type) || dwarf_child(type, &member) != 0) return std::nullopt;
  do {
    if (dwarf_tag(&member) == DW_TAG_member) return type_of(&member);
  } while (dwarf_siblingof(&member, &member) == 0);
  return std::nullopt;
}

std::optional<std::uint64_t> member_offset(Dwarf_Die* member) {
  Dwarf_Attribute attribute;
  Dwarf_Word offset = 0;
  if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == nullptr) {
    return dwarf_hasattr(member, DW_AT_external) ? std::nullopt : std::optional<std::uint64_t>(0);
  }
  if (dwarf_formudata(&attribute, &offset) != 0) return std::nullopt;
  return offset;
}

std::string path_within(Dwarf_Die type, std::uint64_t offset, int depth);

std::string path_in_array(Dwarf_Die* array, std::uint64_t offset, int depth) {
  std::optional<Dwarf_Die> element = type_of(array);
  Dwarf_Word size = 0;
  if (!element || dwarf_aggregate_size(&*element, &size) != 0 || size == 0) return {};
  return fmt::format("[{}]", offset / size) + path_within(*element, offset % size, depth + 1);
}

std::string path_within(Dwarf_Die type, std::uint64_t offset, int depth) {
  const int tag = dwarf_tag(&type);
  if (tag == DW_TAG_array_type && depth < kDeepest) return path_in_array(&type, offset, depth);
  const bool aggregate = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
  Dwarf_Die member;
  if (!aggregate || depth > kDeepest) return {};
  if (const std::optional<Dwarf_Die> elements = elements_of(&type))
    return path_within(*elements, offset, depth + 1);
  if (is_library_type(&type) || dwarf_child(&type, &member) != 0) return {};
  do {
    const int kind = dwarf_tag(&member);
    if (kind != DW_TAG_member && kind != DW_TAG_inheritance) continue;
    const std::optional<std::uint64_t> begin = member_offset(&member);
    std::optional<Dwarf_Die> inner = type_of(&member);
    Dwarf_Word size = 0;
    if (!begin || !inner || dwarf_aggregate_size(&*inner, &size) != 0) continue;
    if (offset < *begin || offset - *begin >= size) continue;
    const char* name = dwarf_diename(&member);
    const bool named = kind == DW_TAG_member && name != nullptr;
    return (named ? fmt::format(".{}", name) : std::string()) +
           path_within(*inner, offset - *begin, depth + 1);
  } while (dwarf_siblingof(&member, &member) == 0);
  return {};
}

constexpr std::size_t kMostMembers = 1024;   // of a class
constexpr std::uint64_t kMostElements = 64;  // of an array: the others are named by the array

// Appends what lies at `offset` of the class: a thing of the library or a number as one member, a
// class of the program member by member.
void collect_members(Dwarf_Die type, std::uint64_t offset, const std::string& path, int depth,
                     std::vector<ClassMember>& found);

void collect_elements(Dwarf_Die* array, std::uint64_t offset, const std::string& path, int depth,
                      std::vector<ClassMember>& found) {
  const std::optional<Dwarf_Die> element = type_of(array);
  const std::uint64_t size = element ? size_of_type(*element).value_or(0) : 0;
  const std::uint64_t whole = size_of_type(*array).value_or(0);
  if (size == 0 || whole / size > kMostElements) {
    if (whole != 0) found.push_back({offset, whole, path});
    return;
  }
  for (std::uint64_t i = 0; i < whole / size; ++i) {
    collect_members(*element, offset + i * size, fmt::format("{}[{}]", path, i), depth + 1, found);
  }
}

void collect_members(Dwarf_Die type, std::uint64_t offset, const std::string& path, int depth,
                     std::vector<ClassMember>& found) {
  if (depth > kDeepest || found.size() >= kMostMembers) return;
  const int tag = dwarf_tag(&type);
  if (tag == DW_TAG_array_type) return collect_elements(&type, offset, path, depth, found);
  const bool aggregate = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
  Dwarf_Die member;
  if (const auto elements = aggregate ? elements_of(&type) : std::nullopt)
    return collect_members(*elements, offset, path, depth + 1, found);
  if (!aggregate || is_library_type(&type)) {
    const std::uint64_t bytes = size_of_type(type).value_or(0);
    if (bytes != 0 && !path.empty()) found.push_back({offset, bytes, path});
    return;
  }
  if (dwarf_child(&type, &member) != 0) return;
  do {
    const int kind = dwarf_tag(&member);
    if (kind != DW_TAG_member && kind != DW_TAG_inheritance) continue;
    const std::optional<std::uint64_t> begin = member_offset(&member);
    const std::optional<Dwarf_Die> inner = type_of(&member);
    const char* name = kind == DW_TAG_member ? dwarf_diename(&member) : nullptr;
    const bool hidden = name != nullptr && dwarf_hasattr(&member, DW_AT_artificial) != 0;
    if (!begin || !inner || hidden) continue;
    std::string inside = path;
    if (name != nullptr) inside += (path.empty() ? "" : ".") + std::string(name);
    collect_members(*inner, offset + *begin, inside, depth + 1, found);
  } while (dwarf_siblingof(&member, &member) == 0);
}

}  // namespace

std::vector<ClassMember> data_members(Dwarf_Die type) {
  std::vector<ClassMember> found;
  collect_members(type, 0, "", 0, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.offset < b.offset; });
  // Bit fields, and bases without members, share their bytes with what comes first.
  std::vector<ClassMember> apart;
  for (ClassMember& member : found) {
    const bool overlaps =
        !apart.empty() && member.offset < apart.back().offset + apart.back().bytes;
    if (!overlaps) apart.push_back(std::move(member));
  }
  return apart;
}

VariableTypes global_variables(Dwfl_Module* module) {
  VariableTypes found;
  int budget = kMostEntries;
  Dwarf_Die* unit = nullptr;
  Dwarf_Addr bias = 0;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr && budget > 0) {
    collect(unit, bias, 0, budget, found);
  }
  return found;
}

std::string member_path(const VariableTypes& variables, std::uint64_t variable,
                        std::uint64_t offset) {
  const auto entry = variables.find(variable);
  return entry == variables.end() ? std::string() : path_within(entry->second, offset, 0);
}

std::string member_path(Dwarf_Die type, std::uint64_t offset) {
  const std::string path = path_within(type, offset, 0);
  return !path.empty() && path[0] == '.' ? path.substr(1) : path;
}

std::string path_in_variable(Dwarf_Die* variable, std::uint64_t offset) {
  const std::optional<Dwarf_Die> type = type_of(variable);
  const std::string path = type ? path_within(*type, offset, 0) : std::string();
  return path.empty() && offset != 0 ? fmt::format("+{:#x}", offset) : path;
}

std::optional<std::uint64_t> size_of_type(Dwarf_Die type) {
  Dwarf_Word size = 0;
  if (dwarf_aggregate_size(&type, &size) != 0) return std::nullopt;
  return size;
}

std::optional<std::uint64_t> size_of_variable(Dwarf_Die* variable) {
  const std::optional<Dwarf_Die> type = type_of(variable);
  return type ? size_of_type(*type) : std::nullopt;
}

}  // namespace raddle
