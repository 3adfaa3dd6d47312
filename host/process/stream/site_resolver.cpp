#include "host/process/stream/site_resolver.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"
#include "protocol/hooks_abi.h"

namespace raddle {
namespace {

constexpr std::size_t kMostVariables = 20'000;

}  // namespace

SiteResolver::SiteResolver(std::function<std::string()> maps) : maps_(std::move(maps)) {
  load_maps();
}

void SiteResolver::load_maps() {
  std::string text = maps_();
  if (text.empty() || text == text_) return;
  text_ = std::move(text);
  std::vector<LoadedObject> objects = parse_maps(text_);
  if (objects == objects_) return;
  objects_ = std::move(objects);
  described_.clear();
  code_.clear();
  sites_.set_objects(objects_);
  symbols_.set_maps(text_);
}

bool SiteResolver::knows(std::uint64_t address) const {
  return std::any_of(objects_.begin(), objects_.end(), [address](const LoadedObject& object) {
    return address >= object.low && address < object.high;
  });
}

Site SiteResolver::look_up_described(std::uint64_t address) {
  if (std::optional<Site> site = sites_.at(address)) {
    site->code = address;
    return *std::move(site);
  }
  Site unknown;
  unknown.code = address;
  unknown.stable = stable_hash(unknown);
  return unknown;
}

const Site& SiteResolver::described(std::uint64_t address) {
  if (!knows(address)) load_maps();
  const auto [entry, fresh] = described_.try_emplace(address);
  if (fresh) entry->second = look_up_described(address);
  return entry->second;
}

const Site& SiteResolver::code(std::uint64_t address) {
  if (!knows(address)) load_maps();
  const auto [entry, fresh] = code_.try_emplace(address);
  if (fresh) entry->second = look_up_code(address);
  return entry->second;
}

Site SiteResolver::look_up_code(std::uint64_t address) {
  Site site;
  site.code = address;
  for (const LoadedObject& object : objects_) {
    if (address < object.low || address >= object.high) continue;
    site.module = base_name(object.path);
    site.module_offset = address - object.low;
  }
  // Lines of the C and C++ libraries are of no interest, and to look through their symbols for each
  // place takes longer than a short program does.
  std::vector<Frame> frames;
  if (!is_library_module(site.module)) frames = symbols_.frames(address, true);
  for (const Frame& frame : frames) {
    const Where& where = frame.where;
    if (where.file.empty()) continue;
    // Some files are only known relative to where somebody compiled them: these stay as they are.
    std::error_code none;
    std::string file = where.file;
    if (std::filesystem::exists(file, none))
      file = std::filesystem::absolute(file, none).lexically_normal();
    const std::uint32_t column = frame.unwritten ? std::uint32_t{RADDLE_COLUMN_UNWRITTEN} : 0;
    site.frames.push_back({where.function, file, where.line, column});
  }
  site.stable = stable_hash(site);
  return site;
}

std::vector<CodeRange> SiteResolver::code_ranges() {
  std::vector<CodeRange> ranges;
  ranges.reserve(objects_.size());
  for (const LoadedObject& object : objects_) {
    ranges.push_back(
        {object.low, object.high, sites_.instrumented(object.low), object.path, object.identity});
  }
  return ranges;
}

const std::vector<DataSymbol>& SiteResolver::variables() {
  if (!variables_) variables_ = symbols_.data_symbols(kMostVariables);
  return *variables_;
}

Site SiteResolver::any(std::uint64_t address) {
  if (!knows(address)) load_maps();
  if (std::optional<Site> site = sites_.at(address)) return *std::move(site);
  return code(address);
}

}  // namespace raddle
