#include "host/symbols/site.hpp"

#include <string_view>

#include "protocol/hooks_abi.h"

namespace raddle {
namespace {

class Hash {
 public:
  void add(std::string_view text) {
    for (char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  void add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(number >> (8 * i)));
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }  // FNV-1a
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

bool is_unwritten(const SiteFrame& frame) { return frame.column == RADDLE_COLUMN_UNWRITTEN; }

std::uint64_t stable_hash(const Site& site) {
  Hash hash;
  hash.add(std::uint64_t(site.kind));
  hash.add(site.flags);
  hash.add(site.size);
  hash.add(site.cls);
  hash.add(site.field);
  hash.add(site.offset);
  hash.add(site.set);
  for (const SiteFrame& frame : site.frames) {
    hash.add(frame.function);
    hash.add(frame.file);
    hash.add(frame.line);
    hash.add(frame.column);
  }
  hash.add(site.module);
  hash.add(site.module_offset);
  return hash.value();
}

}  // namespace raddle
