// Events made by hand, for tests: a small program in the words of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "host/trace/event_sink.hpp"

namespace raddle::samples {

// Feeds a sink, one call an event.
class Story {
 public:
  explicit Story(EventSink& sink) : sink_(sink) {}

  SiteId site(Site site) {
    site.stable = stable_hash(site);
    sink_.define_site(SiteId{++sites_}, site);
    return SiteId{sites_};
  }
  SiteId at(const std::string& function, const std::string& file, std::uint32_t line,
            EventKind kind = EventKind::none) {
    Site made;
    made.kind = kind;
    made.frames = {{function, file, line, 1}};
    return site(std::move(made));
  }
  SiteId function(const std::string& name, const std::string& cls = "", std::uint32_t size = 0,
                  const std::string& file = "/src/bank.cpp") {
    Site made;
    made.kind = EventKind::enter;
    made.cls = cls;
    made.offset = size;
    made.frames = {{name, file, 10, 1}};
    return site(std::move(made));
  }
  SiteId allocation(const std::string& cls, std::uint32_t size, std::uint32_t line,
                    const std::string& file = "/src/bank.cpp") {
    Site made;
    made.kind = EventKind::allocate;
    made.cls = cls;
    made.offset = size;
    made.frames = {{"open", file, line, 1}};
    return site(std::move(made));
  }
  SiteId access(EventKind kind, const std::string& cls, const std::string& field,
                std::uint32_t offset, std::uint32_t line, std::uint8_t flags = 0,
                const std::string& function = "Account::withdraw") {
    Site made;
    made.kind = kind;
    made.flags = flags;
    made.size = 4;
    made.cls = cls;
    made.field = field;
    made.offset = offset;
    made.frames = {{function, "/src/bank.cpp", line, 1}};
    return site(std::move(made));
  }
  SiteId variable(const std::string& name, const std::string& in, const std::string& cls = "") {
    Site made;
    made.kind = EventKind::local;
    made.flags = kSiteLocal;
    made.field = name;
    made.cls = cls;
    made.frames = {{in, "/src/bank.cpp", 60, 1}};
    return site(std::move(made));
  }

  Event event(EventKind kind, std::uint64_t object, SiteId where = kNoSite, std::uint64_t value = 0,
              std::uint8_t flags = 0) {
    Event made{};
    made.flags = flags;
    made.kind = kind;
    made.thread = thread;
    made.site = where;
    made.step = step;
    made.object = object;
    made.value = value;
    if (is_access(kind) || is_atomic(kind)) made.size = 4;
    sink_.events({&made, 1});
    return made;
  }

  // The thread and step of the events to come.
  ThreadId thread = kMainThread;
  std::uint64_t step = 0;

 private:
  EventSink& sink_;
  std::uint32_t sites_ = 0;
};

}  // namespace raddle::samples
