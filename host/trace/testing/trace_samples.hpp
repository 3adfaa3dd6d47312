// Streams of events for the tests and the benchmark of the trace file. Not part of the library.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "host/trace/event_sink.hpp"
#include "host/trace/stream_decoder.hpp"

namespace raddle {

class SampleRandom {
 public:
  explicit SampleRandom(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t operator()() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1dULL;
  }
  std::uint64_t below(std::uint64_t bound) { return ((*this)() >> 11) % bound; }
  bool chance(unsigned one_in) { return below(one_in) == 0; }

 private:
  std::uint64_t state_;
};

struct SampleTrace {
  TraceHeader header{.raddle_version = "0.1.0",
                     .program = "/home/user/bank/bank",
                     .arguments = {"./bank", "3", "", "caf\xe9"},
                     .build_id = "9f3c0d5e",
                     .strategy = "random",
                     .seed = 17,
                     .instrumented = true,
                     .origin = "raddle"};
  std::uint32_t sites = 0;
  std::vector<Event> events;
  TraceEnd end{.complete = true, .outcome = "passed", .message = ""};
};

inline Site sample_site(std::uint32_t id) {
  Site site;
  site.kind = EventKind::read;
  site.flags = id % 7 == 0 ? kSiteStatic : 0;
  site.size = static_cast<std::uint16_t>(1 + id % 8);
  site.cls = "bank::Account";
  site.field = "field" + std::to_string(id);
  site.offset = 8 * id;
  site.set = id % 5 == 0 ? "balance" : "";
  site.frames.push_back(
      {"bank::Account::deposit", "/home/user/bank/account.cpp", 10 + id, id % 80});
  if (id % 3 == 0) site.frames.push_back({"main", "/home/user/bank/main.cpp", 100 + id, 3});
  site.code = 0x555555554000 + id;
  site.stable = stable_hash(site);
  return site;
}

// Executes a program as far as its events go: threads take turns at decisions.
class SampleProgram {
 public:
  SampleProgram(std::uint64_t seed, std::uint16_t threads) : random(seed), contexts_(threads) {
    for (std::vector<std::uint64_t>& stack : contexts_) stack.push_back(0);
  }

  SampleRandom random;
  SampleTrace trace;

  void decide(std::uint32_t site, std::uint64_t object, bool may_switch = true) {
    ++step_;
    if (may_switch) thread_ = static_cast<std::uint16_t>(random.below(contexts_.size()));
    add(EventKind::decision, site, object, 3);
  }
  void add(EventKind kind, std::uint32_t site, std::uint64_t object, std::uint64_t value,
           std::uint16_t size = 0, std::uint8_t flags = 0, std::uint64_t value2 = 0) {
    trace.sites = std::max(trace.sites, site);
    trace.events.push_back({kind, flags, size, ThreadId{thread_}, SiteId{site}, step_, object,
                            value, value2, contexts_[thread_].back()});
  }
  void enter(std::uint32_t site, std::uint64_t object) {
    contexts_[thread_].push_back(
        callee_context(contexts_[thread_].back(), sample_site(site).stable, 0));
    add(EventKind::enter, site, object, 0);
  }
  void exit(std::uint32_t site, std::uint64_t object) {
    add(EventKind::exit, site, object, 0);
    contexts_[thread_].pop_back();
  }
  std::uint64_t read(std::uint32_t site, std::uint64_t address, std::uint16_t size) {
    const std::uint64_t value = memory_[address];
    add(EventKind::read, site, address, value, size);
    return value;
  }
  void write(std::uint32_t site, std::uint64_t address, std::uint64_t value, std::uint16_t size) {
    memory_[address] = value;
    add(EventKind::write, site, address, value, size);
  }
  void poke(std::uint64_t address, std::uint64_t value) { memory_[address] = value; }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> memory_;
  std::vector<std::vector<std::uint64_t>> contexts_;
  std::uint64_t step_ = 0;
  std::uint16_t thread_ = 0;
};

// Merge sort of random 4-byte numbers, bottom up, until there are `events` events; a fresh array
// when one is sorted.
inline SampleTrace sample_sort(std::size_t events, std::uint64_t seed = 1,
                               std::size_t array = 1 << 20) {
  SampleProgram p(seed, 2);
  std::uint64_t from = 0x7ffff0000010, to = from + 4 * array + 4096;
  while (p.trace.events.size() < events) {
    for (std::size_t i = 0; i < array; ++i) {
      p.write(1, from + 4 * i, static_cast<std::uint32_t>(p.random()), 4);
    }
    for (std::size_t run = 1; run < array && p.trace.events.size() < events; run *= 2) {
      p.decide(2, 7);
      for (std::size_t start = 0; start < array; start += 2 * run) {
        std::size_t i = start, j = start + run, out = start;
        const std::size_t middle = j, end = std::min(array, j + run);
        while (i < middle && j < end) {
          const std::uint64_t a = p.read(3, from + 4 * i, 4);
          const std::uint64_t b = p.read(4, from + 4 * j, 4);
          if (a <= b) {
            p.write(5, to + 4 * out++, a, 4), ++i;
          } else {
            p.write(6, to + 4 * out++, b, 4), ++j;
          }
        }
        for (; i < middle; ++i) p.write(8, to + 4 * out++, p.read(7, from + 4 * i, 4), 4);
        for (; j < end; ++j) p.write(10, to + 4 * out++, p.read(9, from + 4 * j, 4), 4);
      }
      std::swap(from, to);
    }
  }
  p.trace.events.resize(events);
  return std::move(p.trace);
}

// A hash map under a lock: chains of nodes from the heap, insert, find and erase.
inline SampleTrace sample_map(std::size_t events, std::uint64_t seed = 1) {
  SampleProgram p(seed, 4);
  constexpr std::uint64_t kLock = 0x555555560040, kMap = 0x555555560080, kBuckets = 0x55555557a2c0;
  std::uint64_t fresh = 0x55555559b2a0;
  std::vector<std::uint64_t> spare;
  while (p.trace.events.size() < events) {
    p.decide(1, 4);
    p.enter(2, kMap);
    p.add(EventKind::acquire, 3, kLock, 1);
    const std::uint64_t key = p.random.below(20000);
    p.enter(4, kMap);
    p.read(5, kMap + 8, 8);
    const std::uint64_t bucket = kBuckets + 8 * (key % 4096);
    std::uint64_t place = bucket, node = p.read(6, bucket, 8);
    while (node != 0) {
      p.enter(7, node);
      const bool found = p.read(8, node, 8) == key;
      p.exit(9, node);
      if (found) break;
      place = node + 16;
      node = p.read(10, place, 8);
    }
    p.exit(11, kMap);
    const auto choice = p.random.below(4);
    if (node == 0 && choice != 0) {
      if (spare.empty()) {
        node = fresh, fresh += 32;
      } else {
        node = spare.back(), spare.pop_back();
      }
      p.add(EventKind::allocate, 12, node, 24);
      p.write(13, node, key, 8);
      p.write(14, node + 8, p.random(), 8);
      p.write(15, node + 16, p.read(16, bucket, 8), 8);
      p.write(17, bucket, node, 8);
      p.write(18, kMap + 16, p.read(19, kMap + 16, 8) + 1, 8);
    } else if (node != 0 && choice == 0) {
      p.write(20, place, p.read(21, node + 16, 8), 8);
      p.add(EventKind::free, 22, node, 24);
      spare.push_back(node);
      p.write(23, kMap + 16, p.read(24, kMap + 16, 8) - 1, 8);
    } else if (node != 0) {
      p.write(25, node + 8, p.read(26, node + 8, 8) + 1, 8);
    }
    p.decide(27, 4, false);
    p.add(EventKind::release, 28, kLock, 0);
    p.exit(29, kMap);
    p.add(EventKind::atomic_update, 30, kMap + 64, p.trace.events.size(), 8, 5,
          p.trace.events.size() + 1);
  }
  p.trace.events.resize(events);
  return std::move(p.trace);
}

// Any events that a stream can say, with no rhyme or reason: threads and steps anywhere.
class SampleChaos {
 public:
  SampleChaos(std::uint64_t seed, std::uint32_t sites) : random_(seed), sites_(sites) {}

  Event operator()() {
    Event event{};
    event.kind = static_cast<EventKind>(1 + random_.below(kEventKinds - 1));
    event.flags = static_cast<std::uint8_t>(random_());
    if (is_atomic(event.kind))
      event.flags = static_cast<std::uint8_t>((event.flags & ~7) | random_.below(6));
    event.size =
        static_cast<std::uint16_t>(random_.chance(8) ? random_() % 256 : 1 << random_.below(5));
    event.thread = static_cast<ThreadId>(random_.chance(8) ? random_.below(0xffff) : last_);
    last_ = raw(event.thread);
    event.site = SiteId{static_cast<std::uint32_t>(random_.below(std::uint64_t{sites_} + 1))};
    event.step = random_.chance(8) ? number() : step_;
    event.object = number();
    event.value = number();
    event.value2 = random_.chance(2) ? 0 : number();
    std::vector<std::uint64_t>& stack = contexts_[raw(event.thread)];
    if (stack.empty()) stack.push_back(0);
    if (event.kind == EventKind::exit && stack.size() == 1) event.kind = EventKind::enter;
    restrict(&event);
    if (event.kind == EventKind::enter) {
      const std::uint64_t site = raw(event.site) == 0 ? 0 : sample_site(raw(event.site)).stable;
      stack.push_back(callee_context(stack.back(), site, event.value));
    }
    event.context = stack.back();
    if (event.kind == EventKind::exit) stack.pop_back();
    if (event.kind == EventKind::thread_end) stack.clear();
    step_ = event.step;
    return event;
  }

 private:
  std::uint64_t number() {
    switch (random_.below(6)) {
      case 0:
        return 0;
      case 1:
        return random_.below(256);
      case 2:
        return random_.below(1 << 20);
      case 3:
        return 0x7ffff0000000 + random_.below(1 << 16);
      case 4:
        return ~std::uint64_t{0} - random_.below(4);
    }
    return random_();
  }

  void restrict(Event* event) {
    const EventKind kind = event->kind;
    if (kind == EventKind::read || kind == EventKind::write) {
      if (event->size < 8) event->value &= (std::uint64_t{1} << 8 * event->size) - 1;
    } else if (kind == EventKind::read_range || kind == EventKind::write_range) {
      event->size = 0;
      event->value |= 1;
    } else if (kind == EventKind::fork || kind == EventKind::join) {
      event->value %= 0xffff;
    } else if (kind == EventKind::enter || kind == EventKind::exit) {
      event->flags = 0;
      event->size = 0;
      if (kind == EventKind::exit) event->value = 0;
    } else if (kind == EventKind::decision) {
      event->flags = 0;
      event->size = 0;
      event->step = step_ + random_.below(1 << 20);
      event->object &= 0xffff'ffff;
      event->value &= 0xffff;
      event->value2 = 0;
    }
  }

  SampleRandom random_;
  std::uint32_t sites_;
  std::uint64_t step_ = 0;
  std::uint16_t last_ = 0;
  std::unordered_map<std::uint16_t, std::vector<std::uint64_t>> contexts_;
};

// Reads and writes of random 8-byte values at random addresses: nothing to predict.
inline SampleTrace sample_noise(std::size_t events, std::uint64_t seed = 1) {
  SampleProgram p(seed, 1);
  while (p.trace.events.size() < events) {
    p.add(p.random.chance(2) ? EventKind::read : EventKind::write,
          static_cast<std::uint32_t>(1 + p.random.below(200)),
          0x7ffff0000000 + 8 * p.random.below(1 << 24), p.random(), 8);
  }
  return std::move(p.trace);
}

inline SampleTrace sample_chaos(std::size_t events, std::uint64_t seed, std::uint32_t sites) {
  SampleTrace trace;
  trace.sites = sites;
  SampleChaos chaos(seed, sites);
  for (std::size_t i = 0; i < events; ++i) trace.events.push_back(chaos());
  return trace;
}

// The sites of a trace; of plain accesses, with the kind and size of their first event.
inline std::vector<Site> sites_of(const SampleTrace& trace) {
  std::vector<Site> sites;
  for (std::uint32_t id = 1; id <= trace.sites; ++id) {
    sites.push_back(sample_site(id));
    sites.back().kind = EventKind::none;
  }
  for (const Event& event : trace.events) {
    if (raw(event.site) == 0) continue;
    Site& site = sites[raw(event.site) - 1];
    if (site.kind != EventKind::none) continue;
    site.kind = event.kind;
    site.size = event.size;
  }
  return sites;
}

inline void feed_start(const SampleTrace& trace, EventSink& sink) {
  sink.begin(trace.header);
  std::uint32_t id = 0;
  for (const Site& site : sites_of(trace)) sink.define_site(SiteId{++id}, site);
}

inline void feed(const SampleTrace& trace, EventSink& sink, std::size_t batch = 4096) {
  feed_start(trace, sink);
  for (std::size_t i = 0; i < trace.events.size(); i += batch) {
    sink.events(std::span(trace.events).subspan(i, std::min(batch, trace.events.size() - i)));
  }
  sink.end(trace.end);
}

}  // namespace raddle
