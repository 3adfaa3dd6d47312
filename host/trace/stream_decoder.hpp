// The bytes of the stream (protocol/stream_encoder.h, docs/trace_format.md) -> events, with
// everything that is implicit there: whose event it is, at which step, in which calling context.
// One per execution, live or from a file; one thread. Neither the target nor a file is trusted:
// whatever the bytes are, events are valid and ids are defined before they are used.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/trace/event_sink.hpp"
#include "host/trace/record_tap.hpp"
#include "host/trace/stream_sink.hpp"
#include "protocol/stream.hpp"

namespace raddle {

// Whether the fields that others index and switch by are in range: the kind exists, the thread is
// one, the memory order of an atomic operation exists, and fork and join name a thread.
bool valid_event(const Event& event);

// The flags of an atomic operation with a memory order that there is: the strongest in place of one
// that there is not.
std::uint8_t valid_order(std::uint8_t flags);

// The context of a callee: of the caller's, of the function's site (Site::stable), and of the
// return address; 0 for an inlined call.
std::uint64_t callee_context(std::uint64_t caller, std::uint64_t function, std::uint64_t call);

class StreamDecoder : public StreamSink {
 public:
  // The sink must outlive it, and so must the tap. Its begin() and end() are the caller's business.
  // With a tap the sink gets events one by one, which takes its time.
  explicit StreamDecoder(EventSink& sink, RecordTap* tap = nullptr);

  void define_site(SiteId id, const Site& site) override;
  void define_object(NameAnchor from, std::uint64_t address, std::uint64_t bytes,
                     const std::string& name) override;
  void define_member(NameAnchor from, const std::string& cls, std::uint32_t offset,
                     const std::string& member) override;
  void define_code(const CodeRange& range) override;
  void records(std::span<const std::uint8_t> bytes, bool fresh) override;
  void pause() override { flush(); }
  // Gives the sink what is still held back.
  void flush();

  std::uint64_t events() const { return events_ + count_; }

  // What is wrong with the records, as a phrase, or null. From there on everything is dropped up to
  // the next fresh model.
  const char* problem() const { return problem_; }

 private:
  static constexpr std::size_t kBatch = 512;  // fits the first-level cache
  static constexpr std::size_t kRecent = 4096;

  // What the hot path needs of a site.
  struct Known {
    EventKind kind = EventKind::none;
    std::uint8_t order = 0;   // atomic operations: Event::flags
    std::uint8_t access = 0;  // bytes of a plain access, if they are 1, 2, 4 or 8, and the sink
                              // knows the site
    std::uint8_t write = 0;
    std::uint16_t size = 0;
    std::uint64_t stable = 0;
  };
  // A name that waits for its place.
  struct Waiting {
    std::uint32_t object;  // NameAnchor::object
    std::function<void(EventSink&)> tell;
  };
  // One record, as it is.
  struct Record {
    EventKind kind;
    std::uint8_t flags;
    std::uint16_t size;
    SiteId site;
    std::uint64_t address;
    std::uint64_t value;
    std::uint64_t value2;
  };
  // What came before a site record.
  struct Prefix {
    std::optional<EventKind> kind;
    std::uint8_t flags = 0;
    std::optional<std::uint8_t> size;
    std::uint64_t value2 = 0;
  };
  struct Caller {
    std::uint64_t code = 0;
    std::uint8_t flags = 0;  // of an enter from there
  };
  struct Call {
    std::uint64_t context;  // of the caller
    SiteId site;
    std::uint64_t self;
  };
  struct Thread {
    std::uint64_t context = 0;
    std::vector<Call> calls;
    std::unordered_map<std::uint64_t, std::size_t> jumps;  // jmp_buf -> depth of calls
    std::uint32_t ignoring = 0;
  };

  void plain_accesses();
  bool one_record();
  void tapped_record();
  bool site_record(const Prefix& prefix);
  bool escaped(Prefix* prefix, bool* complete);
  bool late_write(bool known);
  bool name(std::uint8_t what);
  bool take(std::size_t bytes);  // whether there are as many
  void define(NameAnchor from, std::function<void(EventSink&)> tell);
  void meet_site(std::uint32_t site);
  void meet_object();
  bool fail(const char* problem);

  void event(const Record& record);
  void decision(const Record& record);
  void enter(const Record& record);
  void leave(const Record& record);
  void returned_by_jump(std::uint64_t buffer, bool returned);
  void push(const Record& record, std::uint8_t flags);
  void run(ThreadId thread);
  std::uint8_t enter_flags(std::uint64_t call);

  EventSink& sink_;
  RecordTap* tap_;
  std::optional<SiteRecord> tapped_;  // the record under way, if it is a site's
  std::vector<Event> batch_;          // the first count_ of them
  std::size_t count_ = 0;
  std::uint64_t events_ = 0;

  std::unique_ptr<RaddleModel> model_;
  const std::uint8_t* at_ = nullptr;  // of the records under way
  const std::uint8_t* end_ = nullptr;
  const char* problem_ = nullptr;

  std::vector<Known> known_;     // by SiteId; 0 is the site that is not known
  std::uint32_t met_sites_ = 0;  // that the sink knows
  std::uint32_t met_objects_ = 0;
  std::deque<Site> sites_;  // that it does not know yet
  std::multimap<std::uint32_t, Waiting> waiting_for_site_;
  std::multimap<std::uint32_t, Waiting> waiting_for_object_;
  std::vector<CodeRange> code_;
  std::vector<Caller> callers_;  // used last, by the low bits of the return address

  std::vector<Thread> threads_;
  Thread* current_;  // of threads_
  ThreadId thread_{};
  std::uint64_t step_ = 0;
};

}  // namespace raddle
