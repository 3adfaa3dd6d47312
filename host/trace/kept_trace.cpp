#include "host/trace/kept_trace.hpp"

#include <utility>

namespace raddle {

void KeptTrace::define(std::function<void(EventSink&)> give) {
  if (!too_long_) definitions_.push_back({events_.size(), std::move(give)});
}

void KeptTrace::define_site(SiteId id, const Site& site) {
  if (raw(id) == sites_.size()) sites_.push_back(site);
  define([id, site](EventSink& sink) { sink.define_site(id, site); });
}

void KeptTrace::define_thread(ThreadId id, const std::string& name) {
  define([id, name](EventSink& sink) { sink.define_thread(id, name); });
}

void KeptTrace::define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) {
  define([address, bytes, name](EventSink& sink) { sink.define_object(address, bytes, name); });
}

void KeptTrace::define_member(const std::string& cls, std::uint32_t offset,
                              const std::string& member) {
  define([cls, offset, member](EventSink& sink) { sink.define_member(cls, offset, member); });
}

void KeptTrace::define_image(const LoadedObject& image) {
  define([image](EventSink& sink) { sink.define_image(image); });
}

void KeptTrace::events(std::span<const Event> more) {
  if (too_long_) return;
  if (events_.size() + more.size() > kMostEvents) {
    too_long_ = true;
    events_ = {};
    definitions_ = {};
    return;
  }
  events_.insert(events_.end(), more.begin(), more.end());
}

const Site& KeptTrace::site(SiteId id) const {
  return raw(id) < sites_.size() ? sites_[raw(id)] : sites_[0];
}

void KeptTrace::tell(EventSink& sink, const std::function<void(std::size_t)>& after) const {
  std::size_t next = 0;
  const auto define_before = [&](std::size_t index) {
    for (; next < definitions_.size() && definitions_[next].before <= index; ++next) {
      definitions_[next].give(sink);
    }
  };
  const std::vector<Event>& told = told_.empty() ? events_ : told_;
  for (std::size_t i = 0; i < told.size(); ++i) {
    define_before(i);
    sink.events({&told[i], 1});
    after(i);
  }
  define_before(told.size());
}

KeptTrace KeptTrace::retold(std::vector<Event> events, const std::vector<Site>& more) const {
  KeptTrace other;
  other.sites_ = sites_;
  other.sites_.insert(other.sites_.end(), more.begin(), more.end());
  for (std::size_t id = 1; id < other.sites_.size(); ++id) {
    other.definitions_.push_back({0, [id, site = other.sites_[id]](EventSink& sink) {
                                    sink.define_site(SiteId{static_cast<std::uint32_t>(id)}, site);
                                  }});
  }
  other.definitions_.insert(other.definitions_.end(), definitions_.begin(), definitions_.end());
  other.told_ = told_.empty() ? events_ : told_;
  other.events_ = std::move(events);
  return other;
}

}  // namespace raddle
