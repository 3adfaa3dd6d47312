// A sink that keeps everything, for tests: one line of text for each definition, at the number of
// events that came before it. Not part of the library.
#pragma once

#include <string>
#include <vector>

#include "host/trace/event_sink.hpp"

namespace raddle {

inline bool same_event(const Event& a, const Event& b) {
  return a.kind == b.kind && a.flags == b.flags && a.size == b.size && a.thread == b.thread &&
         a.site == b.site && a.step == b.step && a.object == b.object && a.value == b.value &&
         a.value2 == b.value2 && a.context == b.context;
}

class KeepingSink : public EventSink {
 public:
  void begin(const TraceHeader& given) override {
    ++begins;
    header = given;
  }
  void define_site(SiteId id, const Site& site) override {
    note("site " + std::to_string(raw(id)));
    sites.push_back(site);
  }
  void define_thread(ThreadId id, const std::string& name) override {
    note("thread " + std::to_string(raw(id)) + " " + name);
  }
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override {
    note("object " + std::to_string(address) + "+" + std::to_string(bytes) + " " + name);
  }
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override {
    note("member " + cls + "+" + std::to_string(offset) + " " + member);
  }
  void events(std::span<const Event> more) override {
    kept.insert(kept.end(), more.begin(), more.end());
    ++batches;
  }
  void end(const TraceEnd& end) override {
    ++ends;
    last = end;
  }

  TraceHeader header;
  TraceEnd last;
  std::vector<Site> sites;
  std::vector<std::string> definitions;  // "17: thread 3 worker"
  std::vector<Event> kept;
  int begins = 0;
  int ends = 0;
  int batches = 0;

 private:
  void note(const std::string& text) {
    definitions.push_back(std::to_string(kept.size()) + ": " + text);
  }
};

}  // namespace raddle
