// A short execution of a bank, for the tests of the printers of traces.
#pragma once

#include "host/trace/testing/event_samples.hpp"

namespace raddle::samples {

inline TraceHeader bank_header() {
  TraceHeader header;
  header.raddle_version = "0.1.0";
  header.program = "/src/bank";
  header.arguments = {"./bank", "70"};
  header.strategy = "random";
  header.seed = 7;
  header.instrumented = true;
  header.unseen = {"libownlock.so.1", "libother.so"};
  header.origin = "raddle";
  return header;
}

// Two tellers take 70 out of 100, with the lock released between check and act.
inline void tell_bank(EventSink& sink) {
  sink.begin(bank_header());
  sink.define_thread(ThreadId{1}, "teller-1");
  sink.define_member("Account", 8, "m_");
  Story story(sink);
  const SiteId open = story.allocation("Account", 48, 40);
  const SiteId create = story.at("main", "/src/bank.cpp", 41);
  const SiteId teller = story.function("teller");
  const SiteId lock = story.at("Account::balance", "/src/bank.cpp", 12);
  const SiteId check =
      story.access(EventKind::read, "Account", "balance_", 0, 13, 0, "Account::balance");
  const SiteId act = story.access(EventKind::write, "Account", "balance_", 0, 18);
  story.event(EventKind::allocate, 0x5000, open, 48);
  for (std::uint64_t id : {1, 2}) {
    ++story.step;
    story.event(EventKind::fork, 0, create, id);
  }
  const auto check_balance = [&](std::uint16_t id) {
    story.thread = ThreadId{id};
    ++story.step;
    story.event(EventKind::acquire, 0x5008, lock, 1);
    story.event(EventKind::read, 0x5000, check, 100);
    ++story.step;
    story.event(EventKind::release, 0x5008, lock, 0);
  };
  for (std::uint16_t id : {1, 2}) {
    story.thread = ThreadId{id};
    ++story.step;
    story.event(EventKind::decision, 0, kNoSite, 1);  // OpKind::thread_begin
    story.event(EventKind::thread_begin, 0x401000, kNoSite);
    story.event(EventKind::enter, 0, teller);
  }
  check_balance(1);
  check_balance(2);
  story.event(EventKind::write, 0x5000, act, 30);
  story.thread = ThreadId{1};
  ++story.step;
  story.event(EventKind::write, 0x5000, act, static_cast<std::uint64_t>(-40));
  TraceEnd end;
  end.complete = true;
  end.outcome = "assertion";
  end.message = "assertion `balance_ >= 0' failed";
  end.events = 17;
  sink.end(end);
}

}  // namespace raddle::samples
