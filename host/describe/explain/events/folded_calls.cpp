#include "host/describe/explain/events/folded_calls.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"
#include "protocol/hooks_abi.h"

namespace raddle {
namespace {

class Folding {
 public:
  Folding(const KeptTrace& trace, Symbolizer& symbols)
      : trace_(trace), symbols_(symbols), events_(trace.all()), folded_(events_.size(), false) {}

  KeptTrace run() {
    choose();
    if (std::find(folded_.begin(), folded_.end(), true) == folded_.end()) return trace_;
    extend_places();
    return trace_.retold(std::move(events_), more_);
  }

 private:
  struct Call {
    std::size_t enter = 0;
    bool header = false;
    bool leads_back = false;  // to a function of the program
  };

  bool is_in_header(SiteId id) {
    const auto [at, is_new] = headers_.try_emplace(raw(id), false);
    if (is_new) {
      const std::vector<SiteFrame>& frames = trace_.site(id).frames;
      const auto in_header = [](const SiteFrame& one) {
        return !one.file.empty() && is_system_header(one.file);
      };
      // A member function that nobody wrote is inlined into what the library calls.
      at->second = std::any_of(frames.begin(), frames.end(), in_header) &&
                   std::all_of(frames.begin(), frames.end(), [&](const SiteFrame& one) {
                     return in_header(one) || is_unwritten(one);
                   });
    }
    return at->second;
  }

  // But the end of an object of the program is no call inside the library.
  bool ends_object(SiteId id) const {
    const std::vector<SiteFrame>& frames = trace_.site(id).frames;
    return !frames.empty() && !is_system_header(frames.front().file) &&
           is_unwritten(frames.front()) && is_destructor(frames.front().function);
  }

  void choose() {
    std::unordered_map<std::uint16_t, std::vector<Call>> stacks;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      std::vector<Call>& calls = stacks[raw(events_[i].thread)];
      if (events_[i].kind == EventKind::thread_begin) calls.clear();
      if (events_[i].kind == EventKind::enter) {
        const bool header = is_in_header(events_[i].site) && !ends_object(events_[i].site);
        if (!header) {
          for (Call& call : calls) call.leads_back = true;
        }
        calls.push_back({i, header});
      }
      if (events_[i].kind != EventKind::exit || calls.empty()) continue;
      const Call ended = calls.back();
      calls.pop_back();
      if (fold(ended, calls)) folded_[i] = true;
    }
    // Those that it was still in.
    for (auto& [thread, calls] : stacks) {
      while (!calls.empty()) {
        const Call last = calls.back();
        calls.pop_back();
        fold(last, calls);
      }
    }
  }

  bool fold(const Call& call, const std::vector<Call>& callers) {
    const bool called = std::any_of(callers.begin(), callers.end(),
                                    [](const Call& caller) { return !caller.header; });
    const bool folds = call.header && !call.leads_back && called;
    if (folds) folded_[call.enter] = true;
    return folds;
  }

  // Each event's place, from the functions that were folded around it.
  void extend_places() {
    std::unordered_map<std::uint16_t, std::vector<std::pair<std::size_t, bool>>> stacks;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      Event& event = events_[i];
      auto& calls = stacks[raw(event.thread)];
      if (event.kind == EventKind::thread_begin) calls.clear();
      if (event.kind == EventKind::enter) {
        calls.emplace_back(i, folded_[i]);
      } else if (event.kind == EventKind::exit) {
        if (!calls.empty()) calls.pop_back();
      } else if (!calls.empty() && calls.back().second && is_in_header(event.site)) {
        std::vector<std::uint64_t> addresses;  // innermost first
        for (auto call = calls.rbegin(); call != calls.rend() && call->second; ++call) {
          if (events_[call->first].value != 0) addresses.push_back(events_[call->first].value);
        }
        event.site = extended(event.site, addresses);
      }
      if (folded_[i]) event.kind = EventKind::none;
    }
  }

  SiteId extended(SiteId id, const std::vector<std::uint64_t>& addresses) {
    const auto known = extended_.find({raw(id), addresses});
    if (known != extended_.end()) return known->second;
    Site site = trace_.site(id);
    for (const std::uint64_t address : addresses) {
      for (const Frame& frame : symbols_.frames(address, true)) {
        const std::uint32_t column = frame.unwritten ? std::uint32_t{RADDLE_COLUMN_UNWRITTEN} : 0;
        site.frames.push_back({frame.where.function, frame.where.file, frame.where.line, column});
      }
    }
    site.stable = stable_hash(site);
    const SiteId added{static_cast<std::uint32_t>(trace_.sites() + more_.size())};
    more_.push_back(std::move(site));
    extended_.emplace(std::pair(raw(id), addresses), added);
    return added;
  }

  const KeptTrace& trace_;
  Symbolizer& symbols_;
  std::vector<Event> events_;
  std::vector<bool> folded_;  // enter and exit events
  std::vector<Site> more_;
  std::unordered_map<std::uint32_t, bool> headers_;
  std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, SiteId> extended_;
};

}  // namespace

KeptTrace fold_library_calls(const KeptTrace& trace, Symbolizer& symbols) {
  return Folding(trace, symbols).run();
}

}  // namespace raddle
