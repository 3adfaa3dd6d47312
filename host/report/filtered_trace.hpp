// What the printers of traces have in common: they name things, choose events, and count.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "host/report/trace_filter.hpp"
#include "host/trace/event_sink.hpp"
#include "host/trace/object_names.hpp"

namespace raddle {

// Takes text as it comes; called often, with small pieces.
using TextOut = std::function<void(std::string_view)>;

class FilteredTrace : public EventSink {
 public:
  explicit FilteredTrace(TraceFilter filter) : filter_(std::move(filter)) {}

  void define_site(SiteId id, const Site& site) override { names_.define_site(id, site); }
  void define_thread(ThreadId id, const std::string& name) override {
    names_.define_thread(id, name);
  }
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override {
    names_.define_object(address, bytes, name);
  }
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override {
    names_.define_member(cls, offset, member);
  }
  void events(std::span<const Event> events) override;
  // Prints what is still held back; end() does so too. For a trace without an end.
  virtual void flush() {}

  std::uint64_t seen() const { return seen_; }
  std::uint64_t shown() const { return shown_; }
  std::size_t threads() const { return threads_.count(); }  // that did something
  std::uint64_t last_step() const { return last_step_; }

  // Nothing was wanted: one sentence on what there is instead. Empty if something was.
  std::string nothing_shown() const;

 protected:
  // An event that is wanted; the names have been fed with it.
  virtual void show(const Event& event) = 0;
  const ObjectNames& names() const { return names_; }
  const TraceFilter& filter() const { return filter_; }

 private:
  const TraceFilter filter_;
  ObjectNames names_;
  std::uint64_t seen_ = 0;
  std::uint64_t shown_ = 0;
  std::uint64_t last_step_ = 0;
  std::bitset<65536> threads_;
};

// How a trace ended, or that it did not: "passed", "assertion: ...", "breaks off here: ...".
std::string end_words(const TraceEnd& end);

}  // namespace raddle
