#include "host/symbols/member_names.hpp"

namespace raddle {

std::string owner_of_vptr(const std::string& name) {
  return name.substr(0, name.rfind("::" + std::string(kVptrField)));
}

std::string owner_of_atomic(const std::string& name) {
  constexpr std::string_view kInside = "._M_i";
  return name.ends_with(kInside) ? name.substr(0, name.size() - kInside.size()) : name;
}

std::string last_member(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace raddle
