#include "host/trace/thinned_trace.hpp"

#include <algorithm>

#include "host/trace/stream_rewriter.hpp"

namespace raddle {
namespace {

bool is_running(std::span<const std::uint8_t> record) {
  return record.size() == 13 && record[1] == RADDLE_CODE_RUNNING;
}

class Thinner final : public StreamSink, public RecordTap {
 public:
  Thinner(AccessFilter& filter, TraceWriter& to) : filter_(filter), to_(to), rewriter_(to) {}

  // Definitions: as they are, where they are.
  void define_site(SiteId id, const Site& site) override { before().define_site(id, site); }
  void define_object(NameAnchor from, std::uint64_t address, std::uint64_t bytes,
                     const std::string& name) override {
    before().define_object(from, address, bytes, name);
  }
  void define_member(NameAnchor from, const std::string& cls, std::uint32_t offset,
                     const std::string& member) override {
    before().define_member(from, cls, offset, member);
  }
  void define_code(const CodeRange& range) override { before().define_code(range); }
  void records(std::span<const std::uint8_t>, bool) override {}  // the decoder's

  void site_record(const SiteRecord& record) override {
    const std::optional<AccessFilter::Told> told = filter_.take();
    // An access that is no event is one that nobody wants: of a thread that is ignored.
    const bool stays =
        record.site > met_ || !is_access(record.kind) || (told.has_value() && told->keeps);
    if (stays) {
      rewriter_.put(record);
      met_ = std::max(met_, record.site);
    }
    count(told, stays);
  }
  void other_record(std::span<const std::uint8_t> bytes) override {
    const std::optional<AccessFilter::Told> told = filter_.take();
    // Events that come of these are writes whose value came late, and exits by longjmp.
    const bool stays =
        !told || !is_access(told->event.kind) || raw(told->event.site) > met_ || told->keeps;
    if (stays) rewriter_.put(bytes);
    if (stays && told) met_ = std::max(met_, raw(told->event.site));
    if (is_running(bytes)) {
      rewriter_.follow(ThreadId{static_cast<std::uint16_t>(raddle_load(bytes.data() + 3, 2))},
                       raddle_load(bytes.data() + 5, 8));
    }
    count(told, stays);
  }

  void finish() { rewriter_.pass_on(); }
  const ThinnedTrace& figures() const { return figures_; }

 private:
  TraceWriter& before() {
    rewriter_.pass_on();
    return to_;
  }
  void count(const std::optional<AccessFilter::Told>& told, bool stays) {
    if (!told) return;
    rewriter_.follow(told->event.thread, told->event.step);
    figures_.events += stays ? told->events : 0;
    if (!is_access(told->event.kind)) return;
    ++figures_.accesses;
    figures_.accesses_kept += stays ? 1 : 0;
  }

  AccessFilter& filter_;
  TraceWriter& to_;
  StreamRewriter rewriter_;
  std::uint32_t met_ = 0;  // sites, in the new trace
  ThinnedTrace figures_;
};

}  // namespace

Result<ThinnedTrace> thin_trace(const std::string& from, AccessFilter& filter, TraceWriter& to) {
  Thinner thinner(filter, to);
  const Result<ReadSummary> read = read_trace_records(from, filter, thinner, thinner);
  if (!read) return Error{read.error()};
  thinner.finish();
  return thinner.figures();
}

}  // namespace raddle
