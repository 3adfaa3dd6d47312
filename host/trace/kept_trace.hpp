// All of a short execution's events and definitions, kept to be gone through again: explaining
// looks for what matters first, and asks what things were called then. Filled by the live stream.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "host/trace/event_sink.hpp"

namespace raddle {

class KeptTrace final : public EventSink {
 public:
  static constexpr std::size_t kMostEvents = std::size_t{1} << 20;  // 56 MB

  void define_site(SiteId id, const Site& site) override;
  void define_thread(ThreadId id, const std::string& name) override;
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override;
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override;
  void define_image(const LoadedObject& image) override;
  void events(std::span<const Event> more) override;

  // There were more events than are kept: then there are none.
  bool too_long() const { return too_long_; }
  const std::vector<Event>& all() const { return events_; }
  // An empty one if it was never defined.
  const Site& site(SiteId id) const;

  // Definitions and events once more, in their order; after each event `after` is called with its
  // index.
  void tell(EventSink& sink, const std::function<void(std::size_t)>& after) const;

  // The same execution in other words: as many events, each in its place, and `more` sites after
  // those that there are. tell() still tells the events as they were, and all sites first.
  KeptTrace retold(std::vector<Event> events, const std::vector<Site>& more) const;
  std::size_t sites() const { return sites_.size(); }

 private:
  struct Definition {
    std::size_t before;  // so many events came before it
    std::function<void(EventSink&)> give;
  };
  void define(std::function<void(EventSink&)> give);

  std::vector<Site> sites_{1};
  std::vector<Definition> definitions_;
  std::vector<Event> events_;
  std::vector<Event> told_;  // as they were; empty: as they are
  bool too_long_ = false;
};

}  // namespace raddle
