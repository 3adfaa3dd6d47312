// A trace in figures: events by kind and thread, what is accessed most, and where.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/report/filtered_trace.hpp"
#include "host/report/text.hpp"

namespace raddle {

class TraceStats : public FilteredTrace {
 public:
  explicit TraceStats(TraceFilter filter);

  void begin(const TraceHeader& header) override { header_ = header; }
  void end(const TraceEnd& end) override { end_ = end; }

  struct Counted {
    std::string name;
    std::uint64_t events = 0;
    std::uint64_t writes = 0;  // of an object: that change it
  };

  // Of the events that were wanted; the most frequent first, ties by name.
  std::vector<Counted> kinds() const;
  std::vector<Counted> by_thread() const;  // in the order of their numbers
  // Accessed memory by field, variable or class (not by instance), and locks.
  std::vector<Counted> objects(std::size_t most) const;
  std::vector<Counted> sites(std::size_t most) const;

  // `bytes`: of the file, 0 if not known.
  std::string text(std::uint64_t bytes, const TextOptions& look) const;
  nlohmann::json json(std::uint64_t bytes) const;

 protected:
  void show(const Event& event) override;

 private:
  std::size_t object_index(const Event& event);
  std::size_t index_of(const std::string& name);
  std::size_t index_of_rest();

  // Different names that are counted; more than this are one, "others".
  static constexpr std::size_t kMostNames = 1 << 17;

  TraceHeader header_;
  TraceEnd end_;
  std::array<std::uint64_t, kEventKinds + 1> kinds_{};
  std::vector<std::uint64_t> threads_;
  std::vector<std::uint64_t> sites_;
  std::vector<Counted> objects_;
  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<std::size_t> by_site_;  // in objects_, + 1: what a site's accesses are counted as
  std::size_t rest_ = 0;              // in objects_, + 1
  std::uint64_t first_step_ = 0;
};

}  // namespace raddle
