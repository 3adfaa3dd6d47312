#include "host/trace/site_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/symbols/place.hpp"

namespace raddle {

namespace {

bool is_library_function(std::string_view function) {
  constexpr std::string_view kPrefixes[] = {
      "std::", "__gnu_cxx::", "__cxxabiv1::", "__gthread", "__libc_", "operator new"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return function.rfind(prefix, 0) == 0; });
}

bool is_in_program(const SiteFrame& frame) {
  if (!frame.file.empty()) return !is_system_header(frame.file);
  return !frame.function.empty() && !is_library_function(frame.function);
}

std::string place_of(const SiteFrame& frame) {
  if (frame.file.empty()) return frame.function;
  const std::string file = base_name(frame.file);
  return frame.line == 0 ? file : fmt::format("{}:{}", file, frame.line);
}

// "libstdc++.so.6.0.30" -> "libstdc++.so"
std::string short_module(std::string_view module) {
  const std::string name = base_name(module);
  const std::size_t version = name.find(".so.");
  return version == std::string::npos ? name : name.substr(0, version + 3);
}

}  // namespace

const std::string TextTable::kEmpty;

std::uint32_t TextTable::index(std::string_view text) {
  if (text.empty()) return 0;
  const auto [entry, fresh] =
      indices_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (fresh) texts_.push_back(&entry->first);
  return entry->second;
}

const std::string& SiteNames::class_text(std::uint32_t cls) const {
  while (shown_.size() <= cls) {
    const auto next = static_cast<std::uint32_t>(shown_.size());
    shown_.push_back(without_long_arguments(classes_.text(next)));
  }
  return shown_[cls];
}

void SiteNames::define(SiteId id, const Site& site) {
  if (id == kNoSite || raw(id) > names_.size()) return;
  SiteName name;
  const auto own = is_library_module(site.module)
                       ? site.frames.end()
                       : std::find_if(site.frames.begin(), site.frames.end(), is_in_program);
  name.in_program = own != site.frames.end();
  const SiteFrame* frame = name.in_program ? &*own : nullptr;
  if (frame == nullptr && !site.frames.empty()) frame = &site.frames.front();
  if (frame != nullptr) {
    name.function = without_long_arguments(frame->function);
    // What nobody wrote is where it was called.
    const auto written = !name.in_program
                             ? site.frames.end()
                             : std::find_if(own, site.frames.end(), [](const SiteFrame& one) {
                                 return is_in_program(one) && one.line != 0 && !is_unwritten(one);
                               });
    if (is_unwritten(*frame) && written != site.frames.end()) frame = &*written;
    name.place = place_of(*frame);
    name.file = frame->file;
    name.line = frame->line;
  }
  if (name.place.empty() && !site.module.empty()) {
    name.place = fmt::format("{}+{:#x}", short_module(site.module), site.module_offset);
  } else if (name.place.empty() && site.code != 0) {
    name.place = fmt::format("{:#x}", site.code);
  }
  name.field = site.field;
  name.cls = classes_.index(site.cls);
  name.offset = site.offset;
  name.size = site.size;
  name.flags = site.flags;
  // Of a function the same bits say something else.
  if (site.kind == EventKind::enter || site.kind == EventKind::exit)
    name.flags &= static_cast<std::uint8_t>(~(kSiteStatic | kSiteLocal));
  name.kind = site.kind;
  if (raw(id) == names_.size()) {
    names_.push_back(std::move(name));
  } else {
    names_[raw(id)] = std::move(name);
  }
}

std::string SiteNames::text(SiteId id) const {
  const SiteName& name = (*this)[id];
  if (name.function.empty() || name.function == name.place) return name.place;
  return name.place.empty() ? name.function : fmt::format("{} ({})", name.function, name.place);
}

}  // namespace raddle
