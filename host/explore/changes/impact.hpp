// Impacted code points: what a change may have to do with, as classes, functions, lines and fields
// (Luo's dissertation, 4.1.2, <C, M, L, F>). Collected from the changed lines and one recorded
// execution of the newer program.
//
// Where the dissertation analyses syntax trees, this goes by what the execution shows, and by the
// places that the compiler wrote down for it:
//  1. Critical sections: when something inside one is at a changed line, or it is taken or given
//     back there, all lines executed inside it count as changed.
//  2. The functions around changed lines, and their classes.
//  3. Fields that are read or written at changed lines.
//  4. Fields that are read or written in functions that are called directly from a function with
//     changed lines. (From a changed line, in the dissertation: the recording does not tell the
//     lines of calls.)
// Too many points cost nothing but their priority, too few neither: nothing is left out for them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/explore/changes/patch.hpp"
#include "host/trace/event_sink.hpp"

namespace raddle {

struct ImpactedPoints {
  std::set<std::string> classes;
  std::set<std::string> functions;
  std::set<ChangedLine> lines;
  std::set<std::string> fields;  // "Account::amount_", or a variable's name

  bool empty() const { return lines.empty(); }
};

// "Account::withdraw" -> "Account"; "main" -> "".
std::string class_of_function(const std::string& function);

// "Class::field" of an access, or a variable's name; empty if it is not known.
std::string field_name(const Site& site);

class ImpactCollector final : public EventSink {
 public:
  explicit ImpactCollector(std::vector<ChangedLine> changed);

  void define_site(SiteId id, const Site& site) override;
  void events(std::span<const Event> events) override;

  // After the last event.
  ImpactedPoints points() const;

 private:
  struct Extent {  // of a function, as far as it showed itself
    std::string file;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  struct Section {  // a critical section that a thread is in
    std::uint64_t lock = 0;
    std::set<std::uint32_t> sites;
  };
  struct Thread {
    std::vector<Section> sections;
    std::vector<std::string> calls;  // functions it is in
  };

  void look_at(const Event& event);
  void note_frames(const Site& site);
  void close(const Section& section);
  bool is_changed(const Site& site) const;
  std::string function_around(const ChangedLine& line) const;

  std::set<ChangedLine> changed_;
  std::vector<Site> sites_;
  std::map<std::string, Extent> functions_;
  std::map<ThreadId, Thread> threads_;
  std::vector<std::set<std::uint32_t>> impacted_sections_;
  std::map<std::string, std::set<std::string>> fields_of_;  // function -> fields it touches itself
  std::map<std::string, std::set<std::string>> calls_;      // function -> functions it calls
};

}  // namespace raddle
