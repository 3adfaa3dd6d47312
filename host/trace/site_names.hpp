// Sites in words, and what else names need of them, worked out once for each. Called by
// ObjectNames and by the printers.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/symbols/site.hpp"
#include "protocol/event.hpp"

namespace raddle {

// Texts with small numbers, from 1 on; 0 is the empty one.
class TextTable {
 public:
  std::uint32_t index(std::string_view text);
  const std::string& text(std::uint32_t index) const { return *texts_[index]; }

 private:
  std::unordered_map<std::string, std::uint32_t> indices_;
  static const std::string kEmpty;
  std::vector<const std::string*> texts_{&kEmpty};  // keys of indices_, which stay where they are
};

struct SiteName {
  std::string place;     // "bank.cpp:40"; "withdraw", "bank+0x1234", "0x401234"; "" if not known
  std::string function;  // of the same frame: "Account::withdraw"; "" if not known
  std::string file;      // whole path of that frame
  std::uint32_t line = 0;
  bool in_program = false;  // not the C or C++ library: the frame is the innermost such one
  std::string field;
  std::uint32_t cls = 0;  // in SiteNames::classes()
  std::uint32_t offset = 0;
  std::uint16_t size = 0;
  std::uint8_t flags = 0;
  EventKind kind = EventKind::none;
  // It names the field `field` of the class `cls`.
  bool has_member() const {
    return cls != 0 && !field.empty() && (flags & (kSiteStatic | kSiteLocal)) == 0 &&
           (is_access(kind) || is_atomic(kind));
  }
};

class SiteNames {
 public:
  // Ids as EventSink::define_site() has them; one that leaves a gap is ignored.
  void define(SiteId id, const Site& site);
  // An empty one for an unknown id.
  const SiteName& operator[](SiteId id) const {
    return raw(id) < names_.size() ? names_[raw(id)] : names_[0];
  }
  // "withdraw (bank.cpp:40)", or what there is of it; "" if nothing is known.
  std::string text(SiteId id) const;

  // Of a class, for a person; in classes() it is as it was defined.
  const std::string& class_text(std::uint32_t cls) const;

  TextTable& classes() { return classes_; }
  const TextTable& classes() const { return classes_; }

 private:
  std::vector<SiteName> names_{1};
  TextTable classes_;
  mutable std::deque<std::string> shown_;  // by class; made when asked for
};

}  // namespace raddle
