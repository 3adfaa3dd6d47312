#include "host/explore/changes/impact.hpp"

#include <algorithm>
#include <filesystem>

namespace raddle {
namespace {

std::string canonical(const std::string& file) {
  std::error_code error;
  return std::filesystem::weakly_canonical(file, error).string();
}

// A frame of the program's own: not of a header of the library.
bool is_own(const SiteFrame& frame) {
  return !frame.file.empty() && !frame.file.starts_with("/usr/");
}

}  // namespace

std::string class_of_function(const std::string& function) {
  int depth = 0;
  std::size_t end = std::string::npos;
  for (std::size_t i = 0; i + 1 < function.size(); ++i) {
    if (function[i] == '<' || function[i] == '(' || function[i] == '{') ++depth;
    if (function[i] == '>' || function[i] == ')' || function[i] == '}') --depth;
    if (depth == 0 && function[i] == ':' && function[i + 1] == ':') end = i++;
  }
  return end == std::string::npos ? "" : function.substr(0, end);
}

std::string field_name(const Site& site) {
  if (site.field.empty()) return {};
  return site.cls.empty() ? site.field : site.cls + "::" + site.field;
}

ImpactCollector::ImpactCollector(std::vector<ChangedLine> changed)
    : changed_(changed.begin(), changed.end()), sites_(1) {}

void ImpactCollector::define_site(SiteId id, const Site& site) {
  if (sites_.size() <= raw(id)) sites_.resize(raw(id) + std::size_t{1});
  Site& kept = sites_[raw(id)];
  kept = site;
  for (SiteFrame& frame : kept.frames) {
    if (is_own(frame)) frame.file = canonical(frame.file);
  }
  note_frames(kept);
}

void ImpactCollector::note_frames(const Site& site) {
  for (const SiteFrame& frame : site.frames) {
    if (!is_own(frame) || frame.function.empty() || frame.line == 0) continue;
    Extent& extent = functions_[frame.function];
    if (extent.file.empty()) extent = {frame.file, frame.line, frame.line};
    if (extent.file != frame.file) continue;
    extent.first = std::min(extent.first, frame.line);
    extent.last = std::max(extent.last, frame.line);
  }
}

bool ImpactCollector::is_changed(const Site& site) const {
  return std::any_of(site.frames.begin(), site.frames.end(), [&](const SiteFrame& frame) {
    return is_own(frame) && changed_.contains({frame.file, frame.line});
  });
}

void ImpactCollector::events(std::span<const Event> events) {
  for (const Event& event : events) look_at(event);
}

void ImpactCollector::look_at(const Event& event) {
  if (raw(event.site) >= sites_.size()) return;
  const Site& site = sites_[raw(event.site)];
  Thread& thread = threads_[event.thread];
  if (event.kind == EventKind::acquire && event.value == 1)
    thread.sections.push_back({event.object, {}});
  for (Section& section : thread.sections) section.sites.insert(raw(event.site));
  if (event.kind == EventKind::release && event.value == 0) {
    const auto section = std::find_if(thread.sections.begin(), thread.sections.end(),
                                      [&](const Section& s) { return s.lock == event.object; });
    if (section != thread.sections.end()) {
      close(*section);
      thread.sections.erase(section);
    }
  }
  const std::string function = site.frames.empty() ? "" : site.frames.back().function;
  if (event.kind == EventKind::enter) {
    if (!thread.calls.empty()) calls_[thread.calls.back()].insert(function);
    thread.calls.push_back(function);
  } else if (event.kind == EventKind::exit) {
    if (!thread.calls.empty()) thread.calls.pop_back();
  } else if (is_access(event.kind) || is_atomic(event.kind)) {
    if (const std::string field = field_name(site); !field.empty()) {
      for (const SiteFrame& frame : site.frames) {
        if (is_own(frame)) fields_of_[frame.function].insert(field);
      }
    }
  }
}

void ImpactCollector::close(const Section& section) {
  const bool changed = std::any_of(section.sites.begin(), section.sites.end(),
                                   [&](std::uint32_t id) { return is_changed(sites_[id]); });
  if (changed) impacted_sections_.push_back(section.sites);
}

// The function that begins last before the line and has not ended before it.
std::string ImpactCollector::function_around(const ChangedLine& line) const {
  std::string best;
  std::uint32_t begin = 0;
  for (const auto& [name, extent] : functions_) {
    // A closing brace, or what has no code of its own, lies a little beyond what showed itself.
    constexpr std::uint32_t kBeyond = 3;
    if (extent.file != line.file || line.line + kBeyond < extent.first ||
        line.line > extent.last + kBeyond)
      continue;
    if (extent.first >= begin) {
      begin = extent.first;
      best = name;
    }
  }
  return best;
}

ImpactedPoints ImpactCollector::points() const {
  ImpactedPoints points;
  points.lines = changed_;
  for (const std::set<std::uint32_t>& section : impacted_sections_) {
    for (const std::uint32_t id : section) {
      for (const SiteFrame& frame : sites_[id].frames) {
        if (is_own(frame) && frame.line > 0) points.lines.insert({frame.file, frame.line});
      }
    }
  }
  for (const ChangedLine& line : points.lines) {
    const std::string function = function_around(line);
    if (function.empty()) continue;
    points.functions.insert(function);
    if (const std::string cls = class_of_function(function); !cls.empty())
      points.classes.insert(cls);
  }
  const auto add_fields = [&](const std::string& function) {
    const auto found = fields_of_.find(function);
    if (found != fields_of_.end()) points.fields.insert(found->second.begin(), found->second.end());
  };
  for (const Site& site : sites_) {
    const bool at_impacted_line =
        std::any_of(site.frames.begin(), site.frames.end(), [&](const SiteFrame& frame) {
          return is_own(frame) && points.lines.contains({frame.file, frame.line});
        });
    const std::string field = field_name(site);
    if (at_impacted_line && !field.empty() && (is_access(site.kind) || is_atomic(site.kind)))
      points.fields.insert(field);
  }
  for (const std::string& function : points.functions) {
    const auto called = calls_.find(function);
    if (called == calls_.end()) continue;
    for (const std::string& callee : called->second) add_fields(callee);
  }
  return points;
}

}  // namespace raddle
