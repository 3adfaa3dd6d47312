// Adds names to a stream of events that the program's symbols and debug information know: its
// global variables at the beginning; locks and other synchronisation objects, which no access
// describes, when they are first used. Stands between the decoder and whoever wants the events.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/symbolizer.hpp"
#include "trace/event_sink.hpp"
#include "trace/object_names.hpp"

namespace raddle {

class SymbolNames : public EventSink {
 public:
  // Both must outlive it. `variables` are the program's own, from Symbolizer::data_symbols().
  SymbolNames(Symbolizer& symbols, const std::vector<DataSymbol>& variables, EventSink& next);

  void define_site(SiteId id, const Site& site) override;
  void define_thread(ThreadId id, const std::string& name) override;
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override;
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override;
  void events(std::span<const Event> events) override;

 private:
  void look_at(const Event& event);
  void name_object(std::uint64_t address);
  void name_routine(std::uint64_t address);

  Symbolizer& symbols_;
  EventSink& next_;
  ObjectNames names_;
  std::vector<char> has_class_{0};  // by site
  // Addresses of synchronisation objects that have been looked at, until their memory is freed.
  std::set<std::uint64_t> seen_;
};

}  // namespace raddle
