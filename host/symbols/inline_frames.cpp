#include "host/symbols/inline_frames.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdlib>
#include <string_view>

#include "host/symbols/dwarf_scopes.hpp"
#include "host/symbols/names.hpp"

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

std::string absolute_source(const char* source, Dwarf_Die* unit) {
  if (source == nullptr) return {};
  if (source[0] == '/') return source;
  Dwarf_Attribute attribute;
  const char* folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return folder == nullptr ? std::string(source) : std::string(folder) + '/' + source;
}

// The declaration inside its class or namespace.
Dwarf_Die declaration_of(Dwarf_Die die) {
  for (unsigned link : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    Dwarf_Die target;
    if (dwarf_attr(&die, link, &attribute) == nullptr) continue;
    if (dwarf_formref_die(&attribute, &target) != nullptr) die = target;
  }
  return die;
}

bool has_call_operator(Dwarf_Die type) {
  Dwarf_Die child;
  if (dwarf_child(&type, &child) != 0) return false;
  do {
    const char* name = dwarf_diename(&child);
    if (dwarf_tag(&child) == DW_TAG_subprogram && name != nullptr &&
        std::string_view(name) == "operator()") {
      return true;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

// A lambda is an unnamed class with a call operator; they are numbered as they come in a function,
// which is what the compilers do in linkage names. True when `lambda` was found, as number `count`.
bool count_lambdas(Dwarf_Die* scope, Dwarf_Off lambda, int& count) {
  Dwarf_Die die;
  if (dwarf_child(scope, &die) != 0) return false;
  do {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_lexical_block && count_lambdas(&die, lambda, count)) return true;
    const bool unnamed_class = (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) &&
                               dwarf_diename(&die) == nullptr;
    if (!unnamed_class || !has_call_operator(die)) continue;
    ++count;
    if (dwarf_dieoffset(&die) == lambda) return true;
  } while (dwarf_siblingof(&die, &die) == 0);
  return false;
}

std::string lambda_name(Dwarf_Die lambda, Scopes& scopes, int from, int scope_count) {
  for (int i = from; i < scope_count; ++i) {
    if (!is_function(dwarf_tag(&scopes[i]))) continue;
    int count = 0;
    if (!count_lambdas(&scopes[i], dwarf_dieoffset(&lambda), count)) break;
    return "{lambda#" + std::to_string(count) + "}";
  }
  return "{lambda}";
}

// "Account::withdraw" from the names of the enclosing scopes.
std::string qualified_name(Dwarf_Die* die, int depth = 0) {
  constexpr int kDeepest = 20;
  Dwarf_Die declaration = declaration_of(*die);
  Scopes scopes;
  const int count = dwarf_getscopes_die(&declaration, scopes.out());
  std::string text;
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (!is_function(tag) && !is_named_scope(tag)) continue;
    // The enclosing function of a local class has its own declaration somewhere else.
    if (i > 0 && is_function(tag) && depth < kDeepest) {
      return qualified_name(&scopes[i], depth + 1) + "::" + short_function(text);
    }
    Dwarf_Attribute attribute;
    const char* name = dwarf_formstring(dwarf_attr_integrate(&scopes[i], DW_AT_name, &attribute));
    if (name == nullptr && text == "operator()") {
      text = lambda_name(scopes[i], scopes, i + 1, count);
      continue;
    }
    if (name == nullptr && tag != DW_TAG_namespace) continue;
    const std::string part = name == nullptr ? "(anonymous namespace)" : name;
    text.insert(0, text.empty() ? part : part + "::");
  }
  return short_function(text);
}

void set_name(Dwarf_Die* die, DwarfFrame& frame) {
  Dwarf_Attribute attribute;
  for (unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    const char* mangled = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
    if (mangled == nullptr) continue;
    frame.function = function_name(mangled);
    frame.exact = true;
    return;
  }
  frame.function = qualified_name(die);
  frame.exact = false;
}

bool is_unwritten(Dwarf_Die* function, int line) {
  Dwarf_Attribute attribute;
  bool artificial = false;
  Dwarf_Word declared = 0;
  const bool known =
      dwarf_formflag(dwarf_attr_integrate(function, DW_AT_artificial, &attribute), &artificial) ==
          0 &&
      dwarf_formudata(dwarf_attr_integrate(function, DW_AT_decl_line, &attribute), &declared) == 0;
  return known && artificial && line > 0 && declared == static_cast<Dwarf_Word>(line);
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

}  // namespace

std::string dwarf_function(Dwarf_Die* function) {
  DwarfFrame frame;
  set_name(function, frame);
  return frame.function;
}

std::vector<DwarfFrame> dwarf_frames(Dwfl_Module* module, Dwarf_Addr address,
                                     FunctionIndex& functions) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = unit_of(module, address, &bias);
  if (unit == nullptr) return {};

  DwarfFrame frame;
  if (Dwarf_Line* line = dwarf_getsrc_die(unit, address - bias)) {
    frame.path = absolute_source(dwarf_linesrc(line, nullptr, nullptr), unit);
    dwarf_lineno(line, &frame.line);
  }
  std::vector<Dwarf_Die> path;
  functions.find(unit, address - bias, path);
  if (path.empty()) {
    if (frame.path.empty()) return {};
    return {frame};
  }
  std::vector<DwarfFrame> frames;
  for (auto die = path.rbegin(); die != path.rend(); ++die) {
    set_name(&*die, frame);
    frame.inlined = dwarf_tag(&*die) == DW_TAG_inlined_subroutine;
    frame.unwritten = is_unwritten(&*die, frame.line);
    frames.push_back(frame);
    if (!frame.inlined) break;
    set_call_place(&*die, unit, frame);
  }
  return frames;
}

}  // namespace raddle
