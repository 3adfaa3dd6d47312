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

bool is_of_library(const Site& site) {
  return site.cls.starts_with("std::") || site.cls.starts_with("__gnu_cxx::");
}

const SiteFrame* own_frame(const Site& site) {
  for (const SiteFrame& frame : site.frames)
    if (is_own(frame)) return &frame;
  return nullptr;
}

std::string field_name(const Site& site) {
  if (site.field.empty() || is_of_library(site)) return {};
  return site.cls.empty() ? site.field : site.cls + "::" + site.field;
}

ImpactCollector::ImpactCollector(std::vector<ChangedLine> changed, Look look)
    : changed_(changed.begin(), changed.end()), look_(std::move(look)), sites_(1) {}

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
  // What was inlined is called, too.
  const SiteFrame* inner = nullptr;
  for (const SiteFrame& frame : site.frames) {
    if (!is_own(frame)) continue;
    if (inner != nullptr) calls_[frame.function].insert(inner->function);
    inner = &frame;
  }
}

void ImpactCollector::events(std::span<const Event> events) {
  for (const Event& event : events) look_at(event);
}

// The line of the program that a call comes from.
SiteFrame ImpactCollector::called_from(std::uint64_t address) {
  const auto [known, is_new] = callers_.try_emplace(address);
  if (is_new && address != 0) {
    const Site site = look_(address);
    if (const SiteFrame* frame = own_frame(site)) {
      known->second = *frame;
      known->second.file = canonical(frame->file);
    }
  }
  return known->second;
}

// Where the event counts: in the program's own code, or where that called the library.
SiteFrame ImpactCollector::place_of(const Thread& thread, const Site& site) const {
  if (const SiteFrame* frame = own_frame(site)) return *frame;
  for (std::size_t i = thread.calls.size(); i-- > 0 && !thread.calls[i].own;)
    if (thread.calls[i].from.line != 0) return thread.calls[i].from;
  return {};
}

void ImpactCollector::enter(Thread& thread, const Site& site, const Event& event) {
  Call call;
  if (!site.frames.empty()) {
    call.function = site.frames.front().function;
    call.own = is_own(site.frames.front());
  }
  // One that was inlined is part of its caller.
  const SiteFrame* frame = own_frame(site);
  const bool inlined = event.value == 0;
  if (!call.own) call.from = inlined && frame != nullptr ? *frame : called_from(event.value);
  if (call.own) {
    for (std::size_t i = thread.calls.size(); i-- > 0;) {
      if (!thread.calls[i].own) continue;
      calls_[thread.calls[i].function].insert(call.function);
      break;
    }
  }
  thread.calls.push_back(std::move(call));
}

void ImpactCollector::look_at(const Event& event) {
  if (raw(event.site) >= sites_.size()) return;
  const Site& site = sites_[raw(event.site)];
  Thread& thread = threads_[event.thread];
  if (event.kind == EventKind::enter) return enter(thread, site, event);
  if (event.kind == EventKind::exit) {
    if (!thread.calls.empty()) thread.calls.pop_back();
    return;
  }
  const SiteFrame place = place_of(thread, site);
  const ChangedLine line{place.file, place.line};
  if (event.kind == EventKind::acquire && event.value == 1)
    thread.sections.push_back({event.object, {}});
  if (place.line != 0)
    for (Section& section : thread.sections) section.lines.insert(line);
  if (event.kind == EventKind::release && event.value == 0) {
    const auto section = std::find_if(thread.sections.begin(), thread.sections.end(),
                                      [&](const Section& s) { return s.lock == event.object; });
    if (section != thread.sections.end()) {
      close(*section);
      thread.sections.erase(section);
    }
  }
  if (place.line == 0 || (!is_access(event.kind) && !is_atomic(event.kind))) return;
  for (Touched* touched : {&fields_of_[place.function], &fields_at_[line]}) {
    if (const std::string field = field_name(site); !field.empty())
      touched->names.insert(field);
    else if (is_of_library(site))
      touched->inside.insert(event.object);
  }
}

void ImpactCollector::close(const Section& section) {
  const bool changed =
      std::any_of(section.lines.begin(), section.lines.end(),
                  [&](const ChangedLine& line) { return changed_.contains(line); });
  if (changed) in_sections_.insert(section.lines.begin(), section.lines.end());
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
  points.lines.insert(in_sections_.begin(), in_sections_.end());
  for (const ChangedLine& line : points.lines) {
    const std::string function = function_around(line);
    if (function.empty()) continue;
    points.functions.insert(function);
    if (const std::string cls = class_of_function(function); !cls.empty())
      points.classes.insert(cls);
  }
  const auto add = [&](const Touched& touched) {
    points.fields.insert(touched.names.begin(), touched.names.end());
    points.inside.insert(touched.inside.begin(), touched.inside.end());
  };
  for (const auto& [line, touched] : fields_at_)
    if (points.lines.contains(line)) add(touched);
  for (const std::string& function : points.functions) {
    const auto called = calls_.find(function);
    if (called == calls_.end()) continue;
    for (const std::string& callee : called->second) {
      const auto found = fields_of_.find(callee);
      if (found != fields_of_.end()) add(found->second);
    }
  }
  return points;
}

}  // namespace raddle
