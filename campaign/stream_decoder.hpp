// Raw records of the stream (trace/stream.hpp) -> events, with everything that is implicit there:
// whose event it is, at which step, in which calling context, at which site. One per execution;
// used by the thread that reads the stream. The target is not trusted: whatever it writes, events
// are valid and ids are defined before they are used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "campaign/site_resolver.hpp"
#include "trace/event_sink.hpp"
#include "trace/stream.hpp"

namespace raddle {

class StreamDecoder {
 public:
  // Both must outlive it. The sink's begin() and end() are the caller's business.
  StreamDecoder(SiteResolver& resolver, EventSink& sink);

  void decode(std::span<const RawRecord> records);
  // Gives the sink what is still held back.
  void flush();

  std::uint64_t events() const { return events_ + count_; }

 private:
  static constexpr std::size_t kBatch = 512;  // fits the first-level cache

  // What the hot path needs of a site.
  struct Known {
    SiteId id{};
    EventKind kind = EventKind::none;
    std::uint8_t order = 0;  // atomic operations: Event::flags
    std::uint16_t size = 0;
    std::uint64_t stable = 0;
  };
  struct Recent {
    std::uint64_t address = 0;
    bool plain = false;  // a read or write of a fixed size
    Known known;
  };
  static constexpr std::size_t kRecent = 4096;
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
  struct Name {
    bool of_thread = false;
    std::uint64_t subject = 0;
    std::size_t bytes = 0;
    std::string text;
  };

  std::size_t plain_accesses(std::span<const RawRecord> records);
  void site_record(const RawRecord& record);
  void event_record(EventKind kind, const RawRecord& record);
  void raw_record(RawKind kind, const RawRecord& record);
  void forget_prefix();
  void decision(const RawRecord& record);
  Name name_of(const RawRecord& record) const;
  void name_part(const RawRecord& record);
  void enter(const Known& site, const RawRecord& record);
  void leave(const Known& site, std::uint64_t self);
  void returned_by_jump(const RawRecord& record);
  void push(EventKind kind, std::uint8_t flags, std::uint16_t size, SiteId site,
            std::uint64_t object, std::uint64_t value, std::uint64_t value2);
  void run(ThreadId thread);

  Recent& recent(std::uint64_t site) { return recent_[site / 32 % kRecent]; }
  const Known& site_at(std::uint64_t address);
  const Known& code_at(std::uint64_t address);
  std::uint8_t enter_flags(std::uint64_t call);
  const Known& either_at(std::uint64_t address);
  const Known& define(std::unordered_map<std::uint64_t, Known>& table, std::uint64_t address,
                      const Site& site);

  SiteResolver& resolver_;
  EventSink& sink_;
  std::vector<Event> batch_;  // the first count_ of them
  std::size_t count_ = 0;
  std::uint64_t events_ = 0;

  std::unordered_map<std::uint64_t, Known> described_;
  std::unordered_map<std::uint64_t, Known> codes_;
  std::unordered_map<std::uint64_t, Known> either_;
  std::uint32_t sites_ = 0;
  // The sites used last, by the low bits of their address: most records find theirs here.
  std::vector<Recent> recent_;

  std::vector<Caller> callers_;  // used last, by the low bits of the return address

  std::vector<Thread> threads_;
  Thread* current_;  // of threads_
  ThreadId thread_{};
  std::uint64_t step_ = 0;

  // From a record that belongs to the next one.
  bool prefixed_ = false;  // there is one
  std::optional<std::uint16_t> size_;
  std::uint64_t value2_ = 0;
  std::uint8_t flags_ = 0;
  std::uint64_t call_ = 0;
  std::uint64_t allocate_for_ = 0;
  std::optional<Name> name_;
};

}  // namespace raddle
