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
//     changed lines. (From a changed line, in the dissertation: functions that the compiler inlined
//     are no calls any more.)
// Where something is executed is the innermost line of the program's own, whatever the compiler
// inlined into what: an operation of the library belongs to the line that called it, and not to the
// callers of that. A field that only the library's own code touches (what is inside a std::atomic)
// is known by its address: it is a field of its owner, not of every object of that class.
// Too many points cost nothing but their priority, too few neither: nothing is left out for them.
#pragma once

#include <cstdint>
#include <functional>
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
  std::set<std::string> fields;    // "Account::amount_", or a variable's name
  std::set<std::uint64_t> inside;  // addresses of fields inside objects of the library

  bool empty() const { return lines.empty(); }
};

// "Account::withdraw" -> "Account"; "main" -> "".
std::string class_of_function(const std::string& function);

// "Class::field" of an access, or a variable's name; empty if it is not known, or if the class is
// the library's.
std::string field_name(const Site& site);
bool is_of_library(const Site& site);  // its class is

// The innermost frame of the program's own; null if there is none.
const SiteFrame* own_frame(const Site& site);

class ImpactCollector final : public EventSink {
 public:
  // What is at an address of the target's code.
  using Look = std::function<Site(std::uint64_t address)>;

  ImpactCollector(std::vector<ChangedLine> changed, Look look);

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
    std::set<ChangedLine> lines;
  };
  struct Call {
    std::string function;
    bool own = false;  // of the program
    SiteFrame from;    // where the program called it; no line: not known
  };
  struct Thread {
    std::vector<Section> sections;
    std::vector<Call> calls;  // functions it is in
  };
  struct Touched {  // fields
    std::set<std::string> names;
    std::set<std::uint64_t> inside;
  };

  void look_at(const Event& event);
  void enter(Thread& thread, const Site& site, const Event& event);
  SiteFrame place_of(const Thread& thread, const Site& site) const;
  SiteFrame called_from(std::uint64_t address);
  void note_frames(const Site& site);
  void close(const Section& section);
  std::string function_around(const ChangedLine& line) const;

  std::set<ChangedLine> changed_;
  Look look_;
  std::vector<Site> sites_;
  std::map<std::uint64_t, SiteFrame> callers_;  // by return address
  std::map<std::string, Extent> functions_;
  std::map<ThreadId, Thread> threads_;
  std::set<ChangedLine> in_sections_;                   // lines of impacted ones
  std::map<std::string, Touched> fields_of_;            // function -> fields it touches itself
  std::map<ChangedLine, Touched> fields_at_;            // line -> fields that are touched there
  std::map<std::string, std::set<std::string>> calls_;  // function -> functions it calls
};

}  // namespace raddle
