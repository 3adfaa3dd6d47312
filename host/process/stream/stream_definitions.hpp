// What the records of a live stream refer to, in words: sites, and the names that the program's
// symbols and debug information have for its variables, locks and thread routines. The target says
// in shared memory what it uses for the first time, so that nobody has to read the records for it.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "host/process/stream/site_resolver.hpp"
#include "host/trace/stream_sink.hpp"
#include "protocol/shared_region.hpp"

namespace raddle {

class StreamDefinitions {
 public:
  // All must outlive it. One per execution; used by the thread that reads the stream.
  StreamDefinitions(SiteResolver& resolver, EventStream& events, StreamSink& sink);

  // Defines what the target has used since the last time. To be called after it was seen how far
  // the records go, and before they are passed on.
  void update();

 private:
  void begin();
  void define_ranges();
  void define_site(std::uint64_t entry);
  void name_routine(std::uint64_t address);
  void name_object(const NewObject& object);
  std::string name_of(const NewObject& object);
  void name_members(const std::string& cls);

  SiteResolver& resolver_;
  EventStream& events_;
  StreamSink& sink_;
  bool begun_ = false;
  std::vector<CodeRange> ranges_;  // that were defined
  std::uint32_t sites_ = 0;
  std::uint32_t objects_ = 0;
  std::set<std::string> classes_;  // whose members were defined
};

}  // namespace raddle
