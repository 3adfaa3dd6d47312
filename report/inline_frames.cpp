#include "report/inline_frames.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdlib>
#include <memory>

#include "report/names.hpp"

namespace raddle {

namespace {

// The array of scopes that libdw allocates with malloc.
class Scopes {
 public:
  ~Scopes() { std::free(array_); }
  Scopes() = default;
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;

  Dwarf_Die** out() { return &array_; }
  Dwarf_Die& operator[](int i) { return array_[i]; }

 private:
  Dwarf_Die* array_ = nullptr;
};

// The compilation unit of an address. clang writes no .debug_aranges unless asked, so what is not
// found there is searched for in the units' own ranges.
Dwarf_Die* unit_of(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias) {
  if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, bias)) return unit;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, bias)) != nullptr) {
    if (dwarf_haspc(unit, address - *bias) > 0) return unit;
  }
  return nullptr;
}

std::string absolute_source(const char* source, Dwarf_Die* unit) {
  if (source == nullptr) return {};
  if (source[0] == '/') return source;
  Dwarf_Attribute attribute;
  const char* folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return folder == nullptr ? std::string(source) : std::string(folder) + '/' + source;
}

std::string die_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    const char* mangled = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
    if (mangled != nullptr) return function_name(mangled);
  }
  const char* plain = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
  return plain == nullptr ? std::string() : std::string(plain);
}

// Where an inlined function was called from.
void set_call_place(Dwarf_Die* inlined, Dwarf_Die* unit, DwarfFrame& caller) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  caller.path.clear();
  caller.line = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &value) == 0 &&
      dwarf_getsrcfiles(unit, &files, &count) == 0 && value < count) {
    caller.path = absolute_source(dwarf_filesrc(files, value, nullptr, nullptr), unit);
  }
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &value) == 0) {
    caller.line = static_cast<int>(value);
  }
}

bool is_function(int tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

}  // namespace

std::vector<DwarfFrame> dwarf_frames(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = unit_of(module, address, &bias);
  if (unit == nullptr) return {};

  DwarfFrame frame;
  if (Dwarf_Line* line = dwarf_getsrc_die(unit, address - bias)) {
    frame.path = absolute_source(dwarf_linesrc(line, nullptr, nullptr), unit);
    dwarf_lineno(line, &frame.line);
  }
  // dwarf_getscopes() continues from an inlined function into the scopes of its definition; its own
  // scopes, those of dwarf_getscopes_die(), continue into the callers. So: the innermost function
  // from the one, then outwards with the other.
  Scopes lexical;
  const int lexical_count = dwarf_getscopes(unit, address - bias, lexical.out());
  int first = 0;
  while (first < lexical_count && !is_function(dwarf_tag(&lexical[first]))) ++first;
  if (first >= lexical_count) {
    if (frame.path.empty()) return {};
    return {frame};
  }
  std::vector<DwarfFrame> frames;
  Scopes physical;
  const int count = dwarf_getscopes_die(&lexical[first], physical.out());
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&physical[i]);
    if (!is_function(tag)) continue;
    frame.function = die_name(&physical[i]);
    frame.inlined = tag == DW_TAG_inlined_subroutine;
    frames.push_back(frame);
    if (!frame.inlined) break;
    set_call_place(&physical[i], unit, frame);
  }
  return frames;
}

}  // namespace raddle
