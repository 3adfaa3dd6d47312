#include "host/symbols/member_names.hpp"

namespace raddle {

namespace {

// Where the last member begins, separator included; npos if there is none.
std::size_t last_separator(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::size_t scope = name.rfind("::");
  if (dot == std::string::npos) return scope;
  return scope == std::string::npos || dot > scope ? dot : scope;
}

// A path of members that follows itself: "state.lock.held.lock.held" -> "state.lock.held".
std::string without_repeated_path(const std::string& name) {
  for (std::size_t at = name.find('.'); at != std::string::npos; at = name.find('.', at + 1)) {
    const std::size_t length = name.size() - at;
    if (length > at || name.find('.', at + 1) == std::string::npos) continue;
    if (name.compare(at - length, length, name, at, length) == 0) return name.substr(0, at);
  }
  return name;
}

}  // namespace

bool is_library_member(std::string_view member) {
  return member.starts_with("__") ||
         (member.size() > 1 && member[0] == '_' && member[1] >= 'A' && member[1] <= 'Z');
}

std::string class_in_shared(std::string_view cls) {
  constexpr std::string_view kBoth = "std::_Sp_counted_ptr_inplace<";
  if (!cls.starts_with(kBoth)) return {};
  cls.remove_prefix(kBoth.size());
  constexpr std::string_view kConst = "const ";
  if (cls.starts_with(kConst)) cls.remove_prefix(kConst.size());
  int depth = 0;
  for (std::size_t i = 0; i < cls.size(); ++i) {
    if (cls[i] == '<' || cls[i] == '(') ++depth;
    if (cls[i] == '>' || cls[i] == ')') --depth;
    if (cls[i] == ',' && depth == 0) return std::string(cls.substr(0, i));
  }
  return {};
}

std::string owner_of_vptr(const std::string& name) {
  const std::size_t at = last_separator(name);
  return at == std::string::npos || !name.ends_with(kVptrField) ? name : name.substr(0, at);
}

std::string without_library_members(const std::string& name) {
  std::string readable = without_repeated_path(name);
  for (;;) {
    const std::size_t at = last_separator(readable);
    if (at == std::string::npos || at == 0) return readable;
    const std::string last = readable.substr(readable[at] == '.' ? at + 1 : at + 2);
    const std::string rest = readable.substr(0, at);
    // A member at the very beginning of another one of its name: "pool.head_.head_".
    const bool twice = readable[at] == '.' && last_member(rest) == last && rest != last;
    // A class of the library has no other name.
    if ((!is_library_member(last) && !twice) || rest == "std") return readable;
    readable = rest;
  }
}

std::string last_member(const std::string& name) {
  const std::size_t at = last_separator(name);
  if (at == std::string::npos) return name;
  return name.substr(name[at] == '.' ? at + 1 : at + 2);
}

}  // namespace raddle
