// A trace as rows for a page: what each event says, whose it is, where. Fed by a reader of traces;
// then taken once.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>

#include "host/report/document/document.hpp"
#include "host/report/filtered_trace.hpp"

namespace raddle {

class TraceRows final : public FilteredTrace {
 public:
  // More would make a page of more than 20 MB. The first ones are kept.
  static constexpr std::size_t kMostRows = 1'000'000;

  TraceRows() : FilteredTrace(TraceFilter{}) {}

  DocumentTrace take(const std::string& file);
  // Events that there was no room for.
  std::uint64_t left_out() const { return shown() - trace_.lane.size(); }

 protected:
  void show(const Event& event) override;

 private:
  // Numbers for texts, as long as there is room for them.
  struct Table {
    std::unordered_map<std::string, std::uint32_t> numbers;
    std::size_t bytes = 0;
    std::vector<std::string>* texts = nullptr;
    bool is_full() const;
    std::uint32_t number(const std::string& text);
  };
  std::uint32_t lane(ThreadId id);
  std::uint32_t place(SiteId id);

  DocumentTrace trace_;
  Table words_;
  Table objects_;
  std::map<std::uint16_t, std::uint32_t> lanes_;
  std::unordered_map<std::uint32_t, std::uint32_t> places_;  // by site
};

}  // namespace raddle
