// By which pointer a thread came to memory, against executions of which it is known: random threads
// that pass pointers on through variables and blocks, and remember where they have theirs from.
#include "host/analysis/race/publication.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/random_trace.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {
namespace {

// What is said of the race of two events of the trace.
std::vector<FindingStep> said(const Publications& publications, const Event& earlier,
                              const Event& later) {
  Finding race;
  race.kind = FindingKind::race;
  race.steps.resize(2);
  race.steps[0].event = earlier;
  race.steps[1].event = later;
  return publications.of(race);
}

struct Fed {
  std::unique_ptr<Pipeline> pipeline = std::make_unique<Pipeline>(AnalysisOptions{});
  const Publications* publications = nullptr;
};

Fed feed(const TestTrace& trace) {
  Fed fed;
  std::vector<std::uint64_t> places;
  for (const Site& site : trace.sites) places.push_back(site.stable);
  auto detector = std::make_unique<Publications>(fed.pipeline->state(), places);
  fed.publications = detector.get();
  fed.pipeline->add(std::move(detector));
  trace.feed(*fed.pipeline);
  EXPECT_TRUE(fed.pipeline->problems().empty()) << fed.pipeline->problems()[0];
  return fed;
}

// The last access of T1 and the last of T2; `@NAME` as a value is the address of an object.
std::vector<FindingStep> of_last(std::string text) {
  const TestTrace names = trace_of([&] {
    std::string plain = text;
    for (std::size_t at = plain.find("=@"); at != std::string::npos; at = plain.find("=@"))
      plain.erase(at, plain.find_first_of(",)", at) - at);
    return plain;
  }());
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@')) {
    const std::size_t end = text.find_first_of(",)", at);
    text.replace(at, end - at, std::to_string(names.address(text.substr(at + 1, end - at - 1))));
  }
  const TestTrace trace = trace_of(text);
  const Fed fed = feed(trace);
  const Event* write = nullptr;
  for (const Event& event : trace.events)
    if (event.thread == ThreadId{1} && event.kind == EventKind::write &&
        event.object == trace.address("x"))
      write = &event;
  return said(*fed.publications, *write, trace.events.back());
}

TEST(Publications, ByThePointer) {
  const auto steps = of_last("T1 alloc(x,8); T1 w(x); T1 w(g=@x); T2 r(g=@x); T2 r(x)");
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].role, FindingRole::writes);
  EXPECT_EQ(steps[1].role, FindingRole::reads);
}

TEST(Publications, APointerThatIsNotSeen) {
  EXPECT_TRUE(
      of_last("T1 alloc(x,8); T1 w(x); T1 w(g=@x); T2 r(x+4:2); T2 r(g=@x); T2 r(x)").empty())
      << "T2 was there before";
  EXPECT_TRUE(of_last("T1 alloc(x,8); T1 w(x); T1 w(g=@x); T2 r(x)").empty());
}

TEST(Publications, OneOfTwoPointers) {
  EXPECT_TRUE(of_last("T1 alloc(x,8); T1 w(x); T1 w(g=@x); T1 w(h=@x); T2 r(g=@x); T2 r(h=@x);"
                      "T2 r(x)")
                  .empty());
  EXPECT_TRUE(of_last("T1 alloc(x,8); T1 w(g=@x); T2 r(g=@x); T1 w(x); T2 r(x)").empty())
      << "stored before the write";
  EXPECT_TRUE(of_last("T2 alloc(x,8); T1 w(x); T1 w(g=@x); T2 r(g=@x); T2 r(x)").empty())
      << "its own block";
}

// ---- random executions ----

constexpr int kThreads = 3;
constexpr int kGlobals = 2;
constexpr int kBlocks = 4;
constexpr int kFields = 2;  // pointers at the beginning of a block; plain data after them

// A load by which a thread came on.
struct Load {
  std::string variable;
  int storer = 0;
  std::size_t stored = 0;  // index of the operation
};

struct Pointer {
  int block = 0;
  int life = 0;  // of the block
  bool own = false;
  std::vector<Load> way;  // the first pointer first
};

struct Cell {
  Pointer pointer;
  int storer = 0;
  std::size_t stored = 0;
};

struct Operation {
  int thread = 0;
  std::string text;
  std::string points_to;  // the value: the address of that block
  bool is_store = false;
  // An access to data:
  bool is_access = false;
  bool writes = false;
  Pointer by;
};

class Machine {
 public:
  explicit Machine(std::mt19937_64& random) : random_(random) {}

  std::vector<Operation> run(int operations) {
    while (list_.size() < static_cast<std::size_t>(operations)) step();
    return list_;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  static std::string block_name(int block) { return fmt::format("b{}", block); }

  void emit(int thread, const std::string& what) {
    list_.push_back(
        {.thread = thread, .text = fmt::format("T{} {}@{}", thread + 1, what, list_.size() + 1)});
  }

  bool lives(const Pointer& pointer) const {
    return lives_[pointer.block] && life_[pointer.block] == pointer.life;
  }

  const Pointer* any(int thread) {
    std::erase_if(known_[thread], [&](const Pointer& one) { return !lives(one); });
    return known_[thread].empty() ? nullptr : &known_[thread][random_() % known_[thread].size()];
  }

  void clear(int block) {
    for (int field = 0; field < kFields; ++field)
      cells_.erase(fmt::format("{}+{}", block_name(block), 8 * field));
  }

  void allocate_or_free(int thread) {
    const int block = below(kBlocks);
    clear(block);
    lives_[block] = !lives_[block];
    if (lives_[block]) {
      known_[thread].push_back({.block = block, .life = ++life_[block], .own = true, .way = {}});
      emit(thread, fmt::format("alloc({},64)", block_name(block)));
    } else {
      emit(thread, fmt::format("free({})", block_name(block)));
    }
  }

  // A global variable, or a field of a block that the thread knows a pointer to.
  std::string variable(int thread, std::vector<Load>* way) {
    const Pointer* base = below(2) == 0 ? any(thread) : nullptr;
    if (base == nullptr) return fmt::format("g{}", below(kGlobals));
    *way = base->way;
    return fmt::format("{}+{}", block_name(base->block), 8 * below(kFields));
  }

  void store(int thread) {
    std::vector<Load> way;
    const std::string where = variable(thread, &way);
    const Pointer* pointer = any(thread);
    if (pointer == nullptr) return;
    cells_[where] = {*pointer, thread, list_.size()};
    emit(thread,
         below(2) == 0 ? fmt::format("w({}:8)", where) : fmt::format("store({}:8,rlx)", where));
    list_.back().is_store = true;
    list_.back().points_to = block_name(pointer->block);
  }

  void load(int thread) {
    std::vector<Load> way;
    const std::string where = variable(thread, &way);
    const auto cell = cells_.find(where);
    if (cell == cells_.end() || !lives(cell->second.pointer)) return;
    Pointer loaded = cell->second.pointer;
    if (cell->second.storer != thread) {  // else it is what it had
      loaded.own = false;
      loaded.way = way;
      loaded.way.push_back({where, cell->second.storer, cell->second.stored});
    }
    known_[thread].push_back(loaded);
    emit(thread,
         below(2) == 0 ? fmt::format("r({}:8)", where) : fmt::format("load({}:8,rlx)", where));
    list_.back().points_to = block_name(loaded.block);
  }

  void access(int thread) {
    const Pointer* pointer = any(thread);
    if (pointer == nullptr) return;
    const bool writes = below(2) == 0;
    const Pointer by = *pointer;
    emit(thread, fmt::format("{}({}+32:4)", writes ? "w" : "r", block_name(by.block)));
    list_.back().is_access = true;
    list_.back().writes = writes;
    list_.back().by = by;
  }

  void step() {
    const int thread = below(kThreads);
    const int what = below(12);
    if (what == 0) {
      allocate_or_free(thread);
    } else if (what < 5) {
      store(thread);
    } else if (what < 8) {
      load(thread);
    } else {
      access(thread);
    }
  }

  std::mt19937_64& random_;
  std::vector<Operation> list_;
  bool lives_[kBlocks] = {};
  int life_[kBlocks] = {};
  std::vector<Pointer> known_[kThreads];
  std::map<std::string, Cell> cells_;
};

TestTrace built(const std::vector<Operation>& operations) {
  std::string text;
  for (const Operation& operation : operations) text += operation.text + "\n";
  TestTrace trace = trace_of(text);
  const std::size_t first = trace.events.size() - operations.size();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].points_to.empty()) continue;
    Event& event = trace.events[first + i];
    const std::uint64_t value = trace.address(operations[i].points_to);
    const bool is_new = event.kind == EventKind::atomic_store;
    (is_new ? event.value2 : event.value) = value;
    if (!is_atomic(event.kind)) event.flags = 0;
  }
  return trace;
}

std::string text_of(const std::vector<Operation>& operations) {
  std::string text;
  for (const Operation& operation : operations)
    text +=
        operation.text + (operation.points_to.empty() ? "" : " -> " + operation.points_to) + "\n";
  return text;
}

// Whether the thread of the later access has its pointer by that variable, stored by the writer
// after its write.
bool came_by(const Operation& later, std::uint64_t address, const TestTrace& trace, int writer,
             std::size_t write) {
  for (const Load& load : later.by.way) {
    const std::size_t plus = load.variable.find('+');
    const std::uint64_t offset =
        plus == std::string::npos ? 0 : std::stoul(load.variable.substr(plus + 1));
    if (trace.address(load.variable.substr(0, plus)) + offset == address && load.storer == writer &&
        load.stored > write)
      return true;
  }
  return false;
}

TEST(Publications, WhatIsSaidIsTrueOfRandomExecutions) {
  std::mt19937_64 random(7);
  std::size_t claims = 0;
  std::size_t longer = 0;  // by way of other blocks
  const int traces = oracle_traces() * 4;
  for (int n = 0; n < traces && !testing::Test::HasFailure(); ++n) {
    const std::vector<Operation> list = Machine(random).run(40);
    const TestTrace trace = built(list);
    const Fed fed = feed(trace);
    const std::size_t first = trace.events.size() - list.size();
    for (std::size_t j = 0; j < list.size(); ++j) {
      if (!list[j].is_access) continue;
      for (std::size_t i = 0; i < j; ++i) {
        const bool races =
            list[i].is_access && list[i].writes && list[i].thread != list[j].thread &&
            list[i].by.block == list[j].by.block && list[i].by.life == list[j].by.life;
        if (!races) continue;
        const auto steps =
            said(*fed.publications, trace.events[first + i], trace.events[first + j]);
        if (steps.empty()) continue;
        ++claims;
        if (list[j].by.way.size() > 1) ++longer;
        EXPECT_TRUE(came_by(list[j], steps[0].event.object, trace, list[i].thread, i))
            << "seed " << n << ", operations " << i + 1 << " and " << j + 1 << "\n"
            << text_of(list);
      }
    }
  }
  EXPECT_GT(claims, static_cast<std::size_t>(traces) / 20);
  EXPECT_GT(longer, static_cast<std::size_t>(traces) / 200);
}

}  // namespace
}  // namespace raddle
